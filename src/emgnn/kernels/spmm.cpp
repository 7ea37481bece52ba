// SPDX-License-Identifier: Apache-2.0
#include <emgnn/kernels/spmm.h>

#include <algorithm>

#include <emgnn/base/threads.h>
#include <emgnn/kernels/row_pieces.h>

namespace emgnn::kernels {

namespace {

constexpr int64_t kTileRows = 32;  // rows that meet all graphs in turn

Range piece_of(const CsrView& a, int64_t piece, int64_t num_pieces) {
  return piece_rows(
      a.num_rows, [&](int64_t i) { return int64_t{a.rowptr[i]}; }, piece, num_pieces);
}

int64_t work_of(const CsrView& a, const SpmmBatch& batch) {
  return (int64_t{a.rowptr[a.num_rows]} + a.num_rows) * batch.width * batch.num_graphs;
}

// One input: the neighbours of a few rows are gathered once and serve all graphs from the cache.
void shared_input(const CsrView& a, const SpmmBatch& batch, Range rows) {
  const auto kernel = range_kernels().spmm;
  const int64_t tile =
      batch.num_graphs == 1 ? std::max<int64_t>(1, rows.end - rows.begin) : kTileRows;
  for (int64_t i = rows.begin; i < rows.end; i += tile)
    for (int64_t g = 0; g < batch.num_graphs; ++g)
      kernel(a, batch, g, {i, std::min(rows.end, i + tile)});
}

}  // namespace

void spmm(const CsrView& a, const SpmmBatch& batch) {
  if (a.num_rows == 0 || batch.num_graphs == 0 || batch.width == 0) return;
  const int64_t num_pieces = work_of(a, batch) < kSerialWork ? 1 : 8 * num_threads();
  const bool large = work_of(a, batch) > kLargeWork;
  if (batch.in_stride == 0) {
    parallel_for(num_pieces, 1, [&](int64_t begin, int64_t end) {
      for (int64_t p = begin; p < end; ++p) {
        if (large) check_overdue();
        shared_input(a, batch, piece_of(a, p, num_pieces));
      }
    });
    return;
  }
  // One input per graph: graph by graph, so that one input at a time is in the cache.
  const auto kernel = range_kernels().spmm;
  const int64_t num_tasks = num_pieces * batch.num_graphs;
  parallel_for(num_tasks, 1, [&](int64_t begin, int64_t end) {
    for (int64_t task = begin; task < end; ++task) {
      const int64_t g = task / num_pieces;
      if (large) check_overdue();
      kernel(a, batch, g, piece_of(a, task % num_pieces, num_pieces));
    }
  });
}

void spmm_sum(const CsrView& a, const SpmmBatch& batch) {
  if (a.num_rows == 0 || batch.width == 0) return;
  if (batch.num_graphs == 0) {
    std::fill_n(batch.out, a.num_rows * batch.width, 0.0F);
    return;
  }
  const auto kernel = range_kernels().spmm_sum;
  // Few pieces where each graph has its own input: every piece passes over all of them.
  const int64_t per_thread = batch.in_stride == 0 ? 8 : 1;
  const bool large = work_of(a, batch) > kLargeWork;
  const int64_t num_pieces = work_of(a, batch) < kSerialWork ? 1 : per_thread * num_threads();
  parallel_for(num_pieces, 1, [&](int64_t begin, int64_t end) {
    for (int64_t p = begin; p < end; ++p) {
      if (large) check_overdue();
      kernel(a, batch, piece_of(a, p, num_pieces));
    }
  });
}

}  // namespace emgnn::kernels
