// SPDX-License-Identifier: Apache-2.0
// Classification of the nodes of one graph.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include <emgnn/data/dataset.h>
#include <emgnn/em/evaluator.h>
#include <emgnn/em/options.h>
#include <emgnn/em/problem.h>

namespace emgnn {

class NodeProblem : public Problem {
 public:
  // The dataset, the family and the backbone outlive the problem.
  NodeProblem(const Dataset& dataset, const GraphFamily& family, Backbone& backbone,
              const EmOptions& options);

  Task task() const override { return Task::kClassification; }
  const GraphFamily& family() const override { return *family_; }
  Backbone& backbone() override { return *backbone_; }
  std::vector<double> losses(std::span<const int64_t> lam_ids, const Poll& poll) override;
  int64_t num_batches() const override { return 1; }
  at::Tensor batch_losses(std::span<const int64_t> lam_ids, const Pass& pass) override;
  Scores validate(const Posterior& posterior) override;
  Prediction predict(const Posterior& posterior, const Poll& poll) override;
  Scores score(const Prediction& prediction, Part part) const override;

 private:
  const Dataset* dataset_;
  const GraphFamily* family_;
  Backbone* backbone_;
  Average average_;
  at::Tensor posterior_label_, train_label_, validation_label_;
  Evaluator train_, validation_;
  std::unique_ptr<Evaluator>
      posterior_only_;  // set when the E-step reads other rows than the M-step
};

// Nodes of the types that carry labels; all nodes where types are not told apart.
std::vector<int32_t> predicted_rows(const Dataset& dataset);

}  // namespace emgnn
