// SPDX-License-Identifier: Apache-2.0
// Bias, activation and dropout in one pass over a row-major matrix. Bits do not depend on the
// number of threads.
#pragma once

#include <cstdint>

#include <emgnn/base/rng.h>

namespace emgnn::kernels {

enum class Activation { kIdentity, kRelu, kLeakyRelu, kElu, kSilu };

struct ActivationSpec {
  Activation kind = Activation::kIdentity;
  float slope = 0.0F;  // of leaky ReLU for x < 0
  float drop =
      0.0F;  // probability in [0, 1); survivors are scaled by 1/(1-drop); 0: no randomness is used
  uint64_t seed = 0;  // element i of the matrix is dropped by the word i % 4 of the Philox block
  uint32_t stream =
      0;  //   counter {i / 4 low, step low, step high ^ (i / 4 high), stream}, key = seed
  uint64_t step = 0;  //   (dropped iff word < drop·2³²)
};

// y[i,:] = drop(act(x[i,:] + bias)); bias may be nullptr; y may be x.
void bias_activation(const ActivationSpec& spec, int64_t num_rows, int64_t width, const float* x,
                     const float* bias, float* y);

// grad_x from grad_y and the forward's x and bias (the mask is drawn again); grad_x may be grad_y.
void bias_activation_backward(const ActivationSpec& spec, int64_t num_rows, int64_t width,
                              const float* x, const float* bias, const float* grad_y,
                              float* grad_x);

// sum[j] = Σ_i x[i,j], in a fixed order of blocks.
void column_sums(int64_t num_rows, int64_t width, const float* x, float* sum);

}  // namespace emgnn::kernels
