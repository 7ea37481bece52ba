// SPDX-License-Identifier: Apache-2.0
// Epochs, validation, patience, averaging, checkpoints, interruption, progress: once for all
// methods that descend on a gradient.
#pragma once

#include <ATen/core/Tensor.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include <emgnn/learn/adam.h>
#include <emgnn/learn/learner.h>
#include <emgnn/learn/options.h>
#include <emgnn/learn/stopping.h>
#include <emgnn/models/network.h>

namespace emgnn {

// What a method adds to the loop. It trains one network or several members side by side, each with
// its own best weights and its own end.
class FitStep {
 public:
  virtual ~FitStep() = default;
  virtual int64_t max_epochs() const = 0;
  virtual int64_t steps_per_epoch(size_t member) const = 0;
  // Before epoch `epoch` (from 0), with the weights that predict. EM has its E-steps here.
  virtual bool needs_beginning(int64_t /*epoch*/) const { return false; }
  virtual void begin_epoch(int64_t /*epoch*/, FitObserver& /*observer*/) {}
  // A long beginning comes in parts, between which a checkpoint can be made: begin_epoch is called
  // until there is none left.
  virtual bool has_begun(int64_t /*epoch*/) const { return true; }
  virtual int64_t round(int64_t /*epoch*/) const { return 0; }  // for records
  // Leaves gradients in the parameters; the mean loss. `step` counts the member's gradient steps.
  virtual double descend(size_t member, int64_t epoch, int64_t step) = 0;
  // Which optimiser takes the k-th gradient step of an epoch.
  virtual size_t optimiser(int64_t /*k*/) const { return 0; }
  // After the member's last gradient step of an epoch, with the weights that predict.
  virtual void end_epoch(size_t /*member*/, int64_t /*epoch*/) {}
  virtual bool validates(int64_t /*epoch*/) const { return true; }
  virtual bool validates_steps() const { return false; }  // each, not only an epoch's last
  virtual PartScores validate(size_t member, Ranks ranks) = 0;
  virtual void keep(size_t /*member*/) {}  // its current weights are the best so far
  // Once, with the kept weights; repeated if it is interrupted. In parts like a beginning.
  virtual bool has_finish() const { return false; }
  virtual void finish(FitObserver& /*observer*/) {}
  virtual bool has_finished() const { return true; }
};

struct LoopOptions {
  OptimOptions optim;
  StopOptions stop;
  StopRule rule;
  std::vector<OptimOptions> other_optim = {};  // of the optimisers 1, 2, ...
};

class FitLoop {
 public:
  FitLoop(std::vector<std::shared_ptr<Network>> members, LoopOptions options);

  // Trains to the end and leaves the kept weights in the networks. Interrupted as Learner::fit says.
  void run(FitStep& step, FitObserver& observer, Learner& learner);

  int64_t epochs() const { return epoch_; }
  bool stopped_early() const;  // all members

  // The weights, and in the training scope all that resuming needs: randomness is a function of the
  // seed and the counters.
  void visit_state(StateVisitor& visitor);

 private:
  using Clock = std::chrono::steady_clock;

  struct Member {
    std::shared_ptr<Network> network;
    std::vector<Adam> optimisers;
    bool stopped = false;
    StopState stop = {};
    std::vector<at::Tensor> best = {};     // parameters, then buffers; empty before a validation
    std::vector<at::Tensor> average = {};  // of the weights so far, with optim.average
  };

  // How far an epoch is that has begun: a long one can be resumed after any of its gradient steps.
  struct Part {
    int64_t member = 0;              // that is being trained
    int64_t step = 0;                // gradient steps that it has made
    double loss = 0.0;               // their sum
    std::vector<double> losses;      // of the members before, their means
    std::vector<PartScores> scores;  // and their validations
  };
  // Who is told, and what is stored.
  struct Watch {
    FitObserver& observer;
    Learner& learner;
  };

  Member new_member(const std::shared_ptr<Network>& network) const;
  void interruptible_epoch(FitStep& step, const Watch& watch);
  void start_again(const std::vector<std::vector<at::Tensor>>& initial);
  void one_epoch(FitStep& step, const Watch& watch);
  void begin(FitStep& step, FitObserver& observer);
  void end(FitStep& step, size_t number);
  void steps_of_epoch(FitStep& step, const Watch& watch);
  void gradient_step(FitStep& step, bool last);
  bool validates(const FitStep& step) const;
  PartScores validate(FitStep& step, size_t number);
  void between_steps(const FitStep& step, const Watch& watch);
  void finish(FitStep& step, const Watch& watch);
  bool checkpoint_due(const FitStep& step, FitObserver& observer) const;
  void checkpoint(const Watch& watch);
  void visit_member(StateVisitor& visitor, Member& member, const std::string& prefix);
  void visit_part(StateVisitor& visitor);

  std::vector<Member> members_;
  LoopOptions options_;
  int64_t epoch_ = 0;  // done
  std::optional<Part> part_;
  bool finished_ = false;  // the networks hold the kept weights
  Clock::time_point last_checkpoint_ = Clock::now();
  bool has_checkpoint_ = false;  // of this process
  int64_t checkpoint_epoch_ = 0;
  bool slow_ = false;  // the last epoch was
  bool interrupted_between_steps_ = false;
};

}  // namespace emgnn
