// SPDX-License-Identifier: Apache-2.0
// What every method is while it runs: it fits, predicts, and can be stored and put back.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <emgnn/learn/prediction.h>
#include <emgnn/learn/record.h>
#include <emgnn/learn/state.h>
#include <emgnn/space/family.h>

namespace emgnn {

class Learner;
class Task;

// The library never prints: progress bars, logs and reports are observers.
class FitObserver {
 public:
  virtual ~FitObserver() = default;
  virtual void on_round(const RoundRecord& /*round*/) {}
  virtual void on_epoch(const EpochRecord& /*epoch*/) {}
  virtual void on_note(const std::string& /*note*/) {}   // one line, for the user
  virtual void on_phase(const std::string& /*what*/) {}  // "training", or what is done meanwhile
  // Now and then, and when the run is about to be interrupted: the learner's state can be written.
  virtual void on_checkpoint(Learner& /*learner*/) {}
  // Whether the last checkpoint is so old that the next chance for another should be taken.
  virtual bool checkpoint_due() { return false; }
  // Asked before every epoch and during long work.
  virtual bool stop_requested() { return false; }
};

class Learner {
 public:
  virtual ~Learner() = default;

  // Trains to the end, from where a state that was read left off. Throws Interrupted when the
  // observer asks to stop, after handing it a checkpoint. A fitted learner predicts with what was
  // kept.
  virtual void fit(FitObserver& observer) = 0;
  virtual FitSummary summary() const = 0;
  // What a user should know before it is trained, a line each.
  virtual std::vector<std::string> notes() { return {}; }

  virtual Prediction predict(std::span<const int32_t> rows, const Poll& poll) = 0;

  // How it scores its predictions; null: as the task does by default.
  virtual std::shared_ptr<const Task> task() const { return nullptr; }

  virtual void visit_state(StateVisitor& visitor) = 0;

  // Weights belong to single nodes: the stored model is of no use on others.
  virtual bool has_node_weights() const { return false; }

  // Nothing: the method has no distribution over graphs.
  virtual std::optional<GraphDistribution> graphs() const { return std::nullopt; }
  // What is known of single edges, with tables beside the results; empty: nothing.
  virtual FamilyReport graph_report() const { return {}; }
  // Graphs of the distribution, or so many that stand for them, with their scores on labelled rows.
  // Nothing: there is none, or none that all members of an ensemble share.
  virtual std::vector<JudgedGraph> judge_graphs(std::span<const int32_t> /*rows*/,
                                                const Poll& /*poll*/) {
    return {};
  }
};

}  // namespace emgnn
