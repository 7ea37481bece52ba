// SPDX-License-Identifier: Apache-2.0
#include <emgnn/models/regression.h>

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "gradient_check.h"

#include <emgnn/base/error.h>

namespace emgnn {
namespace {

TEST(TargetScale, SeesTrainingTargetsAlone) {
  const std::vector<double> target = {1.0, 100.0, 5.0, -40.0, 3.0};
  const std::vector<int32_t> train = {0, 2, 4};
  const TargetScale scale = TargetScale::fit(target, train);
  EXPECT_DOUBLE_EQ(scale.mean, 3.0);
  EXPECT_DOUBLE_EQ(scale.std, std::sqrt(8.0 / 3.0));
  EXPECT_DOUBLE_EQ(scale.restore(scale.standardise(100.0)), 100.0);
  EXPECT_THROW(TargetScale::fit(target, {}), UsageError);
  const std::vector<double> huge = {1e200, -1e200};
  EXPECT_THROW(TargetScale::fit(huge, std::vector<int32_t>{0, 1}), DataError);
}

TEST(TargetScale, LeavesEqualTargetsUnscaled) {
  const std::vector<double> target = {2.0, 2.0};
  const std::vector<int32_t> train = {0, 1};
  EXPECT_EQ(TargetScale::fit(target, train).std, 1.0);
}

TEST(RegressionLoss, OfTensorsIsThatOfNumbers) {
  const at::Tensor p = random_tensor({30}, 1, -3.0, 3.0), y = random_tensor({30}, 2);
  for (RegressionLoss loss : {RegressionLoss::kSquared, RegressionLoss::kSmoothL1}) {
    const at::Tensor each = regression_loss(loss, p, y);
    for (int64_t i = 0; i < 30; ++i) {
      const double e = std::abs(p[i].item<double>() - y[i].item<double>());
      const double expected = loss == RegressionLoss::kSquared ? e * e
                              : e < 1.0                        ? e * e / 2
                                                               : e - 0.5;
      EXPECT_NEAR(each[i].item<double>(), expected, 1e-12);
      EXPECT_NEAR(regression_loss(loss, p[i].item<double>(), y[i].item<double>()), expected, 1e-12);
    }
    expect_gradient_matches([&](const at::Tensor& x) { return regression_loss(loss, x, y); }, p,
                            1e-3, 1e-3);
  }
}

TEST(RegressionScores, MatchHandCount) {
  const std::vector<double> target = {1.0, 2.0, 3.0, 6.0}, prediction = {1.0, 3.0, 2.0, 4.0};
  const RegressionScores s = regression_scores(prediction, target);
  EXPECT_DOUBLE_EQ(s.rmse, std::sqrt(6.0 / 4.0));
  EXPECT_DOUBLE_EQ(s.mae, 1.0);
  EXPECT_DOUBLE_EQ(s.r2, 1.0 - 6.0 / 14.0);
}

}  // namespace
}  // namespace emgnn
