// SPDX-License-Identifier: Apache-2.0
// What the entries of molecules' graphs are, as a table with a row for each kind: there are many entries
// and few kinds of them, and a network of edges computes once per kind. A kind is what joins two atoms,
// a bond of some sort or nothing, and where distances count, how far apart they are, in bins.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

#include <emgnn/data/molecule.h>

namespace emgnn {

// The columns of a bond, and one that says that an atom is joined with itself.
inline constexpr int32_t kNumEntryFeatures = kNumBondFeatures + 1;

// Bins of distances: 0.25 Å wide up to 3 Å, where bonds and angles are told apart, 0.5 Å up to 6 Å and
// 1 Å up to 12 Å; the last is open.
inline constexpr int32_t kNumDistanceBins = 25;
int32_t distance_bin(double distance);
double bin_centre(int32_t bin);

// Columns of a distance d: exp(−(d − μ)² / 2σ²), μ = 0.5, 1, .., 12 Å and σ = 0.5 Å.
inline constexpr int32_t kNumRadial = 24;

class EntryTable {
 public:
  // With distances the columns of a bond are followed by those of the distance at the centre of its bin.
  EntryTable(const Molecules& molecules, bool distances);

  const at::Tensor& rows() const { return rows_; }  // [kinds, features], all distinct
  // Of two atoms, joined by a bond of the molecules or by none (−1); of an atom with itself.
  int32_t kind(int32_t bond, int32_t bin) const;
  int32_t self_loop() const { return num_bins_; }

 private:
  int32_t num_bins_;           // 1 without distances
  std::vector<int32_t> sort_;  // [num_bonds] the number of its features among the distinct ones
  at::Tensor rows_;  // no bond, the atom itself, then the bonds with features in ascending order
};

}  // namespace emgnn
