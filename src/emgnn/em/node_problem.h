// SPDX-License-Identifier: Apache-2.0
// Classification of the nodes of one graph.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <emgnn/data/dataset.h>
#include <emgnn/em/evaluator.h>
#include <emgnn/em/options.h>
#include <emgnn/em/problem.h>
#include <emgnn/models/backbone.h>
#include <emgnn/space/family.h>

namespace emgnn {

// Which nodes are predicted, with which graphs, and how.
struct NodeQuery {
  std::vector<int32_t> rows;
  const Posterior& posterior;
  Average average = Average::kLogits;
  Poll poll;
};

class NodeProblem : public Problem {
 public:
  // The dataset, the family and the backbone outlive the problem.
  NodeProblem(const Dataset& dataset, const GraphFamily& family, const Backbone& backbone,
              const TrainOptions& options);

  Task task() const override { return Task::kClassification; }
  const ParameterSpace& space() const override { return *family_; }
  const Network& network() const override { return *backbone_; }
  std::vector<double> losses(std::span<const int64_t> lam_ids, const Poll& poll) override;
  int64_t num_batches() const override { return 1; }
  Objective objective(std::span<const LambdaDraw> draws, const Pass& pass) override;
  Scores validate(const Posterior& posterior) override;
  Prediction predict(const Posterior& posterior, const Poll& poll) override;
  Scores score(const Prediction& prediction, Part part) const override;

 private:
  const Dataset* dataset_;
  const GraphFamily* family_;
  const Backbone* backbone_;
  Average average_;
  AgreementOptions agreement_;
  double agreement_full_ = 0.0;  // steps until the agreement has its full weight
  at::Tensor posterior_label_, train_label_, validation_label_;
  Evaluator train_, validation_;
  std::unique_ptr<Evaluator>
      posterior_only_;                   // set when the E-step reads other rows than the M-step
  std::unique_ptr<Evaluator> agreeing_;  // the nodes that graphs agree on, when they are to
  at::Tensor train_place_;               // of the training nodes among these
};

// The types that carry labels; none where types are not told apart.
std::vector<std::string> predicted_types(const Dataset& dataset);
// The nodes of these types; of none: all nodes.
std::vector<int32_t> rows_of_types(const Dataset& dataset, const std::vector<std::string>& types);

// z = E_{λ~p}[Ψ(λ, x)] for some nodes.
Prediction predict_nodes(const Dataset& dataset, const GraphFamily& family,
                         const Backbone& backbone, const NodeQuery& query);

}  // namespace emgnn
