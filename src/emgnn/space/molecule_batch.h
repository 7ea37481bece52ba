// SPDX-License-Identifier: Apache-2.0
// Molecules under some of their graphs, laid end to end as one block-diagonal graph.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include <emgnn/space/block_hop.h>
#include <emgnn/space/molecule_graphs.h>
#include <emgnn/space/options.h>
#include <emgnn/space/segments.h>

namespace emgnn {

// One molecule under one of its graphs.
struct MoleculeItem {
  int32_t molecule = 0;
  int32_t conformer = 0;
  int32_t level = 0;    // −1: no edges
  float lambda = 0.0F;  // what weights that depend on λ are told
};

struct MoleculeBatchOptions {
  int num_hops = 1;
  Aggregation aggregation = Aggregation::kMean;
  // Neighbouring items of one molecule, with ascending levels, share the rows of the first hop that
  // are the same in both.
  bool share_rows = false;
};

class MoleculeBatch {
 public:
  MoleculeBatch(std::shared_ptr<const MoleculeGraphs> graphs, const Molecules& molecules,
                std::span<const MoleculeItem> items, const MoleculeBatchOptions& options);

  int64_t num_items() const { return num_items_; }
  // The features of the atoms, [num_inputs of hop 0, 74]: once for neighbouring items of a
  // molecule.
  const at::Tensor& atoms() const { return atoms_; }

  // own(h₀) + S h₁ of h = [h₀ | h₁]: h [inputs of the hop, 2 d] -> [outputs of the hop, d].
  at::Tensor filter(const at::Tensor& h, int hop) const;
  // The rows of h that are also output rows of the hop: [inputs, d] -> [outputs, d].
  at::Tensor own(const at::Tensor& h, int hop) const;

  // The output rows of the last hop, by item.
  const Segments& segments() const { return *segments_; }
  // λ of the item that a hop's output row belongs to, [outputs, 1]; not with shared rows.
  const at::Tensor& row_lambda() const;

 private:
  const c10::intrusive_ptr<BlockHop>& at(int hop) const;

  int64_t num_items_;
  at::Tensor atoms_, row_lambda_;
  std::vector<c10::intrusive_ptr<BlockHop>> hops_;
  std::optional<Segments> segments_;
};

}  // namespace emgnn
