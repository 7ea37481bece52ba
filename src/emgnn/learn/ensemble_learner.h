// SPDX-License-Identifier: Apache-2.0
// Several learners of one method on the same data, each with a seed, a training and a stopping of
// its own. They predict together.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include <emgnn/learn/learner.h>

namespace emgnn {

class EnsembleLearner : public Learner {
 public:
  // At least one member; `task` averages their predictions.
  EnsembleLearner(std::vector<std::shared_ptr<Learner>> members, std::shared_ptr<const Task> task);

  // One member after the other. Records say which; epochs are counted over all of them, as if none
  // that is still to come stopped early. A checkpoint holds the members that have begun.
  void fit(FitObserver& observer) override;
  // The epochs and rounds of all members, the mean of their shares; stopped early when any was.
  FitSummary summary() const override;
  std::vector<std::string> notes() override { return members_.front()->notes(); }

  Prediction predict(std::span<const int32_t> rows, const Poll& poll) override;
  std::shared_ptr<const Task> task() const override { return members_.front()->task(); }
  // The names of a member's entries begin with "member/K/".
  void visit_state(StateVisitor& visitor) override;
  bool has_node_weights() const override;
  // The mixture of the members' distributions, each as likely as the others.
  std::optional<GraphDistribution> graphs() const override;
  // The mean of what they say of edges. A table NAME.csv of member K is NAME-member-K.csv.
  FamilyReport graph_report() const override;
  // Those that all members judge, by the mean of what they say.
  std::vector<JudgedGraph> judge_graphs(std::span<const int32_t> rows, const Poll& poll) override;

 private:
  int64_t size() const { return static_cast<int64_t>(members_.size()); }
  void fit_member(int64_t k, FitObserver& observer);

  std::vector<std::shared_ptr<Learner>> members_;
  std::shared_ptr<const Task> task_;
  int64_t finished_ = 0;  // members that are trained to the end
};

}  // namespace emgnn
