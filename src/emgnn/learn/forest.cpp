// SPDX-License-Identifier: Apache-2.0
#include <emgnn/learn/forest.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include <emgnn/base/error.h>
#include <emgnn/base/rng.h>

namespace emgnn {

size_t Tree::leaf(std::span<const float> row) const {
  size_t node = 0;
  while (column[node] >= 0) {
    const bool left = row[static_cast<size_t>(column[node])] <= threshold[node];
    node = left ? node + 1 : static_cast<size_t>(right[node]);
  }
  return static_cast<size_t>(right[node]);
}

ForestData::ForestData(FeatureRows rows, int64_t width, std::vector<double> target,
                       std::vector<double> weight)
    : x_(std::move(rows)),
      width_(width),
      target_(std::move(target)),
      weight_(std::move(weight)),
      mean_(static_cast<size_t>(width)) {
  const auto n = static_cast<size_t>(num_rows()), w = static_cast<size_t>(width);
  EMGNN_DCHECK(target_.size() == n * w && weight_.size() == n * w);
  for (size_t t = 0; t < w; ++t) {
    double sum = 0.0, known = 0.0;
    for (size_t i = 0; i < n; ++i) {
      sum += weight_[i * w + t] * target_[i * w + t];
      known += weight_[i * w + t];
    }
    if (known > 0.0) mean_[t] = sum / known;
  }
  const auto dense = static_cast<size_t>(x_.num_dense);
  for (size_t c = 0; c < dense; ++c) {
    bool varies = false;
    for (size_t i = 1; i < n; ++i) varies |= x_.dense[i * dense + c] != x_.dense[c];
    if (varies) columns_.push_back(static_cast<int32_t>(c));
  }
  std::vector<std::vector<float>> values(static_cast<size_t>(x_.sparse.num_cols));
  std::vector<size_t> entries(values.size());
  for (size_t e = 0; e < x_.sparse.col.size(); ++e) {
    const auto c = static_cast<size_t>(x_.sparse.col[e]);
    values[c].push_back(x_.sparse.val[e]);
    ++entries[c];
  }
  bucket_begin_.push_back(0);
  for (size_t c = 0; c < values.size(); ++c) {
    std::sort(values[c].begin(), values[c].end());
    values[c].erase(std::unique(values[c].begin(), values[c].end()), values[c].end());
    bucket_value_.insert(bucket_value_.end(), values[c].begin(), values[c].end());
    bucket_begin_.push_back(static_cast<int32_t>(bucket_value_.size()));
    const bool has_zero = entries[c] < n;
    if (values[c].size() + (has_zero ? 1 : 0) > 1)
      columns_.push_back(static_cast<int32_t>(dense + c));
  }
  for (size_t e = 0; e < x_.sparse.col.size(); ++e) {
    const std::vector<float>& own = values[static_cast<size_t>(x_.sparse.col[e])];
    const auto at = std::lower_bound(own.begin(), own.end(), x_.sparse.val[e]) - own.begin();
    entry_bucket_.push_back(bucket_begin_[static_cast<size_t>(x_.sparse.col[e])] +
                            static_cast<int32_t>(at));
  }
}

// Sums over some rows: how many there are, and of each output Σ w and Σ w y.
class Sums {
 public:
  explicit Sums(size_t width) : weight_(width), moment_(width) {}

  void clear() {
    rows_ = 0;
    std::fill(weight_.begin(), weight_.end(), 0.0);
    std::fill(moment_.begin(), moment_.end(), 0.0);
  }
  void add(int64_t rows, const double* weight, const double* moment, double sign = 1.0) {
    rows_ += sign > 0.0 ? rows : -rows;
    for (size_t t = 0; t < weight_.size(); ++t) {
      weight_[t] += sign * weight[t];
      moment_[t] += sign * moment[t];
    }
  }
  void add(const Sums& other, double sign = 1.0) {
    add(other.rows_, other.weight_.data(), other.moment_.data(), sign);
  }

