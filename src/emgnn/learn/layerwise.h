// SPDX-License-Identifier: Apache-2.0
// Exact outputs for all nodes of a large graph: one layer after the other, each in tiles of rows, so
// that memory is that of one layer's rows. The same numbers as from receptive fields, up to the order
// in which sums are taken.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include <emgnn/base/size_limits.h>
#include <emgnn/data/dataset.h>
#include <emgnn/models/network.h>
#include <emgnn/space/family.h>

namespace emgnn {

// Rows that are evaluated so; it makes no batches.
class LayerwiseRows : public FamilyView {
 public:
  explicit LayerwiseRows(std::vector<int32_t> rows) : rows_(std::move(rows)) {}
  const std::vector<int32_t>& rows() const { return rows_; }

  void evaluate(const Graphs& graphs, const Run& run, const Take& take,
                const Poll& poll) const override;
  GraphBatch batch(const Draw& draw) const override;

 private:
  std::vector<int32_t> rows_;
};

class Layerwise {
 public:
  Layerwise(const Network& network, const GraphFamily& family, const Features& features,
            const SizeLimits& limits = {});

  // `take` gets the outputs [k, 1, rows, width] of the next k graphs, as FamilyView::evaluate.
  void evaluate(std::span<const int32_t> rows, const FamilyView::Graphs& graphs,
                const FamilyView::Take& take, const Poll& poll) const;

 private:
  using Graphs = FamilyView::Graphs;

  int64_t num_nodes() const { return features_.num_rows; }
  at::Tensor embedded(const Poll& poll) const;
  at::Tensor outputs(const Graphs& graphs, const at::Tensor& embedded, const Poll& poll) const;
  at::Tensor layer(int stage, const Graphs& graphs, const at::Tensor& rows, const Poll& poll) const;
  at::Tensor tile(int stage, const Graphs& graphs, const at::Tensor& rows, int64_t begin,
                  int64_t end) const;
  bool by_ranges(int stage) const;
  int64_t tile_rows(int64_t graphs) const;
  int64_t graphs_at_once(const Graphs& graphs, const at::Tensor& embedded) const;

  const Network& network_;
  const GraphFamily& family_;
  const Features& features_;
  SizeLimits limits_;
};

}  // namespace emgnn
