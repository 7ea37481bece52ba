// SPDX-License-Identifier: Apache-2.0
// Molecules under some of their graphs, laid end to end as one block-diagonal graph.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include <emgnn/space/entry_table.h>
#include <emgnn/space/graph_batch.h>
#include <emgnn/space/molecule_graphs.h>
#include <emgnn/space/options.h>

namespace emgnn {

// One molecule under one of its graphs.
struct MoleculeItem {
  int32_t molecule = 0;
  int32_t conformer = 0;
  int32_t level = 0;    // −1: no edges
  float lambda = 0.0F;  // what weights that depend on λ are told
};

struct BatchForm {
  int num_hops = 1;
  // Neighbouring items of one molecule, with ascending levels, share the rows of the first hop that
  // are the same in both.
  bool share_rows = false;
  // All hops are one and the same, from the rows of the items to themselves.
  bool one_hop = false;
};

// The features of some molecules' atoms, end to end.
at::Tensor atom_features(const Molecules& molecules, std::span<const int32_t> some);

// The descriptors of the molecule of each item. UsageError when there are none.
at::Tensor descriptors_of(const Molecules& molecules, std::span<const MoleculeItem> items);

// What all batches of some molecules share.
struct MoleculeParts {
  std::shared_ptr<const Molecules> molecules;
  std::shared_ptr<const MoleculeGraphs> graphs;
  std::shared_ptr<const EntryTable> kinds;
  Aggregation aggregation = Aggregation::kMean;
};

// UsageError without items. With shared rows the batch has no row_lambda.
GraphBatch molecule_batch(const MoleculeParts& parts, std::span<const MoleculeItem> items,
                          const BatchForm& form);

}  // namespace emgnn
