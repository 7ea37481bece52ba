// SPDX-License-Identifier: Apache-2.0
// Molecules that need no file.
#pragma once

#include <string>
#include <vector>

#include <emgnn/data/molecule_rows.h>

namespace emgnn {

// Some four hundred SMILES, all different molecules: chains with one and two functional groups,
// branched chains, substituted rings, and pairs of E and Z alkenes, which differ in geometry alone.
std::vector<std::string> toy_smiles();

// The same as rows. Their labels are measured later: UsageError where columns names a target or a
// split. `dataset` is for the message.
MoleculeRows toy_molecule_rows(const std::string& dataset, const MoleculeColumns& columns);

// R_g² = (1/n) Σ_i |r_i - r̄|² over the atoms of conformer 0, in Å; [num_molecules].
std::vector<double> radius_of_gyration(const Molecules& molecules);

Labels toy_sizes(const Molecules& molecules);     // the value "radius of gyration"
Labels toy_is_large(const Molecules& molecules);  // the label "large": R_g is above the median

}  // namespace emgnn
