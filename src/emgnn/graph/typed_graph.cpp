// SPDX-License-Identifier: Apache-2.0
#include <emgnn/graph/typed_graph.h>

#include <algorithm>
#include <map>
#include <utility>

#include <emgnn/base/error.h>

namespace emgnn {

namespace {

void check_relation(const Relation& relation, int32_t num_nodes) {
  const Csr& a = relation.adjacency;
  EMGNN_CHECK(a.num_rows == num_nodes && a.num_cols == num_nodes,
              fmt::format("relation '{}' must be {} x {}", relation.name, num_nodes, num_nodes),
              fmt::format("{} x {}", a.num_rows, a.num_cols));
  for (int32_t i = 0; i < num_nodes; ++i)
    for (const int32_t j : a.row(i).col)
      if (j == i)
        throw UsageError(fmt::format("relation '{}' has a self loop at node {}", relation.name, i));
}

// Of all relations, without values.
Coo entries_of(const TypedGraph& graph) {
  Coo coo;
  for (const Relation& relation : graph.relations) {
    const Csr& a = relation.adjacency;
    for (int32_t i = 0; i < graph.num_nodes; ++i)
      coo.row.insert(coo.row.end(), a.row(i).col.size(), i);
    coo.col.insert(coo.col.end(), a.col.begin(), a.col.end());
  }
  return coo;
}

Csr union_with_diagonal(const TypedGraph& graph) {
  Coo coo = entries_of(graph);
  for (int32_t i = 0; i < graph.num_nodes; ++i) {
    coo.row.push_back(i);
    coo.col.push_back(i);
  }
  return csr_from_coo(graph.num_nodes, graph.num_nodes, coo, Duplicates::kKeepFirst);
}

// What `a` has stored at each entry of a pattern that holds all of a's entries.
std::vector<float> values_on(const Csr& pattern, const Csr& a) {
  std::vector<float> weight(pattern.col.size(), 0.0F);
  for (int32_t i = 0; i < a.num_rows; ++i) {
    int32_t k = pattern.row(i).begin_entry;
    for (const auto [e, j] : a.row(i)) {
      while (pattern.col[size_t(k)] != j) ++k;
      weight[size_t(k)] = a.value(e);
    }
  }
  return weight;
}

}  // namespace

void check_relations(const TypedGraph& graph) {
  EMGNN_CHECK(!graph.relations.empty(), "a typed graph needs at least one relation", 0);
  for (const Relation& relation : graph.relations) check_relation(relation, graph.num_nodes);
}

UnionPattern union_pattern(const TypedGraph& graph) {
  check_relations(graph);
  UnionPattern out;
  out.pattern = union_with_diagonal(graph);
  out.diagonal.reserve(size_t(graph.num_nodes));
  for (int32_t i = 0; i < graph.num_nodes; ++i) {
    for (const auto [e, j] : out.pattern.row(i))
      if (j == i) out.diagonal.push_back(e);
  }
  out.weight.reserve(graph.relations.size());
  for (const Relation& relation : graph.relations)
    out.weight.push_back(values_on(out.pattern, relation.adjacency));
  return out;
}

std::vector<int32_t> entry_types(const UnionPattern& graph, std::span<const int32_t> entries) {
  const auto num_relations = static_cast<int32_t>(graph.weight.size());
  std::vector<int32_t> out;
  out.reserve(entries.size());
  for (const int32_t entry : entries) {
    const bool diagonal = std::binary_search(graph.diagonal.begin(), graph.diagonal.end(), entry);
    int32_t first = diagonal ? num_relations : 0;
    while (first + 1 < num_relations &&
           graph.weight[static_cast<size_t>(first)][static_cast<size_t>(entry)] == 0.0F)
      ++first;
    out.push_back(first);
  }
  return out;
}

Csr joined(const TypedGraph& graph) {
  return csr_from_coo(graph.num_nodes, graph.num_nodes, entries_of(graph), Duplicates::kKeepFirst);
}

TypedGraph split_by_node_types(const TypedGraph& graph, std::span<const int32_t> node_type,
                               std::span<const std::string> type_names) {
  const auto type_of = [&](int32_t node) -> const std::string& {
    return type_names[size_t(node_type[size_t(node)])];
  };
  if (type_names.size() < 2) return graph;
  TypedGraph out{.num_nodes = graph.num_nodes};
  for (const Relation& relation : graph.relations) {
    const Csr& a = relation.adjacency;
    std::map<std::pair<std::string, std::string>, Coo> parts;
    for (int32_t i = 0; i < a.num_rows; ++i) {
      for (const auto [e, j] : a.row(i)) {
        Coo& part = parts[{type_of(i), type_of(j)}];
        part.row.push_back(i);
        part.col.push_back(j);
        part.val.push_back(a.value(e));
      }
    }
    for (const auto& [types, part] : parts) {
      out.relations.push_back(
          {fmt::format("{}:{}-{}", relation.name, types.first, types.second),
           csr_from_coo(graph.num_nodes, graph.num_nodes, part, Duplicates::kKeepFirst)});
    }
  }
  if (out.relations.empty()) return graph;  // no edge at all
  return out;
}

}  // namespace emgnn
