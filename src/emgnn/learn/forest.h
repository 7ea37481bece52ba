// SPDX-License-Identifier: Apache-2.0
// Random forests (Breiman 2001) of trees with several outputs. Plain numbers: no LibTorch.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include <emgnn/data/descriptors.h>

namespace emgnn {

// Nodes in the order in which they are reached, left before right: the left child of a split is the
// node behind it.
struct Tree {
  std::vector<int32_t> column;   // [nodes] that a split reads; −1: a leaf
  std::vector<int32_t> right;    // [nodes] the right child; of a leaf its number
  std::vector<float> threshold;  // [nodes] x ≤ threshold goes left
  std::vector<float> value;      // [leaves, width]

  // Of a row that is written out, all columns of it.
  size_t leaf(std::span<const float> row) const;
};

struct TreeOptions {
  int64_t min_leaf = 1;       // rows, those drawn several times counted as often
  int64_t split_columns = 1;  // that a split chooses from, at least one that varies among them
};

// Rows to learn from, each with `width` numbers; weight 0: not known.
class ForestData {
 public:
  ForestData(FeatureRows rows, int64_t width, std::vector<double> target,
             std::vector<double> weight);

  int64_t num_rows() const { return x_.num_rows(); }
  int64_t width() const { return width_; }
  // The columns that vary.
  const std::vector<int32_t>& columns() const { return columns_; }

 private:
  friend class TreeGrower;

  FeatureRows x_;
  int64_t width_;
  std::vector<double> target_, weight_;  // [rows, width]
  std::vector<double> mean_;             // [width] over all rows; 0 where nothing is known
  std::vector<int32_t> columns_;
  // The values other than 0 that a sparse column has, ascending: its buckets.
  std::vector<int32_t> bucket_begin_;  // [sparse columns + 1]
  std::vector<float> bucket_value_;
  std::vector<int32_t> entry_bucket_;  // of each entry of the sparse columns
};

// Grown on as many rows as there are, drawn with replacement. A split is the one that lowers the sum
// of squares the most, summed over the outputs, each of its known entries: for one-hot classes that
// is the Gini impurity. `stop` is asked now and then, by this thread; nothing when it says so.
std::optional<Tree> grow_tree(const ForestData& data, const TreeOptions& options, uint64_t seed,
                              uint64_t number, const std::function<bool()>& stop);

}  // namespace emgnn
