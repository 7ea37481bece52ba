// SPDX-License-Identifier: Apache-2.0
// Row-wise linear combinations: how a family whose graphs are mixtures of few matrices turns a
// handful of sparse products into the products of all its graphs. Bits do not depend on the number
// of threads.
#pragma once

#include <cstdint>

namespace emgnn::kernels {

struct CombineShape {
  int64_t num_graphs = 0;
  int64_t num_terms = 0;  // >= 1
  int64_t num_rows = 0;
  int64_t width = 0;
};

// out[g,i,:] = scale[g,i] Σ_t coef[g,t] term[t,i,:]
//   coef [num_graphs, num_terms], scale [num_graphs, num_rows], term [num_terms, num_rows, width]
void combine(const CombineShape& shape, const float* coef, const float* scale, const float* term,
             float* out);

// The gradient of `term`: grad_term[t,i,:] = Σ_g coef[g,t] scale[g,i] grad_out[g,i,:]
void combine_backward(const CombineShape& shape, const float* coef, const float* scale,
                      const float* grad_out, float* grad_term);

}  // namespace emgnn::kernels
