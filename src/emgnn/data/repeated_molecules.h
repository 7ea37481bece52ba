// SPDX-License-Identifier: Apache-2.0
// Rows of a table that are the same molecule, however each is written.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <emgnn/data/molecule.h>

namespace emgnn {

struct RepeatedMolecules {
  std::vector<int32_t> group;  // [num_molecules], the first row of the same molecule
  int64_t rows = 0;            // that repeat the molecule of an earlier row
  int64_t molecules = 0;       // that have several rows
  int64_t conflicts = 0;       // of those, whose rows disagree about a label that both know
};

RepeatedMolecules find_repeated(const MoleculeTable& table);

// One line; empty where no row repeats another.
std::string note_of(const RepeatedMolecules& repeated);

}  // namespace emgnn
