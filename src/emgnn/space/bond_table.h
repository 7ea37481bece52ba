// SPDX-License-Identifier: Apache-2.0
// What the entries of molecules' graphs are, as a table with a row for each kind: there are many bonds
// and few kinds of them, and a network of edges computes once per kind.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

#include <emgnn/data/molecule.h>

namespace emgnn {

// The columns of a bond, and one that says that an atom is joined with itself.
inline constexpr int32_t kNumEntryFeatures = kNumBondFeatures + 1;

struct BondTable {
  static constexpr int32_t kNoBond = 0;  // its row is zero
  static constexpr int32_t kSelfLoop = 1;

  at::Tensor rows;  // [kinds, kNumEntryFeatures], all distinct; bonds in ascending order
  std::vector<int32_t> row_of;  // [num_bonds]

  explicit BondTable(const Molecules& molecules);
};

}  // namespace emgnn
