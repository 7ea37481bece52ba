// SPDX-License-Identifier: Apache-2.0
// Receptive fields in a graph with several relations, cut out of the relations themselves: nothing of
// the size of the whole graph is built beside them. All neighbours, or a random sample of them.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include <emgnn/graph/receptive_field.h>
#include <emgnn/graph/typed_graph.h>

namespace emgnn {

// A hop over the union of the relations and the diagonal; Hop::entry is empty.
struct TypedHop {
  Hop hop;
  // [relations][entries], 0 where a relation has no edge, or where it was not drawn. An edge that was
  // drawn, k of the d of a row, weighs d / k as much: sums over neighbours stay the same on average.
  std::vector<std::vector<float>> weight;
};

// How many neighbours a row reads. They are drawn without replacement, for each relation alone, as a
// function of (seed, step, hop, relation, row).
struct FieldSample {
  // The neighbours of a row, shared out equally to the relations; of the hop into the targets first,
  // the last serves all further hops.
  std::vector<int64_t> fanout;
  uint64_t seed = 0, step = 0;
};

// As receptive_field on the union of the relations. `sample`: null for all neighbours.
std::vector<TypedHop> typed_field(const TypedGraph& graph, std::span<const int32_t> targets,
                                  int num_hops, const FieldSample* sample = nullptr);

// The entries that all hops of such a field would have, repetitions between relations counted; a
// number above `limit` when there are more than that.
int64_t typed_field_entries(const TypedGraph& graph, std::span<const int32_t> targets, int num_hops,
                            int64_t limit);

}  // namespace emgnn
