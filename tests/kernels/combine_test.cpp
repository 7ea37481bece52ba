// SPDX-License-Identifier: Apache-2.0
#include <emgnn/kernels/combine.h>

#include "reference.h"

namespace emgnn::kernels {
namespace {

constexpr int64_t kWidths[] = {1, 2, 3, 7, 8, 16, 17, 31, 64, 65, 100, 128, 512};

TEST(Combine, MatchesTheDoubleReference) {
  for (const int64_t width : kWidths) {
    const CombineShape s{.num_graphs = 5, .num_terms = 3, .num_rows = 41, .width = width};
    const auto coef = random_floats(s.num_graphs * s.num_terms, 1);
    const auto scale = random_floats(s.num_graphs * s.num_rows, 2);
    const auto term = random_floats(s.num_terms * s.num_rows * width, 3);
    const auto run = [&] {
      std::vector<float> out(idx(s.num_graphs * s.num_rows * width), NAN);
      combine(s, coef.data(), scale.data(), term.data(), out.data());
      return out;
    };
    for_every_isa(run, [&](const std::vector<float>& out) {
      for (int64_t k = 0; k < int64_t(out.size()); ++k) {
        const int64_t g = k / width / s.num_rows, cell = k % (s.num_rows * width);
        double sum = 0;
        for (int64_t t = 0; t < s.num_terms; ++t)
          sum += double(coef[idx(g * s.num_terms + t)]) * term[idx(t * s.num_rows * width + cell)];
        sum *= scale[idx(k / width)];
        ASSERT_NEAR(out[idx(k)], sum, tolerance(s.num_terms, s.num_terms));
      }
    });
  }
}

TEST(CombineBackward, MatchesTheDoubleReference) {
  for (const int64_t width : kWidths) {
    const CombineShape s{.num_graphs = 9, .num_terms = 3, .num_rows = 41, .width = width};
    const auto coef = random_floats(s.num_graphs * s.num_terms, 1);
    const auto scale = random_floats(s.num_graphs * s.num_rows, 2);
    const auto grad_out = random_floats(s.num_graphs * s.num_rows * width, 3);
    const auto run = [&] {
      std::vector<float> grad(idx(s.num_terms * s.num_rows * width), NAN);
      combine_backward(s, coef.data(), scale.data(), grad_out.data(), grad.data());
      return grad;
    };
    for_every_isa(run, [&](const std::vector<float>& grad) {
      for (int64_t k = 0; k < int64_t(grad.size()); ++k) {
        const int64_t t = k / width / s.num_rows, cell = k % (s.num_rows * width);
        double sum = 0;
        for (int64_t g = 0; g < s.num_graphs; ++g)
          sum += double(coef[idx(g * s.num_terms + t)]) *
                 scale[idx(g * s.num_rows + cell / width)] *
                 grad_out[idx(g * s.num_rows * width + cell)];
        ASSERT_NEAR(grad[idx(k)], sum, tolerance(s.num_graphs, s.num_graphs));
      }
    });
  }
}

}  // namespace
}  // namespace emgnn::kernels
