// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <emgnn/kernels/ranges.h>

namespace emgnn::kernels {

// Piece `piece` of `num_pieces` that cut the rows into about equal numbers of entries and rows;
// entries_before(i) is the number of entries in the rows before row i. A row is never cut: it is
// summed by one thread, in the order of its entries.
template <class EntriesBefore>
Range piece_rows(int64_t num_rows, const EntriesBefore& entries_before, int64_t piece,
                 int64_t num_pieces) {
  const int64_t total = entries_before(num_rows) + num_rows;
  const auto cut = [&](int64_t p) {
    const int64_t target = total * p / num_pieces;
    int64_t lo = 0;
    int64_t hi = num_rows;
    while (lo < hi) {
      const int64_t mid = (lo + hi) / 2;
      if (entries_before(mid) + mid < target) {
        lo = mid + 1;
      } else {
        hi = mid;
      }
    }
    return lo;
  };
  return {cut(piece), piece + 1 == num_pieces ? num_rows : cut(piece + 1)};
}

constexpr int64_t kSerialWork = 1 << 15;  // multiply-adds below which waking threads costs more

constexpr int64_t kLargeWork = int64_t{1}
                               << 28;  // above which it may be interrupted between pieces

}  // namespace emgnn::kernels
