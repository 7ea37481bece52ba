// SPDX-License-Identifier: Apache-2.0
// Epochs, validation, patience, averaging, checkpoints, interruption, progress: once for all
// methods that descend on a gradient.
#pragma once

#include <ATen/core/Tensor.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <vector>

#include <emgnn/learn/adam.h>
#include <emgnn/learn/learner.h>
#include <emgnn/learn/options.h>
#include <emgnn/learn/stopping.h>
#include <emgnn/models/network.h>

namespace emgnn {

// What a method adds to the loop.
class FitStep {
 public:
  virtual ~FitStep() = default;
  virtual int64_t max_epochs() const = 0;
  virtual int64_t steps_per_epoch() const = 0;
  // Before epoch `epoch` (from 0), with the weights that predict. EM has its E-steps here.
  virtual bool needs_beginning(int64_t /*epoch*/) const { return false; }
  virtual void begin_epoch(int64_t /*epoch*/, FitObserver& /*observer*/) {}
  virtual int64_t round(int64_t /*epoch*/) const { return 0; }  // for records
  // Leaves gradients in the parameters; the mean loss. `step` counts gradient steps.
  virtual double descend(int64_t epoch, int64_t step) = 0;
  virtual bool validates(int64_t /*epoch*/) const { return true; }
  virtual PartScores validate(Ranks ranks) = 0;
  virtual void keep() {}  // the current weights are the best so far
};

struct LoopOptions {
  OptimOptions optim;
  StopOptions stop;
  StopRule rule;
};

class FitLoop {
 public:
  FitLoop(std::shared_ptr<Network> network, LoopOptions options);

  // Trains to the end and leaves the kept weights in the network. Interrupted as Learner::fit says.
  void run(FitStep& step, FitObserver& observer, Learner& learner);

  int64_t epochs() const { return epoch_; }
  bool stopped_early() const { return stopped_; }

  // The weights, and in the training scope all that resuming needs: randomness is a function of the
  // seed and the counters.
  void visit_state(StateVisitor& visitor);

 private:
  using Clock = std::chrono::steady_clock;

  void one_epoch(FitStep& step, FitObserver& observer);
  void validate(FitStep& step, EpochRecord& record);
  void checkpoint(FitObserver& observer, Learner& learner);

  std::shared_ptr<Network> network_;
  LoopOptions options_;
  Adam adam_;
  int64_t epoch_ = 0;  // done
  bool stopped_ = false;
  bool finished_ = false;  // the network holds the kept weights
  StopState stop_;
  std::vector<at::Tensor> best_;     // parameters, then buffers; empty before the first validation
  std::vector<at::Tensor> average_;  // of the weights so far, with optim.average
  Clock::time_point last_checkpoint_ = Clock::now();
};

}  // namespace emgnn
