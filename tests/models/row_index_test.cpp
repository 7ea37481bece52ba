// SPDX-License-Identifier: Apache-2.0
#include <emgnn/models/row_index.h>

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "../learn/bare_network.h"
#include "gradient_check.h"

#include <emgnn/base/context.h>
#include <emgnn/models/kind_product.h>
#include <emgnn/models/recurrent.h>

namespace emgnn {
namespace {

const std::vector<int32_t> kNumber = {2, 0, 2, 4, 4, 2};

TEST(RowIndex, TakesRowsAndAddsThemUp) {
  const RowIndex index(kNumber, 5);
  EXPECT_EQ(index.size(), 6);
  EXPECT_EQ(index.num_rows(), 5);
  const at::Tensor h = random_tensor({5, 3}, 1), x = random_tensor({6, 3}, 2);
  const at::Tensor taken = index.take(h), sum = index.sum(x);
  for (int64_t e = 0; e < 6; ++e) EXPECT_TRUE(taken[e].equal(h[kNumber[static_cast<size_t>(e)]]));
  EXPECT_TRUE(at::allclose(sum[0], x[1]));
  EXPECT_TRUE(at::allclose(sum[1], at::zeros({3})));
  EXPECT_TRUE(at::allclose(sum[2], x[0] + x[2] + x[5]));
  EXPECT_TRUE(at::allclose(sum[4], x[3] + x[4]));
}

// Both are linear: differences are exact up to rounding of at most 18 terms of size 1.
constexpr double kWidth = 0.5, kTolerance = 32 * kUnitRounding / kWidth;

TEST(RowIndex, GradientsMatchFiniteDifferences) {
  const RowIndex index(kNumber, 5);
  expect_gradient_matches([&](const at::Tensor& h) { return index.take(h); },
                          random_tensor({5, 3}, 1), kWidth, kTolerance);
  expect_gradient_matches([&](const at::Tensor& x) { return index.sum(x); },
                          random_tensor({6, 3}, 2), kWidth, kTolerance);
}

TEST(RowIndex, BitsDoNotDependOnThreads) {
  std::vector<int32_t> number;
  Rng rng(3, Stream::kTest);
  for (int k = 0; k < 5000; ++k) number.push_back(static_cast<int32_t>(rng.below(400)));
  const at::Tensor h = random_tensor({400, 17}, 1), x = random_tensor({5000, 17}, 2);
  std::vector<at::Tensor> taken, sum;
  for (int threads : {1, 4}) {
    const Context::Scope scope{Context(threads)};
    const RowIndex index(number, 400);
    taken.push_back(index.take(h));
    sum.push_back(index.sum(x));
  }
  EXPECT_TRUE(taken[1].equal(taken[0]));
  EXPECT_TRUE(sum[1].equal(sum[0]));
}

// Three rows over four inputs, with kinds 1 and 3 of a table; row 1 has no entry.
Edges some_edges() {
  Edges edges;
  edges.pattern = {.num_rows = 3, .num_cols = 4, .rowptr = {0, 3, 3, 5}, .col = {0, 1, 3, 1, 2}};
  edges.feature = {3, 1, 3, 1, 1};
  edges.weight = random_tensor({1, 5}, 3, 0.5, 1.0);
  edges.index();
  return edges;
}

TEST(KindProduct, IsOneProductForEachEntry) {
  const Edges edges = some_edges();
  const KindProduct product(edges);
  EXPECT_EQ(product.kinds(), (std::vector<int64_t>{1, 3}));
  const at::Tensor h = random_tensor({4, 3}, 1), m = random_tensor({2, 3, 2}, 2);
  at::Tensor want = at::zeros({3, 2});
  for (size_t e = 0; e < 5; ++e) {
    const at::Tensor of_kind = m[edges.feature[e] == 1 ? 0 : 1];
    want[edges.row[e]] +=
        edges.weight[0][static_cast<int64_t>(e)] * h[edges.pattern.col[e]].matmul(of_kind);
  }
  EXPECT_TRUE(at::allclose(product(h, m), want, 1e-5, 1e-6));
}

TEST(KindProduct, GradientsMatchFiniteDifferences) {
  const KindProduct product(some_edges());
  const at::Tensor h0 = random_tensor({4, 3}, 1), m0 = random_tensor({2, 3, 2}, 2);
  expect_gradient_matches([&](const at::Tensor& h) { return product(h, m0); }, h0, kWidth,
                          kTolerance);
  expect_gradient_matches([&](const at::Tensor& m) { return product(h0, m); }, m0, kWidth,
                          kTolerance);
}

// Smooth functions of size 1: the difference is off by h²/6 times a third derivative, and by rounding / h.
constexpr double kStep = 0.01, kPart = 0.01;

TEST(GruCell, IsThatOfLibTorch) {
  BareNetwork weights;
  WeightMaker make(weights, "", 0, 1);
  const GruCell cell(make, "gru", 5, 4);
  const at::Tensor x = random_tensor({3, 5}, 1), h = random_tensor({3, 4}, 2);
  const auto& p = weights.parameters();
  EXPECT_TRUE(at::allclose(
      cell(x, h), at::gru_cell(x, h, p[0].value.t(), p[2].value.t(), p[1].value, p[3].value), 1e-5,
      1e-6));
  expect_parameter_gradients_match(
      weights, [&] { return cell(x, h); }, kStep, kPart);
}

TEST(LstmCell, IsThatOfLibTorch) {
  BareNetwork weights;
  WeightMaker make(weights, "", 0, 1);
  const LstmCell cell(make, "lstm", 5, 4);
  const at::Tensor x = random_tensor({3, 5}, 1), h = random_tensor({3, 4}, 2);
  const at::Tensor s = random_tensor({3, 4}, 3);
  const auto& p = weights.parameters();
  const LstmCell::State got = cell(x, {h, s});
  const auto [want_h, want_s] =
      at::lstm_cell(x, {h, s}, p[0].value.t(), p[2].value.t(), p[1].value, p[3].value);
  EXPECT_TRUE(at::allclose(got.h, want_h, 1e-5, 1e-6));
  EXPECT_TRUE(at::allclose(got.s, want_s, 1e-5, 1e-6));
  expect_parameter_gradients_match(
      weights,
      [&] {
        return cell(x, {h, s}).h;
      },
      kStep, kPart);
}

}  // namespace
}  // namespace emgnn
