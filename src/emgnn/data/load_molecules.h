// SPDX-License-Identifier: Apache-2.0
// Tables of molecules by name, or from a user's CSV or SDF file. is_molecule_table (registry.h)
// says which names these are.
#pragma once

#include <filesystem>
#include <string>

#include <emgnn/data/featurise_all.h>
#include <emgnn/data/molecule_rows.h>

namespace emgnn {

struct MoleculeRequest {
  std::string name;                // a name of the list, or a file ending in .csv, .sdf or .sd
  std::filesystem::path data_dir;  // of named ones; empty: default_data_dir()
  std::string task = "auto";       // what the targets are: auto, classes, labels or values
  MoleculeOptions options;
  bool allow_modified = false;  // accept published files that were changed
  bool use_cache = true;
};

// Parsed, featurised and, unless options.conformers.count is 0, with coordinates: from the cache,
// or computed with all threads. Rows that fail are in `rejects`; a DataError when all do.
MoleculeTable load_molecules(const MoleculeRequest& request, const MoleculeObserver& observer = {});

// The rows alone: no chemistry. Published counts are compared unless allow_modified.
MoleculeRows read_molecules(const MoleculeRequest& request);

bool is_molecule_file(const std::string& path);  // .csv, .sdf or .sd, and there

}  // namespace emgnn
