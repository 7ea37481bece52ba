// SPDX-License-Identifier: Apache-2.0
// A tree against the same tree from its definition: every threshold of every column tried.
#include <emgnn/learn/forest.h>

#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include <emgnn/base/rng.h>

namespace emgnn {
namespace {

struct Rows {
  FeatureRows x;
  std::vector<std::vector<float>> written_out;
  int64_t width;
  std::vector<double> y, weight;
};

Rows random_rows(int32_t n, int64_t width, double unknown, uint64_t seed) {
  constexpr int32_t kDense = 4, kSparse = 12;
  Rng rng(seed, Stream::kTest);
  Rows out{.width = width};
  out.x.num_dense = kDense;
  out.x.sparse = {.num_rows = n, .num_cols = kSparse};
  for (int32_t i = 0; i < n; ++i) {
    std::vector<float> row;
    for (int32_t c = 0; c < kDense; ++c) {
      // Few values, so that there are ties; the last column does not vary.
      row.push_back(c + 1 == kDense ? 3.0F : static_cast<float>(rng.below(c == 0 ? 1000 : 6)));
    }
    out.x.dense.insert(out.x.dense.end(), row.begin(), row.end());
    for (int32_t c = 0; c < kSparse; ++c) {
      const auto count = static_cast<float>(rng.below(10) < 7 && c > 0 ? 0 : 1 + rng.below(3));
      row.push_back(count);
      if (count == 0.0F) continue;
      out.x.sparse.col.push_back(c);
      out.x.sparse.val.push_back(count);
    }
    out.x.sparse.rowptr.push_back(static_cast<int32_t>(out.x.sparse.col.size()));
    for (int64_t t = 0; t < width; ++t) {
      const bool known = rng.uniform() >= unknown;
      out.y.push_back(known ? std::round(8.0 * rng.normal() + row[0] / 100 + 4 * row[5]) : 0.0);
      out.weight.push_back(known ? 1.0 : 0.0);
    }
    out.written_out.push_back(row);
  }
  return out;
}

ForestData data_of(const Rows& rows) { return {rows.x, rows.width, rows.y, rows.weight}; }

const std::function<bool()> kGoOn = [] { return false; };

// The rows that the tree of this number is grown on.
std::vector<int64_t> drawn(size_t n, uint64_t seed, uint64_t number) {
  Rng rng(seed, Stream::kForest, number);
  std::vector<int64_t> times(n);
  for (size_t k = 0; k < n; ++k) ++times[rng.below(n)];
  return times;
}

// Grows by the definition and walks the tree beside it. With all columns to choose from, the order
// in which they are tried decides only between equals: the sums of squares must agree.
class Definition {
 public:
  Definition(const Rows& rows, std::vector<int64_t> times, int64_t min_leaf)
      : rows_(rows), times_(std::move(times)), min_leaf_(min_leaf) {}

  void check(const Tree& tree) const {
    std::vector<size_t> all;
    for (size_t i = 0; i < times_.size(); ++i)
      if (times_[i] > 0) all.push_back(i);
    size_t end = check(tree, 0, all);
    EXPECT_EQ(end, tree.column.size());
  }

