// SPDX-License-Identifier: Apache-2.0
#include <emgnn/models/ops.h>

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "gradient_check.h"

#include <emgnn/base/error.h>

namespace emgnn {
namespace {

using kernels::Activation;

Features sparse_features() {
  Features x{.num_rows = 5, .num_cols = 4};
  x.sparse = csr_from_coo(5, 4, {{0, 0, 1, 3, 4, 4}, {1, 3, 0, 2, 0, 3}, {1, 2, -1, 0.5, 1, 3}},
                          Duplicates::kSum);
  return x;
}

Features dense_features() {
  Features x{.num_rows = 5, .num_cols = 4, .is_sparse = false};
  x.dense.assign(20, 0.0F);
  const Csr sparse = sparse_features().sparse;
  for (int32_t i = 0; i < 5; ++i) {
    for (int32_t e = sparse.rowptr[i]; e < sparse.rowptr[i + 1]; ++e)
      x.dense[i * 4 + sparse.col[e]] = sparse.val[e];
  }
  return x;
}

TEST(DenseProduct, GradientsMatchFiniteDifferences) {
  const at::Tensor h = random_tensor({2, 3, 5}, 1), w = random_tensor({5, 4}, 2);
  expect_gradient_matches([&](const at::Tensor& x) { return dense_product(x, w); }, h, 0.5, 1e-5);
  expect_gradient_matches([&](const at::Tensor& x) { return dense_product(h, x); }, w, 0.5, 1e-5);
}

TEST(DenseProduct, RejectsSizesThatDoNotMeet) {
  EXPECT_THROW(dense_product(at::zeros({2, 3}), at::zeros({4, 2})), UsageError);
}

TEST(BiasActivation, GradientsMatchFiniteDifferences) {
  // Away from the kinks at zero: a difference of half-width 0.01 never crosses one.
  at::Tensor h = random_tensor({2, 6, 5}, 3);
  h = at::where(h.abs() < 0.1, h + 0.3, h);
  const at::Tensor bias = at::zeros({5});
  const Mode mode{.training = true, .seed = 5, .step = 7};
  for (Activation kind : {Activation::kIdentity, Activation::kRelu, Activation::kLeakyRelu,
                          Activation::kElu, Activation::kSilu}) {
    for (double dropout : {0.0, 0.5}) {
      const Nonlinearity f{kind, 0.2, dropout, 1};
      // ELU: third derivative at most 1, so the difference is off by h²/6 (times 1/(1-dropout))
      // plus rounding.
      expect_gradient_matches(
          [&](const at::Tensor& x) { return bias_activation(x, bias, f, mode); }, h, 0.01, 2e-4);
      expect_gradient_matches([&](const at::Tensor& b) { return bias_activation(h, b, f, mode); },
                              bias, 0.01, 1e-3);
    }
  }
}

TEST(BiasActivation, DropsOnlyInTrainingAndKeepsTheMean) {
  const at::Tensor h = at::ones({400, 100});
  const Nonlinearity f{Activation::kIdentity, 0.0, 0.6, 2};
  EXPECT_TRUE(bias_activation(h, at::Tensor(), f, Mode{}).equal(h));
  const at::Tensor y =
      bias_activation(h, at::Tensor(), f, {.training = true, .seed = 1, .step = 1});
  // Each of 40,000 elements is 0 or 2.5: standard error √(0.4·0.6)·2.5/200.
  EXPECT_NEAR(y.mean().item<double>(), 1.0, 4 * 2.5 * std::sqrt(0.24) / 200);
  EXPECT_FALSE(
      y.equal(bias_activation(h, at::Tensor(), f, {.training = true, .seed = 1, .step = 2})));
}

TEST(InputProduct, SparseAndDenseGiveTheSameProductAndGradient) {
  const std::vector<int32_t> rows = {4, 0, 3};
  const auto sparse = c10::make_intrusive<InputFeatures>(sparse_features(), rows);
  const auto dense = c10::make_intrusive<InputFeatures>(dense_features(), rows);
  const at::Tensor w = random_tensor({4, 3}, 5);
  EXPECT_TRUE(at::allclose(input_product(sparse, w, 0.0, {}), input_product(dense, w, 0.0, {})));
  for (const auto& x : {sparse, dense}) {
    expect_gradient_matches([&](const at::Tensor& v) { return input_product(x, v, 0.0, {}); }, w,
                            0.5, 1e-5);
    const Mode mode{.training = true, .seed = 3, .step = 4};
    expect_gradient_matches([&](const at::Tensor& v) { return input_product(x, v, 0.5, mode); }, w,
                            0.5, 1e-5);
  }
}

TEST(InputProduct, RejectsWeightsOfAnotherHeight) {
  const std::vector<int32_t> rows = {4, 0, 3};
  const auto x = c10::make_intrusive<InputFeatures>(sparse_features(), rows);
  EXPECT_THROW(input_product(x, at::zeros({5, 2}), 0.0, {}), UsageError);
}

}  // namespace
}  // namespace emgnn
