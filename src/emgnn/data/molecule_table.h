// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace emgnn {

// Molecules with one measured value each; graphs are made of the SMILES elsewhere.
struct MoleculeTable {
  std::string name;
  std::string target_name;          // the column the values come from
  std::vector<std::string> smiles;  // [num_molecules]
  std::vector<double> target;       // [num_molecules]

  size_t num_molecules() const { return smiles.size(); }
};

}  // namespace emgnn
