// SPDX-License-Identifier: Apache-2.0
// Products with many small graphs at once. The rows of one small graph name their neighbours by
// numbers of their own, so that graphs of the same atoms share the lists, and a graph that grows
// has longer and longer beginnings of them. Raw pointers, float32, row-major; bits depend neither
// on the number of threads nor on the other rows.
#pragma once

#include <cstdint>

namespace emgnn::kernels {

struct BlockView {
  int64_t num_rows = 0;
  const int32_t* own = nullptr;          // [num_rows] the row's own input
  const int64_t* list = nullptr;         // [num_rows] where its neighbours begin
  const int32_t* count = nullptr;        // [num_rows] how many of them it has
  const int32_t* base = nullptr;         // [num_rows] what is added to their numbers
  const float* factor = nullptr;         // [num_rows]; nullptr: all ones
  const int32_t* neighbour = nullptr;    // the lists
  const int32_t* source = nullptr;       // base + number -> input; nullptr: itself
  const float* source_factor = nullptr;  // beside source; nullptr: all ones
};

// out[r,:] = in[own[r],0,:] + factor[r] Σ_j source_factor[j] in[source[j],1,:] over the row's
// neighbours j; in [num_inputs, 2, width], out [num_rows, width]. A row that continues the list of
// the row before it continues its sum.
void block_spmm(const BlockView& a, int64_t width, const float* in, float* out);

}  // namespace emgnn::kernels
