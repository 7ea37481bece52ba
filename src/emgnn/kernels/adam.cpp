// SPDX-License-Identifier: Apache-2.0
#include <emgnn/kernels/adam.h>

#include <cmath>

#include <emgnn/base/error.h>
#include <emgnn/base/threads.h>
#include <emgnn/kernels/ranges.h>

namespace emgnn::kernels {

// Kingma and Ba (2015), algorithm 1, with the bias corrections moved into the two factors:
//   θ -= α/(1-β₁ᵗ) · m / (√v/√(1-β₂ᵗ) + ε)
void adam(const AdamStep& options, int64_t size, const float* grad, float* param, float* m,
          float* v) {
  EMGNN_CHECK(options.step >= 1, "Adam's first step is number 1", options.step);
  const auto t = static_cast<double>(options.step);
  const AdamFactors factors = {
      .beta1 = static_cast<float>(options.beta1),
      .one_minus_beta1 = static_cast<float>(1.0 - options.beta1),
      .beta2 = static_cast<float>(options.beta2),
      .one_minus_beta2 = static_cast<float>(1.0 - options.beta2),
      .weight_decay = static_cast<float>(options.weight_decay),
      .epsilon = static_cast<float>(options.epsilon),
      .step_size = static_cast<float>(options.learning_rate / (1.0 - std::pow(options.beta1, t))),
      .inv_root_correction = static_cast<float>(1.0 / std::sqrt(1.0 - std::pow(options.beta2, t)))};
  const auto kernel = range_kernels().adam;
  parallel_for(size, 16384, [&](int64_t begin, int64_t end) {
    kernel(factors, grad, param, m, v, {begin, end});
  });
}

}  // namespace emgnn::kernels
