// SPDX-License-Identifier: Apache-2.0
#include <emgnn/kernels/accumulate.h>

#include <cmath>

#include "reference.h"

namespace emgnn::kernels {
namespace {

TEST(Accumulate, AddsInDoublePrecisionForAnySize) {
  for (const int64_t size : {0, 1, 7, 16, 33, 40'000}) {
    const std::vector<float> x = random_floats(size, 1);
    std::vector<double> sum(idx(size), 0.25);
    const double weights[] = {0.3, -1.7};
    for (const double weight : weights) accumulate(size, weight, x.data(), sum.data());
    for (int64_t i = 0; i < size; ++i) {
      const double value = x[idx(i)], want = 0.25 + 0.3 * value - 1.7 * value;
      // Two products and two sums of numbers below 3.
      EXPECT_NEAR(sum[idx(i)], want, 4 * 3 * 0x1.0p-53);
    }
  }
}

}  // namespace
}  // namespace emgnn::kernels
