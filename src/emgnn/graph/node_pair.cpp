// SPDX-License-Identifier: Apache-2.0
#include <emgnn/graph/node_pair.h>

namespace emgnn {

std::vector<NodePair> undirected_edges(const Csr& a) {
  std::vector<NodePair> edges;
  edges.reserve(a.col.size() / 2);
  for (int32_t i = 0; i < a.num_rows; ++i)
    for (const int32_t j : a.row(i).col)
      if (j > i) edges.push_back({i, j});
  return edges;
}

double uniform_of(int32_t u, int32_t v, uint64_t seed, Stream stream, uint32_t substream) {
  const uint64_t step = static_cast<uint64_t>(u) << 32 | static_cast<uint32_t>(v);
  return Rng(seed, stream, step, substream).uniform();
}

std::vector<EdgeChange> edge_changes(const Csr& before, const Csr& after) {
  const std::vector<NodePair> from = undirected_edges(before), to = undirected_edges(after);
  std::vector<EdgeChange> changes;
  auto gone = from.begin(), come = to.begin();
  while (gone != from.end() || come != to.end()) {
    if (come == to.end() || (gone != from.end() && *gone < *come)) {
      changes.push_back({*gone++, false});
    } else if (gone == from.end() || *come < *gone) {
      changes.push_back({*come++, true});
    } else {
      ++gone;
      ++come;
    }
  }
  return changes;
}

}  // namespace emgnn
