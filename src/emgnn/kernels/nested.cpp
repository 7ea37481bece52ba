// SPDX-License-Identifier: Apache-2.0
#include <emgnn/kernels/nested.h>

#include <emgnn/base/threads.h>
#include <emgnn/kernels/row_pieces.h>

namespace emgnn::kernels {

namespace {

Range piece_of(const NestedView& a, int64_t piece, int64_t num_pieces) {
  return piece_rows(
      a.num_rows, [&](int64_t i) { return int64_t{a.start[2 * i]}; }, piece, num_pieces);
}

int64_t work_of(const NestedView& a, const NestedBatch& batch) {
  return (int64_t{a.start[2 * a.num_rows]} + a.num_rows) * batch.width * batch.num_graphs;
}

int64_t pieces_for(const NestedView& a, const NestedBatch& batch, int64_t per_thread) {
  return work_of(a, batch) < kSerialWork ? 1 : per_thread * num_threads();
}

}  // namespace

void nested_spmm(const NestedView& a, const NestedBatch& batch) {
  if (a.num_rows == 0 || batch.num_graphs == 0 || batch.width == 0) return;
  const RangeKernels& kernels = range_kernels();
  const int64_t num_pieces = pieces_for(a, batch, 8);
  const bool large = work_of(a, batch) > kLargeWork;
  if (batch.in_stride == 0 && batch.col_factor == nullptr) {
    parallel_for(num_pieces, 1, [&](int64_t begin, int64_t end) {
      for (int64_t p = begin; p < end; ++p) {
        if (large) check_overdue();
        kernels.nested_shared(a, batch, piece_of(a, p, num_pieces));
      }
    });
    return;
  }
  // Graph by graph, so that one input at a time is in the cache.
  parallel_for(num_pieces * batch.num_graphs, 1, [&](int64_t begin, int64_t end) {
    for (int64_t task = begin; task < end; ++task) {
      if (large) check_overdue();
      kernels.nested(a, batch, task / num_pieces, piece_of(a, task % num_pieces, num_pieces));
    }
  });
}

void nested_spmm_add(const NestedView& a, const NestedBatch& batch) {
  if (a.num_rows == 0 || batch.num_graphs == 0 || batch.width == 0) return;
  const RangeKernels& kernels = range_kernels();
  // Few pieces: every piece passes over the inputs of all graphs.
  const int64_t num_pieces = pieces_for(a, batch, 1);
  const bool large = work_of(a, batch) > kLargeWork;
  parallel_for(num_pieces, 1, [&](int64_t begin, int64_t end) {
    for (int64_t p = begin; p < end; ++p) {
      if (large) check_overdue();
      kernels.nested_add(a, batch, piece_of(a, p, num_pieces));
    }
  });
}

}  // namespace emgnn::kernels
