// SPDX-License-Identifier: Apache-2.0
// The grid on a simplex: all ways to write m = parts[0] + .. + parts[ω-1] with whole parts >= 0.
#pragma once

#include <cstdint>
#include <vector>

namespace emgnn {

class SimplexGrid {
 public:
  static constexpr int64_t kMaxPoints = int64_t{1} << 62;

  SimplexGrid(int num_parts,
              int total);  // ω >= 1, m >= 1; UsageError when the grid has 2⁶² points or more

  int num_parts() const { return num_parts_; }
  int total() const { return total_; }
  int64_t size() const { return count(num_parts_, total_); }
  double share_with_part(
      int value) const;  // of the points, those with parts[0] == value; the same for any part

  // Lexicographic order, parts[0] first: for ω = 2, id k has parts (k, m - k).
  std::vector<int> parts(int64_t id) const;
  int64_t id(const std::vector<int>& parts) const;

 private:
  int64_t count(int num_parts, int total) const;  // C(total + num_parts - 1, num_parts - 1)

  int num_parts_;
  int total_;
  std::vector<std::vector<int64_t>> table_;  // [num_parts + 1][total + 1]
};

}  // namespace emgnn
