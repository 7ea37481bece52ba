// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include <emgnn/graph/csr.h>

namespace emgnn {

// Which pairs of nodes are linked, in a form that is fast for random pairs, most of which are not: a
// bit of a table that no link has set says so at once.
class LinkSet {
 public:
  // Of a symmetric matrix.
  explicit LinkSet(Csr graph);

  const Csr& graph() const { return graph_; }
  bool contains(int32_t a, int32_t b) const {
    const uint64_t at = place(a, b);
    return (bits_[at / 64] >> (at % 64) & 1) != 0 && stored(a, b);
  }

 private:
  // The same in both directions, without a branch; multiplicative hashing, by the highest bits.
  uint64_t place(int32_t a, int32_t b) const {
    const auto u = static_cast<uint64_t>(a), v = static_cast<uint64_t>(b);
    return (std::min(u, v) << 32 | std::max(u, v)) * 0x9E3779B97F4A7C15U >> shift_;
  }
  bool stored(int32_t a, int32_t b) const;

  Csr graph_;
  int shift_ = 0;
  std::vector<uint64_t> bits_;  // about 32 for each link
};

}  // namespace emgnn
