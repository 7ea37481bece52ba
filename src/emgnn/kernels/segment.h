// SPDX-License-Identifier: Apache-2.0
// The largest value of each column over sets of rows. Bits do not depend on the number of threads.
#pragma once

#include <cstdint>

#include <emgnn/kernels/spmm.h>

namespace emgnn::kernels {

// out[s,:] = max in[col[e],:] over the entries e of row s of `a`, none of which is empty.
void segment_max(const CsrView& a, int64_t width, const float* in, float* out);

// grad_in[r,j] += grad_out[s,j] where row r is the first of segment s with in[r,j] = out[s,j].
void segment_max_backward(const CsrView& a, int64_t width, const float* in, const float* out,
                          const float* grad_out, float* grad_in);

}  // namespace emgnn::kernels
