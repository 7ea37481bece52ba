// SPDX-License-Identifier: Apache-2.0
// The table of edges of a large graph, cut to what a person looks at.
#pragma once

#include <cstdint>
#include <string>

namespace emgnn {

// edges.csv, and edges-member-K.csv of an ensemble.
inline bool is_edge_table(const std::string& file) { return file.starts_with("edges"); }
inline constexpr int64_t kMostEdgeRows = 100'000;

struct CutTable {
  std::string csv;
  int64_t rows = 0, kept = 0;
};

// At most `most` rows of a table with a column p or weight, in their order: the observed edges with
// the smallest, and the rows of kind "candidate" with the largest. Each has half of the place, and
// what the other does not need. Among equal ones the first stay.
CutTable cut_edge_table(std::string csv, int64_t most);

}  // namespace emgnn
