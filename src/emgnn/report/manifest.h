// SPDX-License-Identifier: Apache-2.0
// Where results come from: the data, the program and the machine.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include <emgnn/data/dataset.h>
#include <emgnn/data/molecule.h>

namespace emgnn {

// SHA-256 of everything in a dataset that training reads: graph, features, labels and split.
std::string fingerprint(const Dataset& dataset);

// {"name", "nodes", "edges": {relation: count}, "features", "classes", "splits": {...}, "sha256"},
// undirected edges counted once.
nlohmann::ordered_json describe_data(const Dataset& dataset);

// The same of molecules: atoms, bonds, coordinates, rows, targets and split.
std::string fingerprint(const MoleculeTable& table, const Split& split);

// {"name", "molecules", "rejects", "target", "splits": {...}, "sha256"}
nlohmann::ordered_json describe_data(const MoleculeTable& table, const Split& split);

// {"emgnn", "commit", "compiler", "libtorch", "device", "threads"}
nlohmann::ordered_json describe_program();

}  // namespace emgnn
