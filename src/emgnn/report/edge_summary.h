// SPDX-License-Identifier: Apache-2.0
// What a report shows of edges.csv.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace emgnn {

struct EdgeNote {
  std::string source, target, view;  // view: where the table has one
  bool candidate = false;
  double value = 0.0;       // p, or a weight
  double similarity = 0.0;  // the cosine of a candidate, or the score of an edge; NaN: none
};

struct EdgeSummary {
  bool is_probability = true;  // else the values are weights
  int64_t observed = 0, candidates = 0;
  std::vector<EdgeNote> doubtful;  // observed, the smallest first
  std::vector<EdgeNote> wanted;    // candidates, the largest first
};
EdgeSummary summarise_edges(std::string_view text, const std::string& file);

// A node with the nodes it may be joined with, and what joins these.
struct Neighbourhood {
  std::string centre;
  std::vector<std::string> nodes;  // the neighbours
  std::vector<EdgeNote> edges;     // among the centre and them
  int64_t left_out = 0;            // further neighbours
};
// Of all `asked`, then of the first `most` of `centres` that have an edge. Of each at most `kNeighbours`: observed edges,
// then candidates, those with larger values first.
inline constexpr size_t kNeighbours = 12;
std::vector<Neighbourhood> neighbourhoods(std::string_view text, const std::string& file,
                                          const std::vector<std::string>& asked,
                                          const std::vector<std::string>& centres, size_t most);

}  // namespace emgnn
