// SPDX-License-Identifier: Apache-2.0
// Products of sparse matrices with dense ones, for one graph or for a batch of graphs that share
// one pattern. Raw pointers, float32, row-major. The bits of the result do not depend on the number
// of threads.
#pragma once

#include <cstdint>

namespace emgnn::kernels {

struct CsrView {
  int32_t num_rows = 0;
  int32_t num_cols = 0;
  const int32_t* rowptr = nullptr;  // [num_rows + 1]
  const int32_t* col = nullptr;     // [num_entries]
};

struct SpmmBatch {
  int64_t num_graphs = 1;
  int64_t width = 0;           // any width >= 1
  const float* val = nullptr;  // [num_graphs, val_stride]; nullptr: all ones
  int64_t val_stride = 0;      // 0: all graphs share one set of values
  const int32_t* val_index =
      nullptr;  // [num_entries] value of entry e is val[val_index[e]]; nullptr: val[e]
  const float* in = nullptr;  // [num_graphs, num_cols, width]
  int64_t in_stride = 0;      // 0: all graphs share one input
  float* out = nullptr;       // [num_graphs, num_rows, width]
  int64_t out_stride = 0;
};

// out[g,i,:] = Σ_e val[g,e] in[g,col[e],:] over the entries e of row i.
void spmm(const CsrView& a, const SpmmBatch& batch);

// out[i,:] = Σ_g Σ_e val[g,e] in[g,col[e],:]: the same, summed over the graphs (out_stride is not
// used). With the transposed pattern and its val_index this is the gradient of a shared input.
void spmm_sum(const CsrView& a, const SpmmBatch& batch);

}  // namespace emgnn::kernels
