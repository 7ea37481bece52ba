// SPDX-License-Identifier: Apache-2.0
// Trains the two parts of RSGNN in turn. An epoch is one step of the link predictor, then two of the
// classifier on the graph that it predicts; each is judged on the validation rows.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include <emgnn/data/data.h>
#include <emgnn/learn/fit_loop.h>
#include <emgnn/learn/task.h>
#include <emgnn/models/rsgnn.h>

namespace emgnn {

struct RsgnnLearnerOptions {
  RsgnnOptions model;
  FitOptions fit;
  OptimOptions optim;
  double link_learning_rate = 0.001;
  StopOptions stop;
  uint64_t seed = 0;
};

class RsgnnLearner : public Learner, private FitStep {
 public:
  RsgnnLearner(std::shared_ptr<const Data> data, std::shared_ptr<const LinkCandidates> candidates,
               std::shared_ptr<Task> task, const RsgnnLearnerOptions& options);

  void fit(FitObserver& observer) override;
  FitSummary summary() const override {
    return {.epochs = loop_.epochs(), .stopped_early = loop_.stopped_early()};
  }
  Prediction predict(std::span<const int32_t> rows, const Poll& poll) override;
  std::shared_ptr<const Task> task() const override { return task_; }
  void visit_state(StateVisitor& visitor) override;
  // The weight of each pair that has one, and of all edges of the data.
  FamilyReport graph_report() const override;

 private:
  // What the loss of each step needs, beside the graph.
  struct Training {
    at::Tensor rows;                // of the training nodes
    TargetRows target;              // of them
    std::vector<uint8_t> labelled;  // [nodes] whether it is one of them
    SquaredDistances distances;
    at::Tensor edge_factor;  // of the edges of the data
  };

  int64_t max_epochs() const override { return options_.fit.epochs; }
  int64_t steps_per_epoch(size_t /*member*/) const override;
  double descend(size_t member, int64_t epoch, int64_t step) override;
  size_t optimiser(int64_t k) const override;
  bool validates_steps() const override { return true; }
  PartScores validate(size_t member, Ranks ranks) override;

  Training& training();
  LinkGraph make_graph() const;
  const LinkGraph& graph();
  const at::Tensor& evaluated();
  void forget_graph();
  at::Tensor outputs(const LinkGraph& links, const at::Tensor& values, const Mode& mode) const;
  at::Tensor training_loss(const at::Tensor& outputs);
  double descend_links(uint64_t step);
  double descend_classifier(uint64_t step);
  Prediction predicted(const at::Tensor& outputs, std::span<const int32_t> rows,
                       Detail detail) const;

  std::shared_ptr<const Data> data_;
  std::shared_ptr<const LinkCandidates> candidates_;
  std::shared_ptr<Task> task_;
  RsgnnLearnerOptions options_;
  std::shared_ptr<Rsgnn> network_;
  FitLoop loop_;
  c10::intrusive_ptr<InputFeatures> input_;
  LinkGraphMaker graphs_;
  // Made when first used.
  std::optional<Training> training_;
  // Of the weights as they are now: the graph, the outputs on it without dropout, both with what
  // their gradient needs, and what the classifier's steps on it share.
  std::optional<LinkGraph> graph_;
  at::Tensor evaluated_;
  std::optional<SmoothnessMatrix> smoothness_;
};

}  // namespace emgnn
