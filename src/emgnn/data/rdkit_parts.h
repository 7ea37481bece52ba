// SPDX-License-Identifier: Apache-2.0
// The pieces of rdkit_featurise.cpp; only the rdkit_*.cpp files include this.
#pragma once

#include <GraphMol/GraphMol.h>

#include <string>
#include <vector>

#include <emgnn/data/molecule.h>

namespace emgnn::detail {

void append_features(const RDKit::ROMol& molecule, Molecules& to);  // of atoms and bonds

// Descriptors and a fingerprint of the whole. What RDKit cannot compute is not known.
void append_descriptors(const RDKit::ROMol& molecule, Molecules& to);

// Non-isomeric canonical SMILES of rings, linkers and what is double-bonded to them.
std::string murcko_scaffold(const RDKit::ROMol& molecule);

struct ConformerResult {
  std::vector<float> coordinates;  // [num_atoms, 3]
  CoordinateSource source;
  ForceField force_field = ForceField::kNone;
};
ConformerResult make_conformer(const RDKit::ROMol& molecule, int seed);
ConformerResult given_conformer(const RDKit::ROMol& molecule);

}  // namespace emgnn::detail
