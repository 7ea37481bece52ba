// SPDX-License-Identifier: Apache-2.0
// What can be chosen about a table of molecules.
#pragma once

#include <cstdint>
#include <string>

#include <emgnn/base/options.h>

namespace emgnn {

// Names of the CSV's columns or of the SDF's properties; of SDF records the structure itself is
// read.
struct MoleculeColumns {
  std::string smiles = "smiles";
  std::string target;  // empty: that of the named dataset, else none
  std::string split;   // empty: no column says what a molecule is for
};

struct ConformerOptions {
  int64_t count = 1;  // per molecule; 0: no coordinates
  int64_t seed = 42;  // conformer c is embedded with seed + c
};

struct MoleculeOptions {
  MoleculeColumns columns;
  ConformerOptions conformers;
};
void describe(OptionVisitor& visitor, MoleculeColumns& columns);
void describe(OptionVisitor& visitor, MoleculeOptions& options);

}  // namespace emgnn