  int64_t rows() const { return rows_; }
  // Σ (Σ w y)² / Σ w: what a constant explains of Σ w y².
  double explained() const {
    double out = 0.0;
    for (size_t t = 0; t < weight_.size(); ++t)
      if (weight_[t] > 0.0) out += moment_[t] * moment_[t] / weight_[t];
    return out;
  }
  // The same of what is left of `whole` without these rows.
  double rest_explained(const Sums& whole) const {
    double out = 0.0;
    for (size_t t = 0; t < weight_.size(); ++t) {
      const double w = whole.weight_[t] - weight_[t], m = whole.moment_[t] - moment_[t];
      if (w > 0.0) out += m * m / w;
    }
    return out;
  }
  double mean(size_t t, double otherwise) const {
    return weight_[t] > 0.0 ? moment_[t] / weight_[t] : otherwise;
  }

 private:
  int64_t rows_ = 0;
  std::vector<double> weight_, moment_;
};

// Of one tree. Weights of rows are whole numbers, so that sums of them are exact.
class TreeGrower {
 public:
  TreeGrower(const ForestData& data, const TreeOptions& options, Rng rng,
             const std::function<bool()>& stop)
      : data_(data),
        options_(options),
        width_(static_cast<size_t>(data.width_)),
        stop_(stop),
        rng_(rng),
        order_(data.columns_),
        whole_(width_),
        left_(width_),
        zero_(width_) {
    const size_t n = static_cast<size_t>(data.num_rows());
    times_.resize(n);
    for (size_t k = 0; k < n; ++k) ++times_[rng_.below(n)];
    for (size_t i = 0; i < n; ++i)
      if (times_[i] > 0) rows_.push_back(static_cast<int32_t>(i));
    weight_.resize(n * width_);
    moment_.resize(n * width_);
    for (size_t k = 0; k < weight_.size(); ++k) {
      weight_[k] = data.weight_[k] * static_cast<double>(times_[k / width_]);
      moment_[k] = weight_[k] * data.target_[k];
    }
    bucket_rows_.resize(data.bucket_value_.size());
    bucket_weight_.resize(data.bucket_value_.size() * width_);
    bucket_moment_.resize(bucket_weight_.size());
    touched_.resize(static_cast<size_t>(data.x_.sparse.num_cols));
  }

  std::optional<Tree> grow() {
    std::vector<Range> waiting = {
        {.begin = 0, .end = rows_.size(), .parent = -1, .mean = data_.mean_}};
    while (!waiting.empty()) {
      if (stop_()) return std::nullopt;
      Range range = std::move(waiting.back());
      waiting.pop_back();
      const auto node = static_cast<int32_t>(tree_.column.size());
      if (range.parent >= 0) tree_.right[static_cast<size_t>(range.parent)] = node;
      sum_up(range);
      const Split split = best_split(range);
      if (stopped_) return std::nullopt;
      if (split.column < 0) {
        add_leaf(range);
        continue;
      }
      tree_.column.push_back(split.column);
      tree_.threshold.push_back(split.threshold);
      tree_.right.push_back(0);
      const size_t middle = divide(range, split);
      waiting.push_back({.begin = middle, .end = range.end, .parent = node, .mean = range.mean});
      waiting.push_back(
          {.begin = range.begin, .end = middle, .parent = -1, .mean = std::move(range.mean)});
    }
    return std::move(tree_);
  }

 private:
  struct Range {
    size_t begin, end;         // of rows_
    int32_t parent;            // whose right child it is; −1: the node before is its parent
    std::vector<double> mean;  // of the outputs; of the parent until it is summed up
  };
  struct Split {
    int32_t column = -1;
    float threshold = 0.0F;
    double explained = 0.0;
  };

  std::span<const int32_t> rows_of(const Range& range) const {
    return std::span(rows_).subspan(range.begin, range.end - range.begin);
  }
  const double* weight(size_t row) const { return weight_.data() + row * width_; }
  const double* moment(size_t row) const { return moment_.data() + row * width_; }

