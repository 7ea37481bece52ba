// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <emgnn/data/featurise_all.h>

namespace emgnn::testing {

inline void expect_same(const FeaturisedMolecules& a, const FeaturisedMolecules& b) {
  const Molecules &m = a.molecules, &n = b.molecules;
  EXPECT_EQ(m.num_conformers, n.num_conformers);
  EXPECT_EQ(m.atom_begin, n.atom_begin);
  EXPECT_EQ(m.bond_begin, n.bond_begin);
  EXPECT_EQ(m.atom_features, n.atom_features);
  EXPECT_EQ(m.bond_atoms, n.bond_atoms);
  EXPECT_EQ(m.bond_features, n.bond_features);
  EXPECT_EQ(m.coordinates, n.coordinates);
  EXPECT_EQ(m.source, n.source);
  EXPECT_EQ(m.force_field, n.force_field);
  EXPECT_EQ(m.scaffold, n.scaffold);
  EXPECT_EQ(m.smiles, n.smiles);
  EXPECT_EQ(a.reject, b.reject);
}

}  // namespace emgnn::testing
