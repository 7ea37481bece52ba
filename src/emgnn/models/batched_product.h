// SPDX-License-Identifier: Apache-2.0
// Products of many pairs of matrices: same bits for any number of threads, differentiable.
#pragma once

#include <ATen/core/Tensor.h>

namespace emgnn {

// a[g] b[g] of each g: a [count, m, k], b [count, k, n] -> [count, m, n].
at::Tensor batched_product(const at::Tensor& a, const at::Tensor& b);
// a[g] b[g]ᵀ: b [count, n, k].
at::Tensor batched_product_nt(const at::Tensor& a, const at::Tensor& b);

}  // namespace emgnn
