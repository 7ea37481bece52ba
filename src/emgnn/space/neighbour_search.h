// SPDX-License-Identifier: Apache-2.0
// Nearest rows by the cosine: of all, or approximately where comparing all pairs would take too long.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include <emgnn/space/unit_rows.h>

namespace emgnn {

// Pairs that do not count as neighbours; null: none.
using SkipPair = std::function<bool(int32_t row, int32_t other)>;

// out[i]: the k rows nearest to row i, the nearest first; ties go to the row with the smaller
// number. Rows with a cosine of 0 or less are nobody's neighbours.
std::vector<std::vector<int32_t>> exact_nearest(const UnitRows& rows, int64_t k,
                                                const SkipPair& skip = {});

struct NeighbourSearch {
  int64_t trees = 6;         // of random hyperplanes
  int64_t leaf = 40;         // rows that a leaf holds at most
  int64_t rounds = 4;        // in which neighbours of neighbours are compared
  double least_news = 1e-3;  // a round that changes a smaller share of the entries is the last
};

// out[i]: the k rows nearest to row i that were found, the nearest first; ties as above.
// Time is linear in the rows, up to a logarithm. The same for any number of threads.
std::vector<std::vector<int32_t>> approximate_nearest(const UnitRows& rows, int64_t k,
                                                      const NeighbourSearch& options = {});

// How close two rows are, as a whole number that is smaller for closer ones: cosines that differ by
// rounding alone are equal. 0: not at all.
int64_t distance_rank(double cosine);

}  // namespace emgnn
