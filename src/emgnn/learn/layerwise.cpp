// SPDX-License-Identifier: Apache-2.0
#include <emgnn/learn/layerwise.h>

#include <ATen/ATen.h>

#include <algorithm>
#include <numeric>

#include <emgnn/base/error.h>
#include <emgnn/base/threads.h>

namespace emgnn {

namespace {

std::vector<int32_t> range(int64_t begin, int64_t end) {
  std::vector<int32_t> out(static_cast<size_t>(end - begin));
  std::iota(out.begin(), out.end(), static_cast<int32_t>(begin));
  return out;
}

// Rows of h [..., nodes, width].
at::Tensor gathered(const at::Tensor& h, std::span<const int32_t> rows) {
  const int64_t width = h.size(-1), block = h.size(-2) * width;
  std::vector<int64_t> shape = h.sizes().vec();
  shape[shape.size() - 2] = static_cast<int64_t>(rows.size());
  at::Tensor out = at::empty(shape, h.options());
  const auto count = static_cast<int64_t>(rows.size());
  for (int64_t g = 0; g * block < h.numel(); ++g) {
    const float* from = h.data_ptr<float>() + g * block;
    float* to = out.data_ptr<float>() + g * count * width;
    parallel_for(count, 1024, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i)
        std::copy_n(from + rows[static_cast<size_t>(i)] * width, width, to + i * width);
    });
  }
  return out;
}

}  // namespace

void LayerwiseRows::evaluate(const Graphs& /*graphs*/, const Run& /*run*/, const Take& /*take*/,
                             const Poll& /*poll*/) const {
  throw InternalError("rows that are run layer by layer have no batches");
}

GraphBatch LayerwiseRows::batch(const Draw& /*draw*/) const {
  throw InternalError("rows that are run layer by layer have no batches");
}

Layerwise::Layerwise(const Network& network, const GraphFamily& family, const Features& features,
                     const SizeLimits& limits)
    : network_(network), family_(family), features_(features), limits_(limits) {
  EMGNN_DCHECK(network.num_stages() > 0);
}

// Its rows stand in the relations themselves, and nothing is asked of single edges.
bool Layerwise::by_ranges(int stage) const {
  if (!network_.needs_no_edges(stage)) return false;
  const int64_t first = 0;
  return family_.range_hop(0, 1, {std::span(&first, 1)}).defined();
}

int64_t Layerwise::tile_rows(int64_t graphs) const {
  const int64_t per_row = std::max<int64_t>(1, graphs + 4) * network_.needs().widest_layer;
  constexpr int64_t kLeast = 1024;
  return std::max(kLeast, limits_.tile_floats / per_row);
}

// What is kept between two layers: rows that are prepared for the next one, old and new.
int64_t Layerwise::graphs_at_once(const Graphs& graphs, const at::Tensor& embedded) const {
  constexpr int64_t kMostAtOnce = 16, kLook = 16;
  const at::Tensor made = tile(0, {graphs.lam_ids.subspan(0, 1), graphs.beliefs}, embedded, 0,
                               std::min(kLook, num_nodes()));
  int64_t widest = made.size(-1);
  if (network_.num_stages() > 2) widest = std::max(widest, network_.needs().widest_layer);
  return std::clamp<int64_t>(limits_.state_floats / (2 * widest * num_nodes()), 1, kMostAtOnce);
}

// X W, tile by tile: the features are never copied as a whole, nor is what they become, be they few.
at::Tensor Layerwise::embedded(const Poll& poll) const {
  at::Tensor out;
  const int64_t per_row = features_.num_cols + network_.needs().widest_layer;
  const int64_t step = std::max<int64_t>(1024, limits_.tile_floats / std::max<int64_t>(1, per_row));
  for (int64_t begin = 0; begin < num_nodes(); begin += step) {
    if (poll) poll();
    const int64_t end = std::min(num_nodes(), begin + step);
    const at::Tensor part =
        network_.embed(c10::make_intrusive<InputFeatures>(features_, range(begin, end)), {});
    if (!out.defined()) out = at::empty({num_nodes(), part.size(-1)}, part.options());
    out.narrow(0, begin, end - begin).copy_(part);
  }
  return out;
}

at::Tensor Layerwise::tile(int stage, const Graphs& graphs, const at::Tensor& rows, int64_t begin,
                           int64_t end) const {
  at::Tensor out;
  if (by_ranges(stage)) {
    const auto hop =
        family_.range_hop(static_cast<int32_t>(begin), static_cast<int32_t>(end), graphs);
    out = network_.stage(stage, *hop, rows, {});
  } else {
    NetworkNeeds needs = network_.needs();
    needs.num_hops = 1;
    needs.reads_features = false;
    const std::shared_ptr<const FamilyView> view = family_.view(range(begin, end), needs);
    const auto run = [&](const GraphBatch& batch) {
      const Propagation& hop = batch.hop(0);
      return network_.stage(stage, hop, gathered(rows, hop.input_nodes()), {});
    };
    // One graph of the group at a time; each has its own rows behind the first layer.
    EMGNN_DCHECK(graphs.lam_ids.size() == 1);
    view->evaluate(graphs, run, [&](size_t, const at::Tensor& made) { out = made.squeeze(1); }, {});
  }
  return stage + 1 < network_.num_stages() ? network_.prepare(stage + 1, out, {}) : out;
}

// The rows behind one layer, prepared for the next: [graphs, nodes, width].
at::Tensor Layerwise::layer(int stage, const Graphs& graphs, const at::Tensor& rows,
                            const Poll& poll) const {
  const auto count = static_cast<int64_t>(graphs.lam_ids.size());
  const int64_t step = tile_rows(count);
  at::Tensor out;
  for (int64_t begin = 0; begin < num_nodes(); begin += step) {
    if (poll) poll();
    const int64_t end = std::min(num_nodes(), begin + step);
    const at::Tensor made = tile(stage, graphs, rows, begin, end);
    if (!out.defined()) out = at::empty({count, num_nodes(), made.size(-1)}, made.options());
    out.narrow(1, begin, end - begin).copy_(made);
  }
  return out;
}

at::Tensor Layerwise::outputs(const Graphs& graphs, const at::Tensor& embedded,
                              const Poll& poll) const {
  at::Tensor rows = embedded;
  for (int stage = 0; stage < network_.num_stages(); ++stage)
    rows = layer(stage, graphs, rows, poll);
  return rows;
}

void Layerwise::evaluate(std::span<const int32_t> rows, const Graphs& graphs,
                         const FamilyView::Take& take, const Poll& poll) const {
  const at::NoGradGuard no_grad;
  const at::Tensor first = embedded(poll);
  bool ranges = true;
  for (int s = 0; s < network_.num_stages(); ++s) ranges = ranges && by_ranges(s);
  const auto step = ranges ? static_cast<size_t>(graphs_at_once(graphs, first)) : size_t{1};
  const bool all =
      static_cast<int64_t>(rows.size()) == num_nodes() && std::is_sorted(rows.begin(), rows.end());
  for (size_t g = 0; g < graphs.lam_ids.size(); g += step) {
    const size_t count = std::min(step, graphs.lam_ids.size() - g);
    const at::Tensor out = outputs({graphs.lam_ids.subspan(g, count), graphs.beliefs}, first, poll);
    take(g, (all ? out : gathered(out, rows)).unsqueeze(1));
  }
}

}  // namespace emgnn
