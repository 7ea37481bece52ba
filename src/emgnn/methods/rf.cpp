// SPDX-License-Identifier: Apache-2.0
// A random forest on descriptors and fingerprints of molecules. Its answer is the mean over trees.
#include <ATen/ATen.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <mutex>

#include <emgnn/base/error.h>
#include <emgnn/base/threads.h>
#include <emgnn/learn/forest.h>
#include <emgnn/methods/descriptor_learner.h>

namespace emgnn {

namespace {

struct ForestOptions {
  int64_t trees = 500;
  int64_t min_leaf = 1;
  double split_columns = 0.0;
};

void describe_options(OptionVisitor& visitor, ForestOptions& options) {
  visitor.integer("model.trees", options.trees, 1, 100'000, "trees of the forest");
  visitor.integer("model.min_leaf", options.min_leaf, 1, 1'000'000,
                  "training molecules in a leaf, at least");
  visitor.real("model.split_columns", options.split_columns, 0.0, 1.0,
               "share of the columns that a split chooses from; 0: a third for values, the square "
               "root of their number for classes and labels");
}

// Asks the observer, by one thread at a time.
class StopQuestion {
 public:
  explicit StopQuestion(FitObserver& observer) : observer_(observer) {}

  bool stopped() {
    const std::unique_lock lock(mutex_, std::try_to_lock);
    if (lock && !stopped_ && observer_.stop_requested()) stopped_ = true;
    return stopped_;
  }

 private:
  FitObserver& observer_;
  std::mutex mutex_;
  std::atomic<bool> stopped_ = false;
};

class ForestLearner : public DescriptorLearner {
 public:
  ForestLearner(const LearnerInput& input, const ForestOptions& options)
      : DescriptorLearner(input), options_(options), seed_(input.seed) {}

  void fit(FitObserver& observer) override {
    const ForestData data = forest_data();
    const TreeOptions tree{.min_leaf = options_.min_leaf, .split_columns = split_columns(data)};
    StopQuestion question(observer);
    while (num_trees() < options_.trees) {
      const bool grown = !question.stopped() && grow(data, tree, question);
      if (!grown || observer.checkpoint_due()) observer.on_checkpoint(*this);
      if (!grown)
        throw Interrupted(
            fmt::format("interrupted after {} of {} trees", num_trees(), options_.trees));
    }
  }

  FitSummary summary() const override { return {.epochs = num_trees()}; }

  Prediction predict(std::span<const int32_t> rows, const Poll& poll) override {
    constexpr size_t kNumbers = size_t{1} << 21;
    if (trees_.empty()) throw UsageError("rf knows nothing before it is fitted");
    const size_t per_row = trees_.size() * static_cast<size_t>(width());
    return expectation_of({.of = [&](const FeatureRows& x) { return outputs(x); },
                           .at_once = std::max<size_t>(1, kNumbers / per_row),
                           .average = Average::kProbabilities},
                          rows, poll);
  }

  void visit_state(StateVisitor& visitor) override;

 private:
  int64_t num_trees() const { return static_cast<int64_t>(trees_.size()); }

  ForestData forest_data() const {
    KnownOutputs known = known_outputs();
    return {rows_of(train()), width(), std::move(known.value), std::move(known.weight)};
  }

  int64_t split_columns(const ForestData& data) const {
    const auto columns = static_cast<double>(data.columns().size());
    double count = columns * options_.split_columns;
    if (options_.split_columns == 0.0)
      count = task()->kind() == LabelKind::kValues ? columns / 3.0 : std::sqrt(columns);
    return std::max<int64_t>(1, std::llround(count));
  }

  // Some more trees; false when stopped, and then none.
  bool grow(const ForestData& data, const TreeOptions& options, StopQuestion& question) {
    const int64_t first = num_trees();
    const int64_t count = std::min<int64_t>(2 * num_threads(), options_.trees - first);
    std::vector<std::optional<Tree>> grown(static_cast<size_t>(count));
    const std::function<bool()> stop = [&] { return question.stopped(); };
    parallel_for(count, 1, [&](int64_t begin, int64_t end) {
      for (int64_t k = begin; k < end; ++k)
        grown[static_cast<size_t>(k)] =
            grow_tree(data, options, seed_, static_cast<uint64_t>(first + k), stop);
    });
    if (!std::all_of(grown.begin(), grown.end(), [](const auto& tree) { return tree.has_value(); }))
      return false;
    for (std::optional<Tree>& tree : grown) trees_.push_back(std::move(*tree));
    return true;
  }

  // [trees, rows, width]
  at::Tensor outputs(const FeatureRows& x) const {
    const int64_t n = x.num_rows(), w = width();
    at::Tensor out = at::empty({num_trees(), n, w}, at::kDouble);
    double* data = out.data_ptr<double>();
    parallel_for(n, 16, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        const std::vector<float> row = written_out(x, i);
        for (int64_t k = 0; k < num_trees(); ++k) {
          const Tree& tree = trees_[static_cast<size_t>(k)];
          const float* value = tree.value.data() + tree.leaf(row) * static_cast<size_t>(w);
          std::copy_n(value, w, data + (k * n + i) * w);
        }
      }
    });
    return as_outputs(out);
  }

