// SPDX-License-Identifier: Apache-2.0
// Files of molecules as text, before RDKit sees them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <emgnn/data/molecule.h>
#include <emgnn/data/rdkit_featurise.h>

namespace emgnn {

struct MoleculeRows {
  std::string target_name;           // empty: no target
  std::vector<MoleculeInput> input;  // [num_rows]
  std::vector<int64_t> row;          // [num_rows], number of the record, from 1
  std::vector<double> target;        // [num_rows], or empty
  std::vector<int8_t> part;          // [num_rows], or empty
  std::vector<Reject> rejects;       // records without a structure or without a target

  int64_t num_records() const { return static_cast<int64_t>(input.size() + rejects.size()); }
};

// A target that is no number, a part that is none and a column that is missing are DataErrors with
// the line; an empty target or structure is a reject.
MoleculeRows read_molecule_csv(std::string_view text, const std::string& file,
                               const MoleculeColumns& columns);
MoleculeRows read_molecule_sdf(std::string_view text, const std::string& file,
                               const MoleculeColumns& columns);

}  // namespace emgnn
