// SPDX-License-Identifier: Apache-2.0
#include <emgnn/models/batch_norm.h>

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "gradient_check.h"

namespace emgnn {
namespace {

BatchNorm batch_norm() {
  return {.weight = random_tensor({3}, 1, 0.5, 1.5),
          .bias = random_tensor({3}, 2),
          .mean = random_tensor({3}, 3),
          .var = random_tensor({3}, 4, 0.5, 2.0)};
}

TEST(BatchNorm, TrainsWithTheMomentsOfTheBatchAndMovesTheRunningOnes) {
  const BatchNorm norm = batch_norm();
  const at::Tensor mean = norm.mean.clone(), var = norm.var.clone();
  const at::Tensor h = random_tensor({20, 3}, 5, -2.0, 3.0);
  const at::Tensor out = norm.train(h);
  for (int64_t j = 0; j < 3; ++j) {
    double sum = 0, squares = 0;
    for (int64_t i = 0; i < 20; ++i) sum += h[i][j].item<double>();
    for (int64_t i = 0; i < 20; ++i) squares += std::pow(h[i][j].item<double>() - sum / 20, 2);
    for (int64_t i = 0; i < 20; ++i) {
      const double z = (h[i][j].item<double>() - sum / 20) / std::sqrt(squares / 20 + kNormEpsilon);
      EXPECT_NEAR(out[i][j].item<double>(),
                  norm.weight[j].item<double>() * z + norm.bias[j].item<double>(), 1e-5);
    }
    EXPECT_NEAR(norm.mean[j].item<double>(), 0.9 * mean[j].item<double>() + 0.1 * sum / 20, 1e-6);
    // The running variance is the unbiased one.
    EXPECT_NEAR(norm.var[j].item<double>(), 0.9 * var[j].item<double>() + 0.1 * squares / 19, 1e-6);
  }
}

TEST(BatchNorm, IsAScaleAndAShiftOtherwise) {
  const BatchNorm norm = batch_norm();
  const at::Tensor h = random_tensor({20, 3}, 5);
  const at::Tensor expected =
      (h - norm.mean) / (norm.var + kNormEpsilon).sqrt() * norm.weight + norm.bias;
  EXPECT_TRUE(at::allclose(h * norm.scale() + norm.shift(), expected, 1e-5, 1e-6));
}

TEST(BatchNorm, TakesASingleRowWithTheRunningMoments) {
  const BatchNorm norm = batch_norm();
  const at::Tensor var = norm.var.clone(), h = random_tensor({1, 3}, 6);
  EXPECT_TRUE(norm.train(h).equal(h * norm.scale() + norm.shift()));
  EXPECT_TRUE(norm.var.equal(var));
}

TEST(BatchNorm, GradientMatchesFiniteDifferences) {
  const BatchNorm norm = batch_norm();
  // Third derivatives of a standardised column are below 10: off by h²·10/6 plus rounding.
  expect_gradient_matches([&](const at::Tensor& x) { return norm.train(x); },
                          random_tensor({6, 3}, 5, -2.0, 2.0), 0.01, 1e-3);
}

}  // namespace
}  // namespace emgnn