  static std::vector<float> written_out(const FeatureRows& x, int64_t i) {
    std::vector<float> row(static_cast<size_t>(x.num_cols()));
    std::copy_n(x.dense.begin() + i * x.num_dense, x.num_dense, row.begin());
    for (const auto [e, column] : x.sparse.row(static_cast<int32_t>(i)))
      row[static_cast<size_t>(x.num_dense + column)] = x.sparse.val[static_cast<size_t>(e)];
    return row;
  }

  // What a tree says as outputs of the task. No tree is certain of a class or label, so that an
  // answer which all of them hold impossible still has a logarithm.
  at::Tensor as_outputs(const at::Tensor& says) const {
    constexpr double kDoubt = 1e-3;
    switch (task()->kind()) {
      case LabelKind::kClasses:
        return (says * (1.0 - kDoubt) + kDoubt / static_cast<double>(width())).log();
      case LabelKind::kLabels:
        return at::logit(says * (1.0 - kDoubt) + kDoubt / 2.0);
      default:
        return says;
    }
  }

  ForestOptions options_;
  uint64_t seed_;
  std::vector<Tree> trees_;
};

// The trees end to end.
struct StoredForest {
  std::vector<int64_t> nodes, leaves;  // of each tree
  std::vector<int64_t> column, right;
  at::Tensor threshold, value;  // float32
};

at::Tensor joined(const std::vector<Tree>& trees, std::vector<float> Tree::*part) {
  std::vector<float> all;
  for (const Tree& tree : trees) all.insert(all.end(), (tree.*part).begin(), (tree.*part).end());
  return at::tensor(all, at::kFloat);
}

StoredForest stored(const std::vector<Tree>& trees, int64_t width) {
  StoredForest out;
  for (const Tree& tree : trees) {
    out.nodes.push_back(static_cast<int64_t>(tree.column.size()));
    out.leaves.push_back(static_cast<int64_t>(tree.value.size()) / width);
    out.column.insert(out.column.end(), tree.column.begin(), tree.column.end());
    out.right.insert(out.right.end(), tree.right.begin(), tree.right.end());
  }
  out.threshold = joined(trees, &Tree::threshold);
  out.value = joined(trees, &Tree::value);
  return out;
}

// Whether every path ends in a leaf that is there.
bool is_sound(const Tree& tree, size_t leaves) {
  const auto nodes = static_cast<int32_t>(tree.column.size());
  for (int32_t k = 0; k < nodes; ++k) {
    const int32_t column = tree.column[static_cast<size_t>(k)];
    const int32_t right = tree.right[static_cast<size_t>(k)];
    if (column >= kNumDescriptors + kFingerprintBits) return false;
    if (column < 0 && (right < 0 || static_cast<size_t>(right) >= leaves)) return false;
    if (column >= 0 && (right <= k + 1 || right >= nodes)) return false;
  }
  return nodes > 0;
}

std::vector<Tree> restored(const StoredForest& from, int64_t width, StateVisitor& visitor) {
  const auto wrong = [&] { visitor.fail("forest is damaged"); };
  int64_t nodes = 0, leaves = 0;
  for (size_t t = 0; t < from.nodes.size(); ++t) {
    const bool possible = t < from.leaves.size() && from.nodes[t] > 0 && from.leaves[t] > 0 &&
                          from.nodes[t] <= from.threshold.numel() &&
                          from.leaves[t] <= from.value.numel();
    if (!possible) wrong();
    nodes += from.nodes[t];
    leaves += from.leaves[t];
  }
  const auto size = static_cast<size_t>(nodes);
  if (from.column.size() != size || from.right.size() != size || from.threshold.numel() != nodes ||
      from.value.numel() != leaves * width)
    wrong();
  std::vector<Tree> out;
  const float* threshold = from.threshold.data_ptr<float>();
  const float* value = from.value.data_ptr<float>();
  auto column = from.column.begin(), right = from.right.begin();
  for (size_t t = 0; t < from.nodes.size(); ++t) {
    const int64_t n = from.nodes[t], values = from.leaves[t] * width;
    out.push_back({.column = {column, column + n},
                   .right = {right, right + n},
                   .threshold = {threshold, threshold + n},
                   .value = {value, value + values}});
    column += n;
    right += n;
    threshold += n;
    value += values;
    if (!is_sound(out.back(), static_cast<size_t>(from.leaves[t]))) wrong();
  }
  return out;
}

void ForestLearner::visit_state(StateVisitor& visitor) {
  DescriptorLearner::visit_state(visitor);
  StoredForest forest;
  if (!visitor.reading()) forest = stored(trees_, width());
  visitor.numbers("forest/nodes", forest.nodes);
  visitor.numbers("forest/leaves", forest.leaves);
  visitor.numbers("forest/column", forest.column);
  visitor.numbers("forest/right", forest.right);
  visitor.tensor("forest/threshold", forest.threshold);
  visitor.tensor("forest/value", forest.value);
  if (visitor.reading()) trees_ = restored(forest, width(), visitor);
}

class ForestConfig : public MethodConfig {
 public:
  void describe(OptionVisitor& visitor, const DataFacts& /*facts*/) override {
    describe_options(visitor, options_);
  }
  std::shared_ptr<Learner> learner(const LearnerInput& input) const override {
    return std::make_shared<ForestLearner>(input, options_);
  }

 private:
  ForestOptions options_;
};

}  // namespace

std::unique_ptr<MethodConfig> rf_config(bool /*em*/) { return std::make_unique<ForestConfig>(); }

}  // namespace emgnn