 private:
  double squares(const std::vector<size_t>& rows) const {
    double out = 0.0;
    for (int64_t t = 0; t < rows_.width; ++t) {
      double n = 0.0, sum = 0.0;
      const auto at = [&](size_t i) {
        return i * static_cast<size_t>(rows_.width) + static_cast<size_t>(t);
      };
      for (size_t i : rows) {
        n += static_cast<double>(times_[i]) * rows_.weight[at(i)];
        sum += static_cast<double>(times_[i]) * rows_.weight[at(i)] * rows_.y[at(i)];
      }
      if (n == 0.0) continue;
      for (size_t i : rows) {
        const double off = rows_.y[at(i)] - sum / n;
        out += static_cast<double>(times_[i]) * rows_.weight[at(i)] * off * off;
      }
    }
    return out;
  }
  int64_t count(const std::vector<size_t>& rows) const {
    int64_t out = 0;
    for (size_t i : rows) out += times_[i];
    return out;
  }
  void divide(const std::vector<size_t>& rows, size_t column, float threshold,
              std::vector<size_t>& left, std::vector<size_t>& right) const {
    for (size_t i : rows) (rows_.written_out[i][column] <= threshold ? left : right).push_back(i);
  }
  double best(const std::vector<size_t>& rows) const {
    double out = squares(rows);
    for (size_t c = 0; c < rows_.written_out.front().size(); ++c) {
      std::set<float> values;
      for (size_t i : rows) values.insert(rows_.written_out[i][c]);
      for (float threshold : values) {
        std::vector<size_t> left, right;
        divide(rows, c, threshold, left, right);
        if (count(left) < min_leaf_ || count(right) < min_leaf_) continue;
        out = std::min(out, squares(left) + squares(right));
      }
    }
    return out;
  }
  // Returns the node behind the last one below `node`.
  size_t check(const Tree& tree, size_t node, const std::vector<size_t>& rows) const {
    const double whole = squares(rows), reachable = best(rows);
    const double tolerance = 1e-8 * (whole + 1.0);
    if (tree.column[node] < 0) {
      EXPECT_NEAR(reachable, whole, tolerance) << "a leaf that could be split";
      check_values(tree, node, rows);
      return node + 1;
    }
    std::vector<size_t> left, right;
    divide(rows, static_cast<size_t>(tree.column[node]), tree.threshold[node], left, right);
    EXPECT_GE(count(left), min_leaf_);
    EXPECT_GE(count(right), min_leaf_);
    EXPECT_NEAR(squares(left) + squares(right), reachable, tolerance);
    const size_t behind = check(tree, node + 1, left);
    EXPECT_EQ(static_cast<size_t>(tree.right[node]), behind);
    return check(tree, behind, right);
  }
  void check_values(const Tree& tree, size_t node, const std::vector<size_t>& rows) const {
    const auto width = static_cast<size_t>(rows_.width);
    for (size_t t = 0; t < width; ++t) {
      double n = 0.0, sum = 0.0;
      for (size_t i : rows) {
        n += static_cast<double>(times_[i]) * rows_.weight[i * width + t];
        sum +=
            static_cast<double>(times_[i]) * rows_.weight[i * width + t] * rows_.y[i * width + t];
      }
      const float got = tree.value[static_cast<size_t>(tree.right[node]) * width + t];
      EXPECT_TRUE(std::isfinite(got));
      if (n > 0.0) {
        EXPECT_FLOAT_EQ(got, static_cast<float>(sum / n));
      }
    }
    for (size_t i : rows)
      EXPECT_EQ(tree.leaf(rows_.written_out[i]), static_cast<size_t>(tree.right[node]));
  }

  const Rows& rows_;
  std::vector<int64_t> times_;
  int64_t min_leaf_;
};

TEST(Tree, IsTheDefinitionWithOneTargetSeveralAndMissingEntries) {
  for (const auto& [width, unknown, min_leaf] :
       std::vector<std::tuple<int64_t, double, int64_t>>{{1, 0.0, 1}, {3, 0.4, 1}, {2, 0.0, 4}}) {
    const Rows rows = random_rows(60, width, unknown, 3);
    for (uint64_t number : {0, 1, 2}) {
      SCOPED_TRACE(number);
      const auto tree =
          grow_tree(data_of(rows), {.min_leaf = min_leaf, .split_columns = 100}, 9, number, kGoOn);
      ASSERT_TRUE(tree.has_value());
      EXPECT_GT(tree->column.size(), 5U);
      Definition(rows, drawn(60, 9, number), min_leaf).check(*tree);
    }
  }
}

TEST(Tree, LeavesOutColumnsThatDoNotVary) {
  const Rows rows = random_rows(60, 1, 0.0, 3);
  const ForestData data = data_of(rows);
  EXPECT_EQ(data.columns().size(), 15U);  // of 16, one is the same for all
  for (int32_t c : data.columns()) EXPECT_NE(c, 3);
}

TEST(Tree, SplitsAsLongAsThereIsAColumnThatVaries) {
  const Rows rows = random_rows(60, 1, 0.0, 3);
  const auto tree = grow_tree(data_of(rows), {.split_columns = 1}, 9, 0, kGoOn);
  const std::vector<int64_t> times = drawn(60, 9, 0);
  for (size_t i = 0; i < times.size(); ++i) {
    if (times[i] == 0) continue;
    // The first column tells nearly all rows apart: each ends alone or among its equals.
    EXPECT_EQ(tree->value[tree->leaf(rows.written_out[i])], static_cast<float>(rows.y[i])) << i;
  }
}

TEST(Tree, ChoosesAmongSomeColumnsByItsNumberAlone) {
  const Rows rows = random_rows(80, 1, 0.0, 4);
  const auto grow = [&](uint64_t seed, uint64_t number) {
    return grow_tree(data_of(rows), {.split_columns = 3}, seed, number, kGoOn)->column;
  };
  EXPECT_EQ(grow(1, 5), grow(1, 5));
  EXPECT_NE(grow(1, 5), grow(1, 6));
  EXPECT_NE(grow(1, 5), grow(2, 5));
}

TEST(Tree, StopsWhenAsked) {
  const Rows rows = random_rows(60, 1, 0.0, 3);
  int asked = 0;
  const std::function<bool()> stop = [&] { return ++asked == 3; };
  EXPECT_FALSE(grow_tree(data_of(rows), {.split_columns = 5}, 9, 0, stop).has_value());
  EXPECT_EQ(asked, 3);
}

}  // namespace
}  // namespace emgnn
