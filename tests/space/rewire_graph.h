// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <memory>
#include <set>

#include <emgnn/space/rewire.h>
#include "small_graph.h"

namespace emgnn {

// A random undirected graph and random candidates outside it.
inline RewireGraph random_rewire_graph(int32_t num_nodes, size_t num_edges, size_t num_candidates,
                                       uint64_t seed) {
  Rng rng(seed, Stream::kTest, 77);
  std::set<NodePair> edges, candidates;
  const auto draw = [&] {
    const auto a = static_cast<int32_t>(rng.below(static_cast<uint64_t>(num_nodes)));
    const auto b = static_cast<int32_t>(rng.below(static_cast<uint64_t>(num_nodes)));
    return NodePair{std::min(a, b), std::max(a, b)};
  };
  while (edges.size() < num_edges) {
    const NodePair p = draw();
    if (p.u != p.v) edges.insert(p);
  }
  while (candidates.size() < num_candidates) {
    const NodePair p = draw();
    if (p.u != p.v && !edges.contains(p)) candidates.insert(p);
  }
  Coo coo;
  for (const NodePair& p : edges) {
    coo.row.push_back(p.u);
    coo.col.push_back(p.v);
  }
  RewireGraph graph;
  graph.adjacency = symmetrise(csr_from_coo(num_nodes, num_nodes, coo, Duplicates::kKeepFirst));
  graph.candidates.assign(candidates.begin(), candidates.end());
  return graph;
}

inline std::shared_ptr<const RewireFamily> rewire_family(const RewireGraph& graph,
                                                         const RewireOptions& options,
                                                         uint64_t seed, int32_t num_features = 2) {
  std::vector<CandidateEdge> candidates;
  for (const NodePair& pair : graph.candidates) candidates.push_back({pair.u, pair.v, 0.75F});
  TypedGraph typed{.num_nodes = graph.adjacency.num_rows, .relations = {{"edge", graph.adjacency}}};
  return RewireFamily::make(data_of(std::move(typed), num_features), candidates, options, seed);
}

}  // namespace emgnn
