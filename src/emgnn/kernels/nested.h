// SPDX-License-Identifier: Apache-2.0
// Products with graphs that are nested row by row. Each row of the pattern is two lists of entries,
// and each graph has of both lists a beginning: a graph is then two counts per row, and neither
// values nor absent entries are read. Raw pointers, float32, row-major. The bits of a graph's
// product depend neither on the number of threads nor on the other graphs of the batch.
#pragma once

#include <cstdint>

namespace emgnn::kernels {

struct NestedView {
  int32_t num_rows = 0;
  int32_t num_cols = 0;
  const int32_t* start = nullptr;  // [2 num_rows + 1] list k of row i begins at start[2 i + k]
  const int32_t* col = nullptr;    // [num_entries]
  const float* val = nullptr;      // [num_entries]; nullptr: all ones
};

// How much of each row's two lists a graph has.
struct NestedCounts {
  const int32_t* first = nullptr;   // [num_rows]
  const int32_t* second = nullptr;  // [num_rows]
};

struct NestedBatch {
  int64_t num_graphs = 1;
  int64_t width = 0;                     // any width >= 1
  const NestedCounts* counts = nullptr;  // [num_graphs]
  const float* row_factor = nullptr;     // [num_graphs, num_rows]; nullptr: all ones
  const float* col_factor = nullptr;     // [num_graphs, num_cols]; nullptr: all ones
  const float* in = nullptr;             // [num_graphs, num_cols, width]
  int64_t in_stride = 0;                 // 0: all graphs share one input
  float* out = nullptr;                  // [num_graphs, num_rows, width]
  int64_t out_stride = 0;
};

// out[g,i,:] = row_factor[g,i] Σ_e val[e] col_factor[g,col[e]] in[g,col[e],:] over the entries e of
// row i that graph g has. With one input and no column factors a row that is the same in
// consecutive graphs is summed once, and one that has grown is continued.
void nested_spmm(const NestedView& a, const NestedBatch& batch);

// out[i,:] += Σ_g of the same (out_stride is not used).
void nested_spmm_add(const NestedView& a, const NestedBatch& batch);

}  // namespace emgnn::kernels
