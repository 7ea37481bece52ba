// SPDX-License-Identifier: Apache-2.0
// A network on some data, under the graphs of any λ: what the methods that train one have in
// common. Rows are nodes or molecules; only the family knows which.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <emgnn/data/data.h>
#include <emgnn/learn/agreement.h>
#include <emgnn/learn/evidence.h>
#include <emgnn/learn/evidence_log.h>
#include <emgnn/learn/learner.h>
#include <emgnn/learn/node_batch.h>
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

// Views of the family that several networks of one shape share, made when first used.
class SharedViews {
 public:
  using View = std::shared_ptr<const FamilyView>;
  const View& of(const std::string& rows, const std::function<View()>& make) {
    View& view = views_[rows];
    if (!view) view = make();
    return view;
  }

 private:
  std::map<std::string, View> views_;
};

struct ProblemParts {
  std::shared_ptr<const Data> data;
  std::shared_ptr<const GraphFamily> family;
  std::shared_ptr<Network> network;
  std::shared_ptr<Task> task;
  std::shared_ptr<SharedViews> views = std::make_shared<SharedViews>();
};

struct ProblemOptions {
  BatchOptions batch;
  NodeBatchOptions nodes;  // where rows are the nodes of one graph
  AgreementOptions agreement;
  Average average = Average::kLogits;
  EvidenceKind evidence = EvidenceKind::kTrain;
  std::vector<int32_t> left_out;  // training rows that the network is not trained on
  uint64_t seed = 0;              // of the order of the rows, and of dropout
};

class Problem {
 public:
  using View = SharedViews::View;

  // UsageError when the network cannot give the evidence.
  Problem(ProblemParts parts, const ProblemOptions& options);

  const GraphFamily& family() const { return *parts_.family; }
  Network& network() const { return *parts_.network; }
  const std::shared_ptr<Network>& shared_network() const { return parts_.network; }
  Task& task() const { return *parts_.task; }
  std::shared_ptr<const Task> shared_task() const { return parts_.task; }
  const Data& data() const { return *parts_.data; }

  uint64_t seed() const { return options_.seed; }
  EvidenceKind evidence() const { return options_.evidence; }

  // L(λ, θ) of the evidence rows, without dropout.
  std::vector<double> losses(std::span<const int64_t> lam_ids, const Poll& poll);
  // What the network says of them, or its last layer fitted without them: [graphs, rows, width];
  // and what is true.
  at::Tensor outputs(std::span<const int64_t> lam_ids, const Poll& poll);
  const TargetRows& evidence_target();
  // Both read what they can from a log, and add the rest to it; null: there is none.
  void use_log(std::shared_ptr<EvidenceLog> log) { log_ = std::move(log); }

  // About how many multiplications one graph takes when it is judged, trained on or validated: entries
  // times the widest layer. Nothing is known of rows that are graphs of their own.
  struct Work {
    double judge = 0.0, train = 0.0, validate = 0.0;
  };
  Work work();

  // What the network says of all rows under some graphs, for families whose graphs depend on it.
  void believe(const GraphWeights& graphs, const Poll& poll);
  const std::shared_ptr<const Beliefs>& beliefs() const { return beliefs_; }
  void visit_beliefs(StateVisitor& visitor, const std::string& name);

  // How rows are taken, where the graph is too large for all at once; a line each.
  std::vector<std::string> notes();

  // One epoch is this many gradient steps.
  int64_t steps_per_epoch() const;
  // Of the batch of gradient step mode.step; without draws under the graph as given. `progress`
  // counts epochs.
  Objective objective(std::span<const LambdaDraw> draws, const Mode& mode,
                      const Progress& progress);

  PartScores validate(const GraphWeights& graphs, Ranks ranks);
  Prediction predict(const GraphWeights& graphs, std::span<const int32_t> rows, const Poll& poll);
  // Adds what the network predicts for the rows of a view, as one part of `share` of a mean.
  void predict(const FamilyView& view, const GraphWeights& graphs, double share, Expectation& into,
               const Poll& poll) const;
  // The same for each graph alone.
  using Expectations = std::vector<std::unique_ptr<Expectation>>;
  void predict_each(const FamilyView& view, const GraphWeights& graphs, double share,
                    const Expectations& into, const Poll& poll) const;
  // Any network of this shape sees the rows so.
  View view_of(std::span<const int32_t> rows) const;
  Average average() const { return options_.average; }

 private:
  using Forward = at::Tensor (Network::*)(const GraphBatch&, const at::Tensor&, const Mode&) const;
  // What is wanted of the outputs [k, rows, width] of the next k graphs: [k, ..].
  using OfOutputs = std::function<at::Tensor(const at::Tensor& outputs)>;

  void evaluate(const FamilyView& view, std::span<const int64_t> lam_ids,
                const FamilyView::Take& take, const Poll& poll,
                Forward forward = &Network::forward) const;
  at::Tensor judge(std::span<const int64_t> lam_ids, const OfOutputs& of, const Poll& poll);
  Prediction finished(const Expectation& mean, std::span<const int32_t> rows) const;
  const View& evidence_view();
  const View& validation_view();
  std::vector<int32_t> evidence_rows_of(EvidenceKind kind) const;
  // Rows that stand for all of these where a graph is large.
  std::vector<int32_t> judged(const std::vector<int32_t>& rows, uint64_t number) const;
  // As they are judged: with all neighbours, or with so many of each where these are too many.
  View judged_view(std::span<const int32_t> rows) const;
  int64_t judged_neighbours() const;
  bool fits(std::span<const int32_t> rows) const;
  int64_t batch_size() const;
  int64_t steps_per_pass() const;
  Work work_in_batches();
  void begin_training();
  std::span<const int32_t> batch_rows(uint64_t step);
  at::Tensor run(const GraphBatch& batch, const Mode& mode) const;
  Objective objective_of_items(std::span<const LambdaDraw> draws, const Mode& mode);
  Objective objective_of_rows(std::span<const LambdaDraw> draws, const Mode& mode,
                              const Progress& progress);
  Objective objective_of_batch(std::span<const LambdaDraw> draws, const Mode& mode,
                               const Progress& progress);

  ProblemParts parts_;
  ProblemOptions options_;
  bool batches_ = false;         // of nodes
  std::vector<int64_t> fanout_;  // none: all neighbours
  // Made when first used.
  std::vector<int32_t> evidence_rows_;
  std::vector<int32_t> validation_rows_;
  View evidence_, train_, validation_;
  TargetRows evidence_target_, train_target_;
  at::Tensor row_weight_;   // [training rows]: 0 of those left out; undefined: none is
  View agreeing_;           // the rows that graphs agree on, when they are to
  at::Tensor train_place_;  // of the training rows among these
  at::Tensor believed_;     // class probabilities [rows, classes] that beliefs_ are made of
  std::shared_ptr<const Beliefs> beliefs_;
  std::shared_ptr<EvidenceLog> log_;
  std::vector<int32_t> order_;  // of the training rows in an epoch
  std::optional<uint64_t> ordered_epoch_;
};

}  // namespace emgnn
