// SPDX-License-Identifier: Apache-2.0
// Made-up molecules, and their graphs as dense matrices, from the definitions.
#pragma once

#include <ATen/ATen.h>

#include <limits>

#include <emgnn/base/rng.h>
#include <emgnn/data/molecule.h>
#include <emgnn/space/options.h>

namespace emgnn {

// Descriptors, the last of which is the same for all and the first not always known, and a few
// bits.
inline void add_random_descriptors(Molecules& all, uint64_t seed) {
  Rng rng(seed, Stream::kTest, 1);
  for (int64_t m = 0; m < all.num_molecules(); ++m) {
    for (int32_t d = 0; d < kNumDescriptors; ++d)
      all.descriptors.push_back(d + 1 == kNumDescriptors ? 2.0F
                                                         : static_cast<float>(10.0 * rng.normal()));
    if (m % 5 == 3)
      all.descriptors[static_cast<size_t>(m) * size_t{kNumDescriptors}] =
          std::numeric_limits<float>::quiet_NaN();
    for (int32_t b = 0; b < kFingerprintBits; b += 64) {
      if (rng.below(3) > 0) continue;
      all.bit.push_back(static_cast<uint16_t>(b));
      all.bit_count.push_back(static_cast<uint16_t>(1 + rng.below(3)));
    }
    all.bit_begin.push_back(static_cast<int64_t>(all.bit.size()));
  }
}

// Chains of 2 to 9 atoms at random places; molecule 1 is a single atom.
inline Molecules random_molecules(int64_t count, int64_t conformers, uint64_t seed) {
  Rng rng(seed, Stream::kTest);
  Molecules all;
  all.num_conformers = conformers;
  for (int64_t m = 0; m < count; ++m) {
    const auto atoms = m == 1 ? 1 : static_cast<int32_t>(2 + rng.below(8));
    all.atom_begin.push_back(all.num_atoms() + atoms);
    for (int32_t a = 0; a + 1 < atoms; ++a) all.bond_atoms.insert(all.bond_atoms.end(), {a + 1, a});
    all.bond_begin.push_back(all.num_bonds() + atoms - 1);
  }
  for (int64_t k = 0; k < all.num_atoms() * kNumAtomFeatures; ++k)
    all.atom_features.push_back(static_cast<float>(rng.uniform(-1.0, 1.0)));
  for (int64_t k = 0; k < conformers * all.num_atoms() * 3; ++k)
    all.coordinates.push_back(static_cast<float>(rng.uniform(-2.5, 2.5)));
  for (int64_t k = 0; k < all.num_bonds() * kNumBondFeatures; ++k)
    all.bond_features.push_back(static_cast<float>(rng.uniform(-1.0, 1.0)));
  add_random_descriptors(all, seed);
  return all;
}

// A of the atoms at most `radius` apart, float64.
inline at::Tensor distance_adjacency(const Molecules& molecules, int64_t molecule,
                                     int64_t conformer, double radius) {
  const auto xyz = molecules.coordinates_of(molecule, conformer);
  const int64_t n = molecules.num_atoms(molecule);
  const at::Tensor x =
      at::from_blob(const_cast<float*>(xyz.data()), {n, 3}, at::kFloat).to(at::kDouble);
  const at::Tensor distance = (x.unsqueeze(1) - x.unsqueeze(0)).square().sum(2).sqrt();
  return distance.le(radius).to(at::kDouble) - at::eye(n, at::kDouble);
}

inline at::Tensor bond_adjacency(const Molecules& molecules, int64_t molecule) {
  const int64_t n = molecules.num_atoms(molecule);
  at::Tensor a = at::zeros({n, n}, at::kDouble);
  for (int64_t b = molecules.bond_begin[static_cast<size_t>(molecule)];
       b < molecules.bond_begin[static_cast<size_t>(molecule) + 1]; ++b) {
    const int32_t* ends = molecules.bond_atoms.data() + 2 * b;
    a[ends[0]][ends[1]] = a[ends[1]][ends[0]] = 1.0;
  }
  return a;
}

// The bond between two atoms of a molecule, counted over all molecules; -1: none.
inline int32_t bond_between(const Molecules& molecules, int64_t molecule, int32_t a, int32_t b) {
  for (int64_t k = molecules.bond_begin[static_cast<size_t>(molecule)];
       k < molecules.bond_begin[static_cast<size_t>(molecule) + 1]; ++k) {
    const int32_t* ends = molecules.bond_atoms.data() + 2 * k;
    if ((ends[0] == a && ends[1] == b) || (ends[0] == b && ends[1] == a))
      return static_cast<int32_t>(k);
  }
  return -1;
}

// S of an adjacency matrix.
inline at::Tensor molecule_propagation(const at::Tensor& adjacency, const BondOptions& options) {
  const at::Tensor a =
      options.self_loops ? adjacency + at::eye(adjacency.size(0), at::kDouble) : adjacency;
  if (options.aggregation == Aggregation::kSum) return a;
  const at::Tensor degree = a.sum(1).clamp_min(1.0);  // a row of zeros stays one
  if (options.aggregation == Aggregation::kMean) return a / degree.unsqueeze(1);
  if (options.aggregation == Aggregation::kRoot) return a / degree.unsqueeze(1).sqrt();
  return a / (degree.unsqueeze(1) * degree.unsqueeze(0)).sqrt();
}

}  // namespace emgnn
