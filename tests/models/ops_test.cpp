// SPDX-License-Identifier: Apache-2.0
#include <emgnn/models/ops.h>

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "gradient_check.h"

#include <emgnn/base/error.h>
#include <emgnn/models/task.h>

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
  const Pass pass{.training = true, .seed = 5, .step = 7};
  for (Activation kind :
       {Activation::kIdentity, Activation::kRelu, Activation::kLeakyRelu, Activation::kElu}) {
    for (double dropout : {0.0, 0.5}) {
      const Nonlinearity f{kind, 0.2, dropout, 1};
      // ELU: third derivative at most 1, so the difference is off by h²/6 (times 1/(1-dropout))
      // plus rounding.
      expect_gradient_matches(
          [&](const at::Tensor& x) { return bias_activation(x, bias, f, pass); }, h, 0.01, 2e-4);
      expect_gradient_matches([&](const at::Tensor& b) { return bias_activation(h, b, f, pass); },
                              bias, 0.01, 1e-3);
    }
  }
}

TEST(BiasActivation, DropsOnlyInTrainingAndKeepsTheMean) {
  const at::Tensor h = at::ones({400, 100});
  const Nonlinearity f{Activation::kIdentity, 0.0, 0.6, 2};
  EXPECT_TRUE(bias_activation(h, at::Tensor(), f, Pass{}).equal(h));
  const at::Tensor y =
      bias_activation(h, at::Tensor(), f, {.training = true, .seed = 1, .step = 1});
  // Each of 40,000 elements is 0 or 2.5: standard error √(0.4·0.6)·2.5/200.
  EXPECT_NEAR(y.mean().item<double>(), 1.0, 4 * 2.5 * std::sqrt(0.24) / 200);
  EXPECT_FALSE(
      y.equal(bias_activation(h, at::Tensor(), f, {.training = true, .seed = 1, .step = 2})));
}

TEST(InputFeatures, SparseAndDenseGiveTheSameProductAndGradient) {
  const std::vector<int32_t> rows = {4, 0, 3};
  const InputFeatures sparse(sparse_features(), rows), dense(dense_features(), rows);
  const at::Tensor w = random_tensor({4, 3}, 5);
  EXPECT_TRUE(at::allclose(sparse.times(w, 0.0, {}), dense.times(w, 0.0, {})));
  for (const InputFeatures* x : {&sparse, &dense}) {
    expect_gradient_matches([&](const at::Tensor& v) { return x->times(v, 0.0, {}); }, w, 0.5,
                            1e-5);
    const Pass pass{.training = true, .seed = 3, .step = 4};
    expect_gradient_matches([&](const at::Tensor& v) { return x->times(v, 0.5, pass); }, w, 0.5,
                            1e-5);
  }
}

TEST(CrossEntropy, MatchesItsDefinitionAndGradient) {
  const at::Tensor logits = random_tensor({2, 4, 3}, 6, -3, 3);
  const at::Tensor label = at::tensor({0, 2, 1, 1}, at::kLong);
  const at::Tensor loss = cross_entropy(logits, label);
  for (int g = 0; g < 2; ++g) {
    double sum = 0;
    for (int i = 0; i < 4; ++i) {
      double z = 0;
      for (int c = 0; c < 3; ++c) z += std::exp(logits[g][i][c].item<double>());
      sum += std::log(z) - logits[g][i][label[i].item<int64_t>()].item<double>();
    }
    EXPECT_NEAR(loss[g].item<double>(), sum / 4, 1e-12);
  }
  expect_gradient_matches([&](const at::Tensor& x) { return cross_entropy(x, label); }, logits,
                          0.01, 1e-5);
}

TEST(ClassificationScores, MatchHandCount) {
  // Predictions 0 0 1 2 2 against labels 0 1 1 2 0: TP 1,1,1; predicted 2,1,2; actual 2,2,1.
  const at::Tensor prediction = at::tensor({0, 0, 1, 2, 2}, at::kLong);
  const at::Tensor log_prob = at::log_softmax(at::one_hot(prediction, 4).to(at::kDouble), 1);
  const Scores s = classification_scores(log_prob, at::tensor({0, 1, 1, 2, 0}, at::kLong));
  EXPECT_DOUBLE_EQ(s.accuracy, 0.6);
  EXPECT_DOUBLE_EQ(s.micro_f1, 0.6);
  EXPECT_DOUBLE_EQ(s.macro_f1, (2.0 / 4 + 2.0 / 3 + 2.0 / 3 + 0.0) / 4);
}

}  // namespace
}  // namespace emgnn
