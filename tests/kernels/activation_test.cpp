// SPDX-License-Identifier: Apache-2.0
#include <emgnn/kernels/activation.h>
#include <emgnn/kernels/dropout.h>

#include <emgnn/base/error.h>
#include "reference.h"

namespace emgnn::kernels {
namespace {

double act(const ActivationSpec& spec, double x) {
  switch (spec.kind) {
    case Activation::kRelu:
      return std::max(x, 0.0);
    case Activation::kLeakyRelu:
      return x > 0 ? x : spec.slope * x;
    case Activation::kElu:
      return x > 0 ? x : std::expm1(x);
    case Activation::kSilu:
      return x / (1 + std::exp(-x));
    case Activation::kIdentity:
      break;
  }
  return x;
}

double derivative(const ActivationSpec& spec, double x) {
  switch (spec.kind) {
    case Activation::kRelu:
      return x > 0 ? 1 : 0;
    case Activation::kLeakyRelu:
      return x > 0 ? 1 : spec.slope;
    case Activation::kElu:
      return x > 0 ? 1 : std::exp(x);
    case Activation::kSilu: {
      const double s = 1 / (1 + std::exp(-x));
      return s * (1 + x * (1 - s));
    }
    case Activation::kIdentity:
      break;
  }
  return 1;
}

// The factor of element i, by the header's words.
double keep(const ActivationSpec& spec, int64_t i) {
  if (spec.drop == 0.0F) return 1;
  const uint64_t block = uint64_t(i) / 4;
  const PhiloxBlock words = philox({uint32_t(block), uint32_t(spec.step),
                                    uint32_t(spec.step >> 32) ^ uint32_t(block >> 32), spec.stream},
                                   {uint32_t(spec.seed), uint32_t(spec.seed >> 32)});
  const bool dropped = double(words[idx(i % 4)]) < double(spec.drop) * 0x1.0p32;
  return dropped ? 0 : 1 / (1 - double(spec.drop));
}

std::vector<ActivationSpec> specs() {
  std::vector<ActivationSpec> all;
  for (const auto kind : {Activation::kIdentity, Activation::kRelu, Activation::kLeakyRelu,
                          Activation::kElu, Activation::kSilu})
    for (const float drop : {0.0F, 0.3F, 0.5F, 0.999F})
      all.push_back({.kind = kind,
                     .slope = 0.2F,
                     .drop = drop,
                     .seed = 0x123456789abcdefULL,
                     .stream = 77,
                     .step = 0xfedcba9876543ULL});
  return all;
}

struct Shape {
  int64_t num_rows, width;
};
constexpr Shape kShapes[] = {{1, 1}, {5, 3}, {400, 7}, {333, 64}, {50, 513}};

TEST(BiasActivation, MatchesTheFormulaAndThePhiloxMask) {
  for (const ActivationSpec& spec : specs()) {
    for (const auto& [num_rows, width] : kShapes) {
      auto x = random_floats(num_rows * width, 1);
      for (float& v : x) v *= 20;
      const auto bias = random_floats(width, 2);
      for (const float* b : {bias.data(), static_cast<const float*>(nullptr)}) {
        const auto run = [&] {
          std::vector<float> y = x;
          bias_activation(spec, num_rows, width, y.data(), b, y.data());
          return y;
        };
        for_every_isa(run, [&](const std::vector<float>& y) {
          for (int64_t i = 0; i < num_rows * width; ++i) {
            const float sum = x[idx(i)] + (b != nullptr ? b[i % width] : 0.0F);
            const double expected = act(spec, sum) * keep(spec, i);
            ASSERT_NEAR(y[idx(i)], expected, 3e-7 * std::abs(sum * keep(spec, i))) << i;
          }
        });
      }
    }
  }
}

TEST(BiasActivation, BackwardMatchesTheDerivative) {
  for (const ActivationSpec& spec : specs()) {
    for (const auto& [num_rows, width] : kShapes) {
      auto x = random_floats(num_rows * width, 1);
      for (float& v : x) v *= 10;
      const auto bias = random_floats(width, 2);
      const auto grad_y = random_floats(num_rows * width, 3);
      const auto run = [&] {
        std::vector<float> grad = grad_y;
        bias_activation_backward(spec, num_rows, width, x.data(), bias.data(), grad.data(),
                                 grad.data());
        return grad;
      };
      for_every_isa(run, [&](const std::vector<float>& grad) {
        for (int64_t i = 0; i < num_rows * width; ++i) {
          const float sum = x[idx(i)] + bias[idx(i % width)];
          const double factor = grad_y[idx(i)] * keep(spec, i);
          // 1 + (e^x - 1) rounds e^x to a multiple of 2⁻²⁴; SiLU multiplies that by x.
          const double scale = spec.kind == Activation::kSilu ? 1 + std::abs(sum) : 1;
          ASSERT_NEAR(grad[idx(i)], factor * derivative(spec, sum), 3e-7 * scale * std::abs(factor))
              << i;
        }
      });
    }
  }
}

TEST(BiasActivation, EluIsAccurateOverItsWholeRange) {
  std::vector<float> x;
  for (float v = 1e-30F; v < 200.0F; v *= 1.003F) x.push_back(-v);
  const ActivationSpec spec{.kind = Activation::kElu};
  for (const Isa isa : runnable_isas()) {
    set_isa(isa);
    std::vector<float> y(x.size());
    bias_activation(spec, 1, int64_t(x.size()), x.data(), nullptr, y.data());
    for (size_t i = 0; i < x.size(); ++i) {
      const double expected = std::expm1(double(x[i]));
      ASSERT_NEAR(y[i], expected, 3e-7 * std::abs(expected)) << x[i];
    }
  }
  set_isa(best_isa());
}

TEST(DropoutFactors, AreThoseOfTheMask) {
  for (const ActivationSpec& spec : specs()) {
    for (const int64_t size : {1, 255, 256, 700, 40'003}) {
      const auto run = [&] {
        std::vector<float> factor(idx(size), NAN);
        dropout_factors(spec, size, factor.data());
        return factor;
      };
      for_every_isa(run, [&](const std::vector<float>& factor) {
        for (int64_t i = 0; i < size; ++i)
          ASSERT_NEAR(factor[idx(i)], keep(spec, i), 1e-7 * keep(spec, i)) << i;
      });
    }
  }
}

TEST(BiasActivation, RejectsADropOfOne) {
  EXPECT_THROW(bias_activation({.drop = 1.0F}, 0, 1, nullptr, nullptr, nullptr), UsageError);
}

TEST(ColumnSums, MatchTheDoubleReference) {
  for (const auto& [num_rows, width] : {Shape{0, 3}, {1, 1}, {40, 7}, {5000, 64}, {1500, 513}}) {
    const auto x = random_floats(num_rows * width, 1);
    const auto run = [&] {
      std::vector<float> sum(idx(width), NAN);
      column_sums(num_rows, width, x.data(), sum.data());
      return sum;
    };
    for_every_isa(run, [&](const std::vector<float>& sum) {
      for (int64_t j = 0; j < width; ++j) {
        double expected = 0, magnitude = 0;
        for (int64_t i = 0; i < num_rows; ++i) {
          expected += x[idx(i * width + j)];
          magnitude += std::abs(x[idx(i * width + j)]);
        }
        ASSERT_NEAR(sum[idx(j)], expected, tolerance(32, magnitude));
      }
    });
  }
}

}  // namespace
}  // namespace emgnn::kernels
