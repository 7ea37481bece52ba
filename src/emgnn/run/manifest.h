// SPDX-License-Identifier: Apache-2.0
// Where results come from: the data, the program and the machine.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include <emgnn/base/context.h>
#include <emgnn/data/data.h>

namespace emgnn {

// SHA-256 of everything in the data that training reads: graph or molecules, features, labels and
// split.
std::string fingerprint(const Data& data);

// {"name", ..., "splits": {...}, "sha256"}: the counts of a graph, undirected edges once, or of a
// table of molecules.
nlohmann::ordered_json describe_data(const Data& data);

// DataError for a name of a class, label, target, edge type, type of nodes, feature or node that is
// not UTF-8: the files of a run cannot hold it.
void check_names(const Data& data);

// {"emgnn", "commit", "compiler", "device", "threads"}
nlohmann::ordered_json describe_program(const Context& context);

}  // namespace emgnn
