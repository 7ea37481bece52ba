// SPDX-License-Identifier: Apache-2.0
#include <emgnn/kernels/adam.h>

#include <emgnn/base/error.h>
#include "reference.h"

namespace emgnn::kernels {
namespace {

constexpr int64_t kSize = 40003;
constexpr int kSteps = 20;

std::vector<float> gradient(int step) { return random_floats(kSize, uint64_t(100 + step)); }

// Textbook Adam in double precision.
std::vector<double> reference(const AdamStep& options, const std::vector<float>& start) {
  std::vector<double> param(start.begin(), start.end()), m(kSize), v(kSize);
  for (int step = 1; step <= kSteps; ++step) {
    const auto grad = gradient(step);
    for (size_t i = 0; i < kSize; ++i) {
      const double g = grad[i] + options.weight_decay * param[i];
      m[i] = options.beta1 * m[i] + (1 - options.beta1) * g;
      v[i] = options.beta2 * v[i] + (1 - options.beta2) * g * g;
      const double m_hat = m[i] / (1 - std::pow(options.beta1, step));
      const double v_hat = v[i] / (1 - std::pow(options.beta2, step));
      param[i] -= options.learning_rate * m_hat / (std::sqrt(v_hat) + options.epsilon);
    }
  }
  return param;
}

TEST(Adam, FollowsTheDoubleReference) {
  for (const double decay : {0.0, 5e-4}) {
    AdamStep options{.learning_rate = 0.01, .weight_decay = decay};
    const auto start = random_floats(kSize, 7);
    const auto expected = reference(options, start);
    const auto run = [&] {
      std::vector<float> param = start, m(kSize), v(kSize);
      for (int step = 1; step <= kSteps; ++step) {
        options.step = step;
        adam(options, kSize, gradient(step).data(), param.data(), m.data(), v.data());
      }
      return param;
    };
    for_every_isa(run, [&](const std::vector<float>& param) {
      // Each step rounds a parameter of size <= 1.2 and an update of size <= 0.01·(a few
      // roundings).
      for (size_t i = 0; i < kSize; ++i) ASSERT_NEAR(param[i], expected[i], kSteps * 2e-7) << i;
    });
  }
}

TEST(Adam, CountsStepsFromOne) {
  EXPECT_THROW(adam({.step = 0}, 0, nullptr, nullptr, nullptr, nullptr), UsageError);
}

}  // namespace
}  // namespace emgnn::kernels
