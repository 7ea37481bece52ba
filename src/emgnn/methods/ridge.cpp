// SPDX-License-Identifier: Apache-2.0
// Ridge regression on standardised descriptors and fingerprints of molecules. Classes and labels:
// least squares to logits of ±5, at the temperature that is best for rows left out.
#include <ATen/ATen.h>

#include <numeric>
#include <optional>

#include <emgnn/base/error.h>
#include <emgnn/base/threads.h>
#include <emgnn/learn/ridge.h>
#include <emgnn/learn/tasks.h>
#include <emgnn/methods/descriptor_learner.h>

namespace emgnn {

namespace {

class RidgeLearner : public DescriptorLearner {
 public:
  using DescriptorLearner::DescriptorLearner;

  void fit(FitObserver& observer) override {
    if (finished_) return;
    Ridge ridge = make_ridge();
    if (!model_) model_ = ridge.start();
    const auto poll = [&] {
      if (!observer.stop_requested()) return;
      observer.on_checkpoint(*this);
      throw Interrupted(
          fmt::format("interrupted after {} of {} penalties", model_->tried, ridge.num_steps()));
    };
    while (model_->tried < ridge.num_steps()) {
      ridge.step(*model_, poll);
      if (observer.checkpoint_due()) observer.on_checkpoint(*this);
    }
    const auto rows = static_cast<int64_t>(train().size());
    const at::Tensor left_out = at::tensor(model_->left_out).view({1, rows, width()});
    temperature_ = task()->temperatures(left_out, task()->target(train())).front();
    finished_ = true;
  }

  FitSummary summary() const override { return {.epochs = model_ ? model_->tried : 0}; }

  Prediction predict(std::span<const int32_t> rows, const Poll& poll) override {
    constexpr size_t kRows = 4096;
    if (!model_) throw UsageError("ridge knows nothing before it is fitted");
    return expectation_of({.of = [&](const FeatureRows& x) { return outputs(x); },
                           .at_once = kRows,
                           .average = Average::kLogits,
                           .temperature = temperature_},
                          rows, poll);
  }

  void visit_state(StateVisitor& visitor) override {
    DescriptorLearner::visit_state(visitor);
    visitor.number("temperature", temperature_);
    if (visitor.training()) visitor.flag("ridge/finished", finished_);
    if (!visitor.has("ridge", model_.has_value())) return;
    if (!model_) model_.emplace();
    visitor.number("ridge/tried", model_->tried);
    visitor.numbers("ridge/penalty", model_->penalty);
    visitor.numbers("ridge/intercept", model_->intercept);
    visitor.numbers("ridge/weight", model_->weight);
    const auto outputs = static_cast<size_t>(width());
    if (model_->penalty.size() != outputs || model_->intercept.size() != outputs ||
        model_->weight.size() != outputs * num_columns())
      visitor.fail("ridge/weight is of other outputs or columns");
    if (!visitor.training()) return;
    visitor.numbers("ridge/error", model_->error);
    visitor.numbers("ridge/left_out", model_->left_out);
    if (model_->error.size() != outputs || model_->left_out.size() != outputs * train().size())
      visitor.fail("ridge/left_out is of other rows");
  }

 private:
  static constexpr size_t num_columns() {
    return size_t{kNumDescriptors} + size_t{kFingerprintBits};
  }

  Ridge make_ridge() const {
    KnownOutputs known = known_outputs();
    if (task()->kind() != LabelKind::kValues)
      for (double& y : known.value) y = (2.0 * y - 1.0) * kRightLogit;
    return {rows_of(train()), width(), std::move(known.value), known.weight};
  }

  // [1, rows, width]
  at::Tensor outputs(const FeatureRows& x) const {
    at::Tensor out = at::empty({1, x.num_rows(), width()}, at::kDouble);
    double* data = out.data_ptr<double>();
    parallel_for(x.num_rows(), 16, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        for (int64_t t = 0; t < width(); ++t) {
          const double* weight = model_->weight.data() + static_cast<size_t>(t) * num_columns();
          double sum =
              std::inner_product(weight, weight + x.num_dense, x.dense.begin() + i * x.num_dense,
                                 model_->intercept[static_cast<size_t>(t)]);
          for (const auto [e, column] : x.sparse.row(static_cast<int32_t>(i)))
            sum += weight[x.num_dense + column] * x.sparse.val[static_cast<size_t>(e)];
          data[i * width() + t] = sum;
        }
      }
    });
    return out;
  }

  std::optional<RidgeModel> model_;
  double temperature_ = 1.0;
  bool finished_ = false;
};

class RidgeConfig : public MethodConfig {
 public:
  void describe(OptionVisitor& /*visitor*/, const DataFacts& /*facts*/) override {}
  std::shared_ptr<Learner> learner(const LearnerInput& input) const override {
    return std::make_shared<RidgeLearner>(input);
  }
};

}  // namespace

std::unique_ptr<MethodConfig> ridge_config(bool /*em*/) { return std::make_unique<RidgeConfig>(); }

}  // namespace emgnn
