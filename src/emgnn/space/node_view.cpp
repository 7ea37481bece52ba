// SPDX-License-Identifier: Apache-2.0
#include <emgnn/space/node_view.h>

#include <algorithm>

namespace emgnn {

namespace {
// Floats of one layer's activations over all graphs of a tile: about what the last-level cache
// holds.
constexpr int64_t kTileFloats = int64_t{1} << 21;
// Where reading the shared rows takes longest.
constexpr int64_t kLargeTileFloats = int64_t{1} << 25;
}  // namespace

NodeView::NodeView(const Features& features, const std::vector<int32_t>& input_rows,
                   const NetworkNeeds& needs, size_t own_rows)
    : input_(needs.reads_features ? c10::make_intrusive<InputFeatures>(features, input_rows)
                                  : c10::intrusive_ptr<InputFeatures>()) {
  const size_t rows = own_rows > 0 ? own_rows : input_rows.size();
  const int64_t per_graph = std::max<int64_t>(1, static_cast<int64_t>(rows) * needs.widest_layer);
  const int64_t floats = own_rows > 0 ? kLargeTileFloats : kTileFloats;
  tile_ = static_cast<size_t>(std::max<int64_t>(1, floats / per_graph));
}

void NodeView::evaluate(const Graphs& graphs, const Run& run, const Take& take,
                        const Poll& poll) const {
  for (size_t first = 0; first < graphs.lam_ids.size(); first += tile_) {
    if (poll) poll();
    const size_t count = std::min(tile_, graphs.lam_ids.size() - first);
    const Graphs tile{graphs.lam_ids.subspan(first, count), graphs.beliefs};
    take(first, run({.input = input_, .hops = hops(tile)}).unsqueeze(1));
  }
}

GraphBatch NodeView::batch(const Draw& draw) const {
  return {.input = input_,
          .hops = draw.lam_ids.empty() ? observed() : hops({draw.lam_ids, draw.beliefs})};
}

}  // namespace emgnn
