// SPDX-License-Identifier: Apache-2.0
// A graph with features, labels and splits in one binary file that is mapped into memory instead of
// being read: *.emgnn. docs/data.md describes the layout.
#pragma once

#include <filesystem>
#include <string>

#include <emgnn/data/parsed_dataset.h>

namespace emgnn {

inline constexpr const char* kGraphFileSuffix = ".emgnn";
bool has_graph_file_suffix(const std::filesystem::path& path);

// It appears whole or not at all, in place of an earlier one.
void write_graph_file(const ParsedDataset& parsed, const std::filesystem::path& path);

// The adjacency and the features stay in the file, which is mapped as long as anybody looks at them.
// DataError that says what is wrong: no such file, cut off, damaged, of a later version or of a
// machine with another byte order.
ParsedDataset read_graph_file(const std::filesystem::path& path);

// The entries of its relations, each undirected edge twice: of the header alone.
int64_t graph_file_entries(const std::filesystem::path& path);

}  // namespace emgnn
