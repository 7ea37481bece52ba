// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <emgnn/base/rng.h>
#include <emgnn/graph/typed_graph.h>

namespace emgnn {

// A random typed graph; relations may overlap and carry weights.
inline TypedGraph small_graph(int32_t num_nodes, int num_relations, int num_edges, uint64_t seed) {
  TypedGraph graph{.num_nodes = num_nodes};
  for (int t = 0; t < num_relations; ++t) {
    Rng rng(seed, Stream::kTest, static_cast<uint64_t>(t));
    Coo coo;
    for (int e = 0; e < num_edges; ++e) {
      coo.row.push_back(static_cast<int32_t>(rng.below(static_cast<uint64_t>(num_nodes))));
      coo.col.push_back(static_cast<int32_t>(rng.below(static_cast<uint64_t>(num_nodes))));
      coo.val.push_back(static_cast<float>(1 + rng.below(3)));
    }
    const Csr a = csr_from_coo(num_nodes, num_nodes, coo, Duplicates::kKeepMax);
    graph.relations.push_back(
        {std::string(1, static_cast<char>('a' + t)), remove_diagonal(symmetrise(a))});
  }
  return graph;
}

}  // namespace emgnn
