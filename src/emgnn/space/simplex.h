// SPDX-License-Identifier: Apache-2.0
// The grid on a simplex: all ways to write m = parts[0] + .. + parts[ω-1] with whole parts >= 0.
#pragma once

#include <cstdint>
#include <vector>

#include <emgnn/space/parameter_space.h>

namespace emgnn {

class SimplexGrid {
 public:
  static constexpr int64_t kMaxPoints = int64_t{1} << 62;

  SimplexGrid(int num_parts,
              int total);  // ω >= 1, m >= 1; UsageError when the grid has 2⁶² points or more
  // m = 1 / step; UsageError when it is not a whole number.
  static SimplexGrid of_step(size_t num_parts, double step);

  int num_parts() const { return num_parts_; }
  int total() const { return total_; }
  int64_t size() const { return count(num_parts_, total_); }
  double share_with_part(
      int value) const;  // of the points, those with parts[0] == value; the same for any part

  // Lexicographic order, parts[0] first: for ω = 2, id k has parts (k, m - k).
  std::vector<int> parts(int64_t id) const;
  int64_t id(const std::vector<int>& parts) const;

  // What a family whose points are parts / m must know of them.
  LambdaPoint point(int64_t id) const;
  Marginal prior_marginal() const;  // the same for any part
  // 1 / m from one part to another; a move off the grid stays where it is.
  int64_t propose_local(int64_t id, Rng& rng) const;

 private:
  int64_t count(int num_parts, int total) const;  // C(total + num_parts - 1, num_parts - 1)

  int num_parts_;
  int total_;
  std::vector<std::vector<int64_t>> table_;  // [num_parts + 1][total + 1]
};

}  // namespace emgnn