  void sum_up(Range& range) {
    whole_.clear();
    for (int32_t row : rows_of(range)) {
      const auto i = static_cast<size_t>(row);
      whole_.add(times_[i], weight(i), moment(i));
    }
    for (size_t t = 0; t < width_; ++t) range.mean[t] = whole_.mean(t, range.mean[t]);
  }

  void add_leaf(const Range& range) {
    tree_.column.push_back(-1);
    tree_.threshold.push_back(0.0F);
    tree_.right.push_back(static_cast<int32_t>(tree_.value.size() / width_));
    for (double x : range.mean) tree_.value.push_back(static_cast<float>(x));
  }

  // Columns in random order. Those that do not vary in the node count, too, until one that does is
  // found.
  Split best_split(const Range& range) {
    Split best;
    if (whole_.rows() < 2 * options_.min_leaf || is_pure(range)) return best;
    const double before = whole_.explained();
    // What rounding alone may seem to explain.
    best.explained = before + 1e-10 * (std::abs(before) + 1.0);
    fill_buckets(range);
    bool varied = false;
    for (size_t k = 0; k < order_.size(); ++k) {
      if (k >= static_cast<size_t>(options_.split_columns) && varied) break;
      std::swap(order_[k], order_[k + rng_.below(order_.size() - k)]);
      const int32_t column = order_[k];
      if (column < data_.x_.num_dense) {
        if ((stopped_ = stop_())) break;
        varied |= try_dense(range, column, best);
      } else if (touched_[static_cast<size_t>(column - data_.x_.num_dense)] != 0) {
        varied |= try_sparse(column, best);
      }
    }
    empty_buckets(range);
    return best;
  }

  // All known entries of each output are the same.
  bool is_pure(const Range& range) const {
    for (size_t t = 0; t < width_; ++t) {
      const double* first = nullptr;
      for (int32_t row : rows_of(range)) {
        const size_t at = static_cast<size_t>(row) * width_ + t;
        if (weight_[at] == 0.0) continue;
        if (first == nullptr) first = &data_.target_[at];
        if (data_.target_[at] != *first) return false;
      }
    }
    return true;
  }

  // The rows in left_ go left.
  void consider(int32_t column, float low, float high, Split& best) const {
    if (left_.rows() < options_.min_leaf || whole_.rows() - left_.rows() < options_.min_leaf)
      return;
    const double explained = left_.explained() + left_.rest_explained(whole_);
    if (explained <= best.explained) return;
    const float middle = low + (high - low) / 2.0F;
    best = {column, middle < high ? middle : low, explained};
  }

  bool try_dense(const Range& range, int32_t column, Split& best) {
    const auto c = static_cast<size_t>(column), width = static_cast<size_t>(data_.x_.num_dense);
    sorted_.clear();
    for (int32_t row : rows_of(range))
      sorted_.emplace_back(data_.x_.dense[static_cast<size_t>(row) * width + c], row);
    std::sort(sorted_.begin(), sorted_.end());
    if (sorted_.front().first == sorted_.back().first) return false;
    left_.clear();
    for (size_t k = 0; k + 1 < sorted_.size(); ++k) {
      const auto row = static_cast<size_t>(sorted_[k].second);
      left_.add(times_[row], weight(row), moment(row));
      if (sorted_[k].first < sorted_[k + 1].first)
        consider(column, sorted_[k].first, sorted_[k + 1].first, best);
    }
    return true;
  }

  // 0, then the buckets that have rows.
  bool try_sparse(int32_t column, Split& best) {
    const auto c = static_cast<size_t>(column - data_.x_.num_dense);
    zero_.clear();
    zero_.add(whole_);
    present_.clear();
    for (int32_t b = data_.bucket_begin_[c]; b < data_.bucket_begin_[c + 1]; ++b) {
      const auto at = static_cast<size_t>(b);
      if (bucket_rows_[at] == 0) continue;
      present_.push_back(at);
      zero_.add(bucket_rows_[at], &bucket_weight_[at * width_], &bucket_moment_[at * width_], -1.0);
    }
    left_.clear();
    float low = 0.0F;
    const bool has_zero = zero_.rows() > 0;
    if (has_zero) left_.add(zero_);
    for (size_t k = 0; k < present_.size(); ++k) {
      const size_t at = present_[k];
      const float high = data_.bucket_value_[at];
      if (k > 0 || has_zero) consider(column, low, high, best);
      left_.add(bucket_rows_[at], &bucket_weight_[at * width_], &bucket_moment_[at * width_]);
      low = high;
    }
    return present_.size() + (has_zero ? 1 : 0) > 1;
  }

