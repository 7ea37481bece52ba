// SPDX-License-Identifier: Apache-2.0
// A network on some data, under the graphs of any λ: what the methods that train one have in
// common. Rows are nodes or molecules; only the family knows which.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include <emgnn/data/data.h>
#include <emgnn/learn/agreement.h>
#include <emgnn/learn/learner.h>
#include <emgnn/learn/options.h>
#include <emgnn/learn/task.h>
#include <emgnn/models/network.h>
#include <emgnn/space/family.h>

namespace emgnn {

struct LambdaDraw {
  int64_t lam_id = 0;
  double weight = 1.0;  // w(λ)
};

struct Objective {
  at::Tensor value;        // the mean of w(λ) L(λ, θ) over the draws, float64, to descend on
  double mean_loss = 0.0;  // the mean of L(λ, θ)
};

// How much of the training is done.
struct Progress {
  int64_t done = 0, total = 1;
};

struct ProblemParts {
  std::shared_ptr<const Data> data;
  std::shared_ptr<const GraphFamily> family;
  std::shared_ptr<Network> network;
  std::shared_ptr<Task> task;
};

struct ProblemOptions {
  BatchOptions batch;
  AgreementOptions agreement;
  Average average = Average::kLogits;
  bool evidence_from_validation = false;  // losses() reads the validation rows too
  uint64_t seed = 0;
};

class Problem {
 public:
  Problem(ProblemParts parts, const ProblemOptions& options);

  const GraphFamily& family() const { return *parts_.family; }
  Network& network() const { return *parts_.network; }
  Task& task() const { return *parts_.task; }
  std::shared_ptr<const Task> shared_task() const { return parts_.task; }
  const Data& data() const { return *parts_.data; }

  // L(λ, θ) of the labels that the posterior may look at, without dropout.
  std::vector<double> losses(std::span<const int64_t> lam_ids, const Poll& poll);

  // One epoch is this many gradient steps.
  int64_t steps_per_epoch() const;
  // Of the batch of gradient step mode.step; without draws under the graph as given. `progress`
  // counts epochs.
  Objective objective(std::span<const LambdaDraw> draws, const Mode& mode,
                      const Progress& progress);

  PartScores validate(const GraphWeights& graphs, Ranks ranks);
  Prediction predict(const GraphWeights& graphs, std::span<const int32_t> rows, const Poll& poll);

 private:
  using View = std::shared_ptr<const FamilyView>;

  void evaluate(const FamilyView& view, std::span<const int64_t> lam_ids,
                const FamilyView::Take& take, const Poll& poll) const;
  Prediction expect(const FamilyView& view, const GraphWeights& graphs,
                    std::span<const int32_t> rows, const Poll& poll) const;
  View view_of(std::span<const int32_t> rows) const;
  std::span<const int32_t> batch_rows(uint64_t step);
  at::Tensor run(const GraphBatch& batch, const Mode& mode) const;
  Objective objective_of_items(std::span<const LambdaDraw> draws, const Mode& mode);
  Objective objective_of_rows(std::span<const LambdaDraw> draws, const Mode& mode,
                              const Progress& progress);

  ProblemParts parts_;
  ProblemOptions options_;
  // Made when first used.
  std::vector<int32_t> evidence_rows_;
  View evidence_, train_, validation_;
  TargetRows evidence_target_, train_target_;
  View agreeing_;               // the rows that graphs agree on, when they are to
  at::Tensor train_place_;      // of the training rows among these
  std::vector<int32_t> order_;  // of the training rows in an epoch
  std::optional<uint64_t> ordered_epoch_;
};

}  // namespace emgnn
