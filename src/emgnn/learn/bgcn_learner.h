// SPDX-License-Identifier: Apache-2.0
// Bayesian graph convolutional network (Zhang et al. 2019): a network that is trained on the graph as
// given, then on graphs drawn from a block model of it whose communities are the classes. The model
// is fitted to the graph from what the network says of the nodes, now and then. The answer is the
// mean over the last drawn graphs, each with the weights of its epoch.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include <emgnn/learn/bgcn_options.h>
#include <emgnn/learn/fit_loop.h>
#include <emgnn/learn/problem.h>
#include <emgnn/learn/running_answer.h>
#include <emgnn/space/options.h>

namespace emgnn {

struct BgcnParts {
  std::shared_ptr<const Data> data;  // nodes with one class each
  std::shared_ptr<Network> network;
  std::shared_ptr<Task> task;
};

struct BgcnLearnerOptions {
  BgcnOptions bgcn;
  Normalisation normalisation = Normalisation::kRow;
  FitOptions fit;
  OptimOptions optim;
  uint64_t seed = 0;
};

class BgcnLearner : public Learner, private FitStep {
 public:
  // UsageError when no epoch's answer would count.
  BgcnLearner(BgcnParts parts, const BgcnLearnerOptions& options);

  void fit(FitObserver& observer) override { loop_.run(*this, observer, *this); }
  FitSummary summary() const override { return {.epochs = loop_.epochs()}; }
  Prediction predict(std::span<const int32_t> rows, const Poll& poll) override;
  std::shared_ptr<const Task> task() const override { return parts_.task; }
  // A stored model holds the answer for each node, and the block model.
  void visit_state(StateVisitor& visitor) override;
  bool has_node_weights() const override { return true; }
  // The block model: it has no λ.
  std::optional<GraphDistribution> graphs() const override;
  FamilyReport graph_report() const override;

 private:
  bool on_drawn_graph(int64_t epoch) const { return epoch > options_.bgcn.warmup; }
  Problem problem_on(Csr graph) const;
  Problem& current() { return drawn_ ? *drawn_ : observed_; }

  int64_t max_epochs() const override { return options_.fit.epochs; }
  int64_t steps_per_epoch(size_t /*member*/) const override { return 1; }
  bool needs_beginning(int64_t epoch) const override;
  void begin_epoch(int64_t epoch, FitObserver& observer) override;
  bool has_begun(int64_t /*epoch*/) const override { return iteration_ == 0; }
  double descend(size_t member, int64_t epoch, int64_t step) override;
  void end_epoch(size_t member, int64_t epoch) override;
  PartScores validate(size_t member, Ranks ranks) override;

  void fit_block_model(int64_t epoch);  // one iteration
  void visit_block_model(StateVisitor& visitor);

  BgcnParts parts_;
  BgcnLearnerOptions options_;
  std::vector<int32_t> all_rows_;
  BlockModelFit block_fit_;  // to all edge types as one graph, without directions and weights
  Problem observed_;
  std::optional<Problem> drawn_;  // on the graph of the epoch
  BlockModel block_model_;        // no communities: not fitted yet
  int64_t iteration_ = 0;         // done of the fit that begins an epoch
  RunningAnswer answer_;
  FitLoop loop_;
};

}  // namespace emgnn
