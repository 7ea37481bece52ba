// SPDX-License-Identifier: Apache-2.0
// Label propagation (Zhou et al. 2004): F ← α S F + (1 − α) Y, with Y the classes of the training
// nodes. No features, no weights, no gradient.
#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>

#include <emgnn/base/error.h>
#include <emgnn/methods/family_options.h>

namespace emgnn {

namespace {

struct LabelPropagationOptions {
  GraphOptions graph;
  double alpha = 0.9;
  int64_t iterations = 50;
};

void describe_options(OptionVisitor& visitor, LabelPropagationOptions& options) {
  describe(visitor, options.graph);
  visitor.real("model.alpha", options.alpha, 0.0, 0.999999,
               "how much of a node's answer comes from its neighbours in each iteration");
  visitor.integer("model.iterations", options.iterations, 1, 1'000'000,
                  "how often the answers are passed on");
}

class LabelPropagation : public Learner {
 public:
  LabelPropagation(const LearnerInput& input, const LabelPropagationOptions& options)
      : data_(input.data),
        family_(make_family({.graph = options.graph}, input, {})),
        options_(options) {
    EMGNN_CHECK(data_->labels().kind == LabelKind::kClasses,
                "label-propagation is for one class per node", name_of(data_->labels().kind));
    if (options.graph.mixing == Mixing::kLearned)
      throw UsageError("space.mixing=learned: label-propagation has no weights to train");
  }

  void fit(FitObserver& observer) override {
    const at::NoGradGuard no_grad;
    const Labels& labels = data_->labels();
    const int64_t n = data_->num_rows(), classes = labels.num_classes();
    at::Tensor start = at::zeros({n, classes}, at::kFloat);
    for (int32_t row : data_->split().train)
      start[row][labels.cls[static_cast<size_t>(row)]] = 1.0F;
    std::vector<int32_t> all(static_cast<size_t>(n));
    for (int32_t i = 0; i < n; ++i) all[static_cast<size_t>(i)] = i;
    const GraphBatch batch =
        family_->view(all, {.num_hops = 1, .widest_layer = classes})->batch({});
    if (iteration_ == 0) scores_ = start;
    while (iteration_ < options_.iterations) {
      const bool stop = observer.stop_requested();
      if (stop || observer.checkpoint_due()) observer.on_checkpoint(*this);
      if (stop)
        throw Interrupted(
            fmt::format("interrupted after {} of {} iterations", iteration_, options_.iterations));
      scores_ = batch.hop(0).apply(scores_)[0] * options_.alpha + start * (1.0 - options_.alpha);
      ++iteration_;
    }
  }

  FitSummary summary() const override { return {.epochs = options_.iterations}; }

  // A node that no training node reaches gets every class alike.
  Prediction predict(std::span<const int32_t> rows, const Poll& /*poll*/) override {
    if (!scores_.defined()) throw UsageError("label-propagation knows nothing before it is fitted");
    Prediction out{.rows = {rows.begin(), rows.end()}, .width = scores_.size(1)};
    const auto score = scores_.accessor<float, 2>();
    for (int32_t row : rows) {
      double sum = 0.0;
      for (int64_t c = 0; c < out.width; ++c) sum += score[row][c];
      for (int64_t c = 0; c < out.width; ++c) {
        const double p = sum > 0.0 ? score[row][c] / sum : 1.0 / static_cast<double>(out.width);
        out.value.push_back(std::log(std::max(p, 1e-12)));
      }
      out.graph_part.push_back(0.0);
      const auto first = out.value.end() - out.width;
      out.noise.push_back(entropy({first, out.value.end()}));
      const auto answer = std::max_element(first, out.value.end()) - out.value.begin();
      out.votes.resize(out.value.size(), 0.0);
      out.votes[static_cast<size_t>(answer)] = 1.0;
    }
    return out;
  }

  void visit_state(StateVisitor& visitor) override {
    if (visitor.has("scores", scores_.defined())) visitor.node_tensor("scores", scores_);
    if (visitor.training()) visitor.number("iteration", iteration_);
  }
  // What it knows is an answer for each node.
  bool has_node_weights() const override { return true; }

 private:
  std::shared_ptr<const Data> data_;
  std::shared_ptr<const GraphFamily> family_;
  LabelPropagationOptions options_;
  int64_t iteration_ = 0;  // done
  at::Tensor scores_;      // F [nodes, classes]
};

class LabelPropagationConfig : public MethodConfig {
 public:
  void describe(OptionVisitor& visitor, const DataFacts& /*facts*/) override {
    describe_options(visitor, options_);
  }
  std::shared_ptr<Learner> learner(const LearnerInput& input) const override {
    return std::make_shared<LabelPropagation>(input, options_);
  }

 private:
  LabelPropagationOptions options_;
};

}  // namespace

std::unique_ptr<MethodConfig> label_propagation_config(bool /*em*/) {
  return std::make_unique<LabelPropagationConfig>();
}

}  // namespace emgnn
