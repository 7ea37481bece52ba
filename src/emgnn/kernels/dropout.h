// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <emgnn/kernels/activation.h>

namespace emgnn::kernels {

// factor[i] = 0 or 1/(1-drop): what bias_activation() multiplies element i by.
void dropout_factors(const ActivationSpec& spec, int64_t size, float* factor);

// y[i] = x[i] · factor[i]; y may be x.
void multiply(int64_t size, const float* x, const float* factor, float* y);

}  // namespace emgnn::kernels
