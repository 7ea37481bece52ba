// SPDX-License-Identifier: Apache-2.0
// Graphs whose edges carry a type: one square matrix per relation over the same nodes.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <emgnn/graph/csr.h>

namespace emgnn {

struct Relation {
  std::string name;
  Csr adjacency;  // [num_nodes, num_nodes], no self loops
};

struct TypedGraph {
  int32_t num_nodes = 0;
  std::vector<Relation> relations;  // any number >= 1
};

// UsageError without a relation, or where one has another shape or a self loop.
void check_relations(const TypedGraph& graph);

// Entries of the union of all relations and the diagonal, with what each relation has stored there.
struct UnionPattern {
  Csr pattern;                    // no values; every diagonal entry is present
  std::vector<int32_t> diagonal;  // [num_nodes] position of each diagonal entry
  std::vector<std::vector<float>>
      weight;  // [num_relations][num_entries], 0 where the relation has no edge
};
UnionPattern union_pattern(const TypedGraph& graph);

// Of entries of the pattern: the first relation that has each; num_relations for the diagonal.
std::vector<int32_t> entry_types(const UnionPattern& graph, std::span<const int32_t> entries);

// The union of all relations, every edge with weight 1.
Csr joined(const TypedGraph& graph);

// Each relation by the types of the two nodes that its edges join, the row's first: "r:movie-actor"
// and "r:actor-movie", in the order of the types' names. Names say nothing about the rest of the
// graph, so that other graphs have the same. With one type of nodes, or without edges, as it is.
TypedGraph split_by_node_types(const TypedGraph& graph, std::span<const int32_t> node_type,
                               std::span<const std::string> type_names);

}  // namespace emgnn
