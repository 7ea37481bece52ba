// SPDX-License-Identifier: Apache-2.0
// A learner whose predictions are made as sure as they are right on the validation labels, in the
// way of its task. What is answered does not change, how sure it is does.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include <emgnn/learn/learner.h>

namespace emgnn {

class CalibratedLearner : public Learner {
 public:
  // fit: UsageError where there is no validation row.
  CalibratedLearner(std::shared_ptr<Learner> learner, std::shared_ptr<const Task> task,
                    std::vector<int32_t> validation);

  void fit(FitObserver& observer) override;
  FitSummary summary() const override { return learner_->summary(); }
  std::vector<std::string> notes() override { return learner_->notes(); }
  Prediction predict(std::span<const int32_t> rows, const Poll& poll) override;
  std::shared_ptr<const Task> task() const override { return learner_->task(); }
  void visit_state(StateVisitor& visitor) override;
  bool has_node_weights() const override { return learner_->has_node_weights(); }
  std::optional<GraphDistribution> graphs() const override { return learner_->graphs(); }
  FamilyReport graph_report() const override { return learner_->graph_report(); }
  std::vector<JudgedGraph> judge_graphs(std::span<const int32_t> rows, const Poll& poll) override {
    return learner_->judge_graphs(rows, poll);
  }

 private:
  std::shared_ptr<Learner> learner_;
  std::shared_ptr<const Task> task_;
  std::vector<int32_t> validation_;
  std::vector<double> calibration_;  // empty: not fitted yet
};

}  // namespace emgnn
