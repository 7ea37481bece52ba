// SPDX-License-Identifier: Apache-2.0
// Files of molecules as text, before RDKit sees them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <emgnn/data/chemistry.h>
#include <emgnn/data/molecule.h>

namespace emgnn {

struct MoleculeRows {
  std::vector<MoleculeInput> input;  // [num_rows]
  std::vector<int64_t> row;          // [num_rows], number of the record, from 1
  Labels labels;                     // num_rows rows; kNone: no target was asked for
  std::vector<int8_t> part;          // [num_rows], or empty
  std::vector<Reject> rejects;       // records without a structure or without any target
  std::vector<std::string> notes;    // what was inferred, one line each

  int64_t num_records() const { return static_cast<int64_t>(input.size() + rejects.size()); }
};

// columns.target names one column, or several separated by commas; one that is named like the whole
// text comes first. `task` as in kind_of_task. A target that does not fit the task, a part that is
// none and a column that is missing are DataErrors with the line; a row without a structure or
// without any target is a reject.
MoleculeRows read_molecule_csv(std::string_view text, const std::string& file,
                               const MoleculeColumns& columns, const std::string& task = "auto");
MoleculeRows read_molecule_sdf(std::string_view text, const std::string& file,
                               const MoleculeColumns& columns, const std::string& task = "auto");

}  // namespace emgnn
