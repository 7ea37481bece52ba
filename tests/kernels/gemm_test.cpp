// SPDX-License-Identifier: Apache-2.0
#include <emgnn/kernels/gemm.h>

#include "reference.h"

#include <emgnn/base/context.h>
#include <emgnn/base/error.h>

namespace emgnn::kernels {
namespace {

struct Shape {
  int64_t m, n, k;
};

// Strides of an operand: element (i, p) of the left one, (p, j) of the right one.
struct Layout {
  int64_t a_row, a_k, b_k, b_col;
};

using Gemm = void (*)(int64_t, int64_t, int64_t, const float*, const float*, float*);

void expect_product(Gemm kernel, const Shape& s, const Layout& layout) {
  SCOPED_TRACE(testing::Message() << s.m << " x " << s.n << " x " << s.k);
  const auto a = random_floats(s.m * s.k, 1);
  const auto b = random_floats(s.k * s.n, 2);
  const auto run = [&] {
    std::vector<float> c(idx(s.m * s.n), NAN);
    kernel(s.m, s.n, s.k, a.data(), b.data(), c.data());
    return c;
  };
  for_every_isa(run, [&](const std::vector<float>& c) {
    const int64_t stride = 1 + s.m * s.n * s.k / 4000000;  // of large products only some elements
    for (int64_t e = 0; e < s.m * s.n; e += stride) {
      double sum = 0, magnitude = 0;
      for (int64_t p = 0; p < s.k; ++p) {
        const double x = double(a[idx(e / s.n * layout.a_row + p * layout.a_k)]) *
                         b[idx(p * layout.b_k + e % s.n * layout.b_col)];
        sum += x;
        magnitude += std::abs(x);
      }
      ASSERT_NEAR(c[idx(e)], sum, tolerance(s.k, magnitude));
    }
  });
}

std::vector<Shape> shapes() {
  std::vector<Shape> all = {{1, 1, 1},       {5, 3, 0},      {1, 64, 1256},
                            {700, 3, 64},    {301, 64, 64},  {97, 512, 40},
                            {1256, 64, 130}, {64, 64, 5000}, {3, 7, 40000}};
  for (const int64_t n : {2, 7, 8, 15, 16, 17, 31, 33, 48, 65, 100, 128, 320})
    for (const int64_t m : {1, 6, 23}) all.push_back({m, n, 37});
  return all;
}

TEST(Gemm, MatchesTheDoubleReference) {
  for (const Shape& s : shapes()) expect_product(gemm, s, {s.k, 1, s.n, 1});
}

TEST(Gemm, TransposedRightOperandMatchesTheDoubleReference) {
  for (const Shape& s : shapes()) expect_product(gemm_nt, s, {s.k, 1, 1, s.k});
}

TEST(Gemm, TransposedLeftOperandMatchesTheDoubleReference) {
  for (const Shape& s : shapes()) expect_product(gemm_tn, s, {1, s.m, s.n, 1});
}

TEST(Gemm, EmptyShapesAreLeftAlone) {
  gemm(0, 4, 4, nullptr, nullptr, nullptr);
  gemm_nt(4, 0, 4, nullptr, nullptr, nullptr);
  gemm_tn(0, 0, 4, nullptr, nullptr, nullptr);
}

// A hundred products would take minutes; a second after the wish to stop the one that is running ends.
TEST(Gemm, LargeProductsEndWhenTheyAreOverdue) {
  constexpr int64_t kRows = 20'000, kWidth = 3'000;
  const std::vector<float> a(kRows * kWidth, 0.5F), b(kWidth * kWidth, 0.25F);
  std::vector<float> c(kRows * kWidth);
  const auto expect_end = [&](const auto& product) {
    const Context::Scope scope{Context(2, Device::kCpu, [] { return true; })};
    EXPECT_THROW(for (int i = 0; i < 100; ++i) product(), Interrupted);
  };
  expect_end([&] { gemm(kRows, kWidth, kWidth, a.data(), b.data(), c.data()); });
  expect_end([&] { gemm_nt(kRows, kWidth, kWidth, a.data(), b.data(), c.data()); });
  expect_end([&] { gemm_tn(kWidth, kWidth, kRows, a.data(), a.data(), c.data()); });
}

}  // namespace
}  // namespace emgnn::kernels
