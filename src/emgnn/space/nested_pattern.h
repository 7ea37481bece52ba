// SPDX-License-Identifier: Apache-2.0
// Row by row, the entries that leave and those that enter as λ₁ and λ₂ grow, in the order that
// makes every graph of a nested family a beginning of two lists.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include <emgnn/graph/csr.h>
#include <emgnn/kernels/nested.h>

namespace emgnn {

// What becomes of one entry: it leaves, or enters, at `level` in 0..num_levels; num_levels: never.
struct EntryFate {
  bool enters;
  int32_t level;
  float weight;
};

class NestedPattern {
 public:
  // Entries of `pattern` that never enter are left out.
  NestedPattern(const Csr& pattern, int64_t num_levels,
                const std::function<EntryFate(int64_t entry)>& fate);

  kernels::NestedView view() const;
  // Of the graph that has the entries with leaving level > drop and entering level <= add.
  kernels::NestedCounts counts(int64_t drop, int64_t add) const;

 private:
  int32_t num_rows_, num_cols_;
  std::vector<int32_t> start_ = {0};  // [2 num_rows + 1]
  std::vector<int32_t> col_;
  std::vector<float> val_;              // empty: all ones
  std::vector<int32_t> stay_, arrive_;  // [num_levels, num_rows] lengths of the two beginnings
};

}  // namespace emgnn
