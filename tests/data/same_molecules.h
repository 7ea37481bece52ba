// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <cstring>

#include <emgnn/data/featurise_all.h>

namespace emgnn::testing {

// Structured bindings: a new field does not compile here until it is compared.
inline void expect_same(const Molecules& a, const Molecules& b) {
  const auto& [conformers, atom_begin, bond_begin, atom_features, bond_atoms, bond_features,
               coordinates, source, force_field, scaffold, smiles, canonical, descriptors,
               bit_begin, bit, bit_count] = a;
  const auto& [conformers2, atom_begin2, bond_begin2, atom_features2, bond_atoms2, bond_features2,
               coordinates2, source2, force_field2, scaffold2, smiles2, canonical2, descriptors2,
               bit_begin2, bit2, bit_count2] = b;
  EXPECT_EQ(conformers, conformers2);
  EXPECT_EQ(atom_begin, atom_begin2);
  EXPECT_EQ(bond_begin, bond_begin2);
  EXPECT_EQ(atom_features, atom_features2);
  EXPECT_EQ(bond_atoms, bond_atoms2);
  EXPECT_EQ(bond_features, bond_features2);
  EXPECT_EQ(coordinates, coordinates2);
  EXPECT_EQ(source, source2);
  EXPECT_EQ(force_field, force_field2);
  EXPECT_EQ(scaffold, scaffold2);
  EXPECT_EQ(smiles, smiles2);
  EXPECT_EQ(canonical, canonical2);
  // Bits: one that is not known equals itself.
  ASSERT_EQ(descriptors.size(), descriptors2.size());
  EXPECT_EQ(
      std::memcmp(descriptors.data(), descriptors2.data(), descriptors.size() * sizeof(float)), 0);
  EXPECT_EQ(bit_begin, bit_begin2);
  EXPECT_EQ(bit, bit2);
  EXPECT_EQ(bit_count, bit_count2);
}

inline void expect_same(const FeaturisedMolecules& a, const FeaturisedMolecules& b) {
  const auto& [molecules, reject] = a;
  const auto& [molecules2, reject2] = b;
  expect_same(molecules, molecules2);
  EXPECT_EQ(reject, reject2);
}

// A field that is empty would come back equal even where it is not stored.
inline void expect_no_field_empty(const FeaturisedMolecules& featurised) {
  const auto& [molecules, reject] = featurised;
  EXPECT_FALSE(reject.empty());
  const auto& [conformers, atom_begin, bond_begin, atom_features, bond_atoms, bond_features,
               coordinates, source, force_field, scaffold, smiles, canonical, descriptors,
               bit_begin, bit, bit_count] = molecules;
  EXPECT_NE(conformers, 0);
  const auto none = [](const auto& values) { return values.empty(); };
  EXPECT_FALSE(atom_begin == Molecules{}.atom_begin || bond_begin == Molecules{}.bond_begin);
  EXPECT_FALSE(none(atom_features) || none(bond_atoms) || none(bond_features));
  EXPECT_FALSE(none(coordinates) || none(source) || none(force_field));
  EXPECT_FALSE(none(scaffold) || none(smiles) || none(canonical));
  EXPECT_FALSE(none(descriptors) || none(bit) || none(bit_count));
  EXPECT_FALSE(bit_begin == Molecules{}.bit_begin);
}

}  // namespace emgnn::testing
