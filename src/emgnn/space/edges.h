// SPDX-License-Identifier: Apache-2.0
// The entries of one hop, for networks that compute on edges: attention, gates, edge networks.
#pragma once

#include <ATen/core/Tensor.h>
#include <ATen/core/ivalue.h>

#include <cstdint>
#include <vector>

#include <emgnn/graph/csr.h>

namespace emgnn {

// All graphs of a batch share the pattern; what tells them apart is the weight of each entry.
struct Edges : torch::CustomClassHolder {
  Csr pattern;                // [num_outputs, num_inputs], no values
  Transposed backward;        // of the pattern
  std::vector<int32_t> row;   // [entries] output row
  at::Tensor weight;          // float [num_graphs, entries] of S_λ; 0: the graph has no such edge
  std::vector<int32_t> type;  // [entries] in 0..num_types-1
  int32_t num_types = 1;
  // float [entries, num_types] what each type stores there, where an entry may be of several;
  // undefined: of one, `type`.
  at::Tensor type_weight;
  // [kinds, features] of what an entry may be, all rows distinct, and the row of each entry; undefined
  // and empty: entries have no features.
  at::Tensor feature_table;
  std::vector<int32_t> feature;  // [entries]
  // The graphs are laid end to end in one: a result has no leading axis of graphs.
  bool blocks = false;
  // No graph lacks an entry: operations on entries need not look at `weight`.
  bool whole = false;
  // The pattern is symmetric and so are all values on its entries: it stands for its transpose, and
  // neither `backward` nor `row` is filled.
  bool symmetric = false;

  int64_t num_graphs() const { return weight.size(0); }
  int64_t num_entries() const { return pattern.num_entries(); }

  // Fills `backward` and `row` from the pattern.
  void index();
};

}  // namespace emgnn
