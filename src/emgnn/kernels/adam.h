// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace emgnn::kernels {

struct AdamStep {
  double learning_rate = 1e-3;
  double beta1 = 0.9;
  double beta2 = 0.999;
  double epsilon = 1e-8;
  double weight_decay = 0.0;  // added to the gradient (L2), as in Adam, not AdamW
  int64_t step = 1;           // 1 for the first update
};

// One Adam update of `size` parameters in one pass; `m` and `v` are the running moments.
void adam(const AdamStep& options, int64_t size, const float* grad, float* param, float* m,
          float* v);

}  // namespace emgnn::kernels
