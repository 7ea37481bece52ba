// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace emgnn::kernels {

// sum[i] += weight · x[i], in float64.
void accumulate(int64_t size, double weight, const float* x, double* sum);

}  // namespace emgnn::kernels