  void fill_buckets(const Range& range) {
    for (int32_t row : rows_of(range)) {
      const auto i = static_cast<size_t>(row);
      for (const auto [e, column] : data_.x_.sparse.row(row)) {
        const auto at = static_cast<size_t>(data_.entry_bucket_[static_cast<size_t>(e)]);
        touched_[static_cast<size_t>(column)] = 1;
        bucket_rows_[at] += times_[i];
        for (size_t t = 0; t < width_; ++t) {
          bucket_weight_[at * width_ + t] += weight(i)[t];
          bucket_moment_[at * width_ + t] += moment(i)[t];
        }
      }
    }
  }

  void empty_buckets(const Range& range) {
    for (int32_t row : rows_of(range)) {
      for (const auto [e, column] : data_.x_.sparse.row(row)) {
        const auto at = static_cast<size_t>(data_.entry_bucket_[static_cast<size_t>(e)]);
        touched_[static_cast<size_t>(column)] = 0;
        bucket_rows_[at] = 0;
        std::fill_n(bucket_weight_.begin() + static_cast<ptrdiff_t>(at * width_), width_, 0.0);
        std::fill_n(bucket_moment_.begin() + static_cast<ptrdiff_t>(at * width_), width_, 0.0);
      }
    }
  }

  float value_at(int32_t row, int32_t column) const {
    if (column < data_.x_.num_dense)
      return data_.x_.dense[static_cast<size_t>(row * data_.x_.num_dense + column)];
    const CsrRow entries = data_.x_.sparse.row(row);
    const auto wanted = static_cast<int32_t>(column - data_.x_.num_dense);
    const auto found = std::lower_bound(entries.col.begin(), entries.col.end(), wanted);
    if (found == entries.col.end() || *found != wanted) return 0.0F;
    return data_.x_.sparse.val[static_cast<size_t>(entries.begin_entry) +
                               static_cast<size_t>(found - entries.col.begin())];
  }

  size_t divide(const Range& range, const Split& split) {
    const auto begin = rows_.begin() + static_cast<ptrdiff_t>(range.begin);
    const auto end = rows_.begin() + static_cast<ptrdiff_t>(range.end);
    const auto middle = std::stable_partition(
        begin, end, [&](int32_t row) { return value_at(row, split.column) <= split.threshold; });
    return static_cast<size_t>(middle - rows_.begin());
  }

  const ForestData& data_;
  TreeOptions options_;
  size_t width_;
  const std::function<bool()>& stop_;
  bool stopped_ = false;
  Rng rng_;
  std::vector<int32_t> order_;           // the columns, shuffled a little more by every node
  std::vector<int64_t> times_;           // [rows] how often each was drawn
  std::vector<double> weight_, moment_;  // [rows, width] w and w y, so many times
  std::vector<int32_t> rows_;            // those drawn; a node has a range of them
  Sums whole_, left_, zero_;
  std::vector<int64_t> bucket_rows_;
  std::vector<double> bucket_weight_, bucket_moment_;  // [buckets, width]
  std::vector<uint8_t> touched_;                       // [sparse columns] some row is not 0
  std::vector<size_t> present_;
  std::vector<std::pair<float, int32_t>> sorted_;
  Tree tree_;
};

std::optional<Tree> grow_tree(const ForestData& data, const TreeOptions& options, uint64_t seed,
                              uint64_t number, const std::function<bool()>& stop) {
  return TreeGrower(data, options, Rng(seed, Stream::kForest, number), stop).grow();
}

}  // namespace emgnn
