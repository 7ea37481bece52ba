// SPDX-License-Identifier: Apache-2.0
#include <emgnn/kernels/edge.h>

#include <algorithm>
#include <vector>

#include <emgnn/base/threads.h>
#include <emgnn/kernels/row_pieces.h>

namespace emgnn::kernels {

namespace {

constexpr int64_t kTileRows = 32;  // rows that meet all graphs in turn

// How a loop over rows and graphs is cut.
enum class Order {
  kGraphs,  // graph by graph, so that one graph's arrays at a time are in the cache
  kTiles,   // a few rows with all graphs in turn: what the graphs share is gathered once
  kSums,    // one thread has a row in all graphs, ascending; few pieces, as each reads them all
};

// Calls body(graph, rows) for all rows of all graphs; `floats` is the work per entry and graph.
template <class Body>
void for_rows(const CsrView& a, int64_t num_graphs, int64_t floats, Order order, const Body& body) {
  if (a.num_rows == 0 || num_graphs == 0 || floats == 0) return;
  const int64_t work = (int64_t{a.rowptr[a.num_rows]} + a.num_rows) * floats * num_graphs;
  const int64_t per_thread = order == Order::kSums ? 1 : 8;
  const int64_t num_pieces = work < kSerialWork ? 1 : per_thread * num_threads();
  const auto piece = [&](int64_t p) {
    return piece_rows(
        a.num_rows, [&](int64_t i) { return int64_t{a.rowptr[i]}; }, p, num_pieces);
  };
  const int64_t num_tasks = order == Order::kGraphs ? num_pieces * num_graphs : num_pieces;
  parallel_for(num_tasks, 1, [&](int64_t begin, int64_t end) {
    for (int64_t task = begin; task < end; ++task) {
      const Range rows = piece(task % num_pieces);
      if (order == Order::kGraphs) {
        body(task / num_pieces, rows);
        continue;
      }
      const int64_t tile = order == Order::kTiles ? kTileRows : a.num_rows;
      for (int64_t i = rows.begin; i < rows.end; i += tile)
        for (int64_t g = 0; g < num_graphs; ++g) body(g, Range{i, std::min(rows.end, i + tile)});
    }
  });
}

// What the rows of one side of the pattern receive; shared: one block, summed over the graphs.
EdgeSum sum_over(const EdgeBatch& batch, bool columns, int64_t row_width, bool shared, float* out) {
  const CsrView& a = columns ? batch.transposed : batch.pattern;
  return {.a = a,
          .entry = columns ? batch.entry : nullptr,
          .weight = batch.weight,
          .heads = batch.heads,
          .out = out,
          .out_stride = shared ? 0 : a.num_rows * row_width};
}

// Calls kernel(graph, rows, accumulate) so that `sum` is complete.
template <class Kernel>
void run_sum(const EdgeSum& sum, int64_t num_graphs, int64_t row_width, const Kernel& kernel) {
  const bool shared = sum.out_stride == 0;
  if (shared && num_graphs == 0) std::fill_n(sum.out, sum.a.num_rows * row_width, 0.0F);
  for_rows(sum.a, num_graphs, row_width, shared ? Order::kSums : Order::kGraphs,
           [&](int64_t g, Range rows) { kernel(g, rows, shared && g > 0); });
}

// Entries of all graphs are cut into chunks whose number does not depend on the threads; each
// chunk has sums of its own.
void sum_by_type(const EdgeBatch& batch, const EdgeScores& scores, const EdgeScoreSlopes& slopes,
                 float* grad_term) {
  constexpr int64_t kChunkEntries = 4096, kMaxChunks = 64, kMaxSums = 1 << 20;
  const int64_t num_entries = batch.pattern.rowptr[batch.pattern.num_rows];
  const int64_t total = batch.num_graphs * num_entries, heads = batch.heads;
  const int64_t table = scores.num_types * heads;
  if (table == 0) return;
  const int64_t chunks =
      std::clamp<int64_t>(std::min(total / kChunkEntries, kMaxSums / table), 1, kMaxChunks);
  std::vector<double> sums(static_cast<size_t>(chunks * table), 0.0);
  parallel_for(chunks, 1, [&](int64_t begin, int64_t end) {
    for (int64_t c = begin; c < end; ++c) {
      for (int64_t k = total * c / chunks; k < total * (c + 1) / chunks; ++k) {
        const int64_t g = k / num_entries, e = k % num_entries;
        const PerGraph& weight = batch.weight;
        if (weight.data != nullptr && weight.data[g * weight.stride + e] == 0.0F) continue;
        double* sum = sums.data() + c * table + scores.type[e] * heads;
        for (int64_t h = 0; h < heads; ++h) {
          const float grad = slopes.grad_out[k * heads + h];
          sum[h] += slopes.out[k * heads + h] > 0.0F ? grad : slopes.slope * grad;
        }
      }
    }
  });
  for (int64_t j = 0; j < table; ++j) {
    double sum = 0.0;
    for (int64_t c = 0; c < chunks; ++c) sum += sums[static_cast<size_t>(c * table + j)];
    grad_term[j] = static_cast<float>(sum);
  }
}

}  // namespace

void edge_scores(const EdgeBatch& batch, const EdgeScores& scores, float* out) {
  const auto kernel = range_kernels_for_pieces(batch.heads).edge_scores;
  for_rows(batch.pattern, batch.num_graphs, batch.heads, Order::kGraphs,
           [&](int64_t g, Range rows) { kernel(batch, scores, out, g, rows); });
}

void edge_scores_backward(const EdgeBatch& batch, const EdgeScores& scores, const float* out,
                          const float* grad_out, const EdgeScoreGrads& grads) {
  const auto kernel = range_kernels_for_pieces(batch.heads).edge_scores_sum;
  const EdgeScoreSlopes slopes{.out = out, .grad_out = grad_out, .slope = scores.slope};
  const auto run = [&](bool columns, bool shared, float* grad) {
    if (grad == nullptr) return;
    const EdgeSum sum = sum_over(batch, columns, batch.heads, shared, grad);
    run_sum(sum, batch.num_graphs, batch.heads, [&](int64_t g, Range rows, bool accumulate) {
      kernel(sum, slopes, g, rows, accumulate);
    });
  };
  run(false, scores.left.stride == 0, grads.left);
  run(true, scores.right.stride == 0, grads.right);
  if (grads.term != nullptr) sum_by_type(batch, scores, slopes, grads.term);
}

void edge_softmax(const EdgeBatch& batch, const float* in, float* out) {
  const auto kernel = range_kernels_for_pieces(batch.heads).edge_softmax;
  for_rows(batch.pattern, batch.num_graphs, batch.heads, Order::kGraphs,
           [&](int64_t g, Range rows) { kernel(batch, in, out, g, rows); });
}

void edge_softmax_backward(const EdgeBatch& batch, const float* out, const float* grad_out,
                           float* grad_in) {
  const auto kernel = range_kernels_for_pieces(batch.heads).edge_softmax_backward;
  for_rows(batch.pattern, batch.num_graphs, batch.heads, Order::kGraphs,
           [&](int64_t g, Range rows) { kernel(batch, out, grad_out, grad_in, g, rows); });
}

void edge_dots(const EdgeBatch& batch, int64_t width, const float* left, const PerGraph& right,
               float* out) {
  const auto kernel = range_kernels_for_pieces(width).edge_dot;
  const EdgeAggregate ends{.width = width, .in = right};
  const bool tiles = right.stride == 0 && batch.num_graphs > 1;
  for_rows(batch.pattern, batch.num_graphs, batch.heads * width,
           tiles ? Order::kTiles : Order::kGraphs,
           [&](int64_t g, Range rows) { kernel(batch, ends, left, out, g, rows); });
}

void edge_aggregate(const EdgeBatch& batch, const EdgeAggregate& aggregate, float* out) {
  const auto kernel = range_kernels_for_pieces(aggregate.width).edge_aggregate;
  const int64_t row_width = batch.heads * aggregate.width;
  const EdgeSum sum = sum_over(batch, false, row_width, false, out);
  const bool tiles = aggregate.in.stride == 0 && batch.num_graphs > 1;
  for_rows(batch.pattern, batch.num_graphs, row_width, tiles ? Order::kTiles : Order::kGraphs,
           [&](int64_t g, Range rows) { kernel(sum, aggregate, g, rows, false); });
}

void edge_aggregate_backward(const EdgeBatch& batch, const EdgeAggregate& aggregate,
                             const float* grad_out, const EdgeAggregateGrads& grads) {
  const RangeKernels& kernels = range_kernels_for_pieces(aggregate.width);
  const int64_t row_width = batch.heads * aggregate.width;
  const bool shared = aggregate.in.stride == 0;
  if (grads.values != nullptr)
    edge_dots(batch, aggregate.width, grad_out, aggregate.in, grads.values);
  if (grads.in != nullptr) {
    // grad_in[g,j,:] = Σ_e values[g,e] grad_out[g,row(e),:] over the entries of column j
    const EdgeAggregate back{.width = aggregate.width,
                             .values = aggregate.values,
                             .in = {grad_out, batch.pattern.num_rows * row_width}};
    const EdgeSum sum = sum_over(batch, true, row_width, shared, grads.in);
    run_sum(sum, batch.num_graphs, row_width, [&](int64_t g, Range rows, bool accumulate) {
      kernels.edge_aggregate(sum, back, g, rows, accumulate);
    });
  }
}

}  // namespace emgnn::kernels
