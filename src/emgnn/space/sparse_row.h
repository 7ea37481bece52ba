// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

namespace emgnn {

// One row of a product of sparse matrices: numbers at some of n places.
class SparseRow {
 public:
  explicit SparseRow(int32_t n) : value_(static_cast<size_t>(n)) {}

  void add(int32_t at, double value) {
    double& here = value_[static_cast<size_t>(at)];
    if (here == 0.0) touched_.push_back(at);
    here += value;
  }
  double at(int32_t i) const { return value_[static_cast<size_t>(i)]; }
  const std::vector<int32_t>& touched() const { return touched_; }
  // Ascending, each place once; before, one whose number was 0 in between may be there again.
  void sort() {
    std::sort(touched_.begin(), touched_.end());
    touched_.erase(std::unique(touched_.begin(), touched_.end()), touched_.end());
  }
  // Of the places but one; of equal numbers those that come first.
  void keep_largest(int64_t count, int32_t but) {
    std::vector<int32_t> best = touched_;
    std::erase(best, but);
    const auto kept = std::min(static_cast<size_t>(count), best.size());
    std::partial_sort(best.begin(), best.begin() + static_cast<std::ptrdiff_t>(kept), best.end(),
                      [&](int32_t a, int32_t b) { return at(a) != at(b) ? at(a) > at(b) : a < b; });
    for (size_t i = kept; i < best.size(); ++i) value_[static_cast<size_t>(best[i])] = 0.0;
    best.resize(kept);
    value_[static_cast<size_t>(but)] = 0.0;
    touched_ = std::move(best);
  }
  void clear() {
    for (int32_t i : touched_) value_[static_cast<size_t>(i)] = 0.0;
    touched_.clear();
  }

 private:
  std::vector<double> value_;
  std::vector<int32_t> touched_;
};

}  // namespace emgnn
