// SPDX-License-Identifier: Apache-2.0
// Regression: losses on standardised targets, and scores in the target's own unit.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <span>
#include <vector>

#include <emgnn/base/options.h>

namespace emgnn {

enum class RegressionLoss { kSquared, kSmoothL1 };

struct TaskOptions {
  RegressionLoss loss = RegressionLoss::kSquared;
};
void describe(OptionVisitor& visitor, TaskOptions& options);

// z = (y − mean) / std, with the moments of the training targets alone.
struct TargetScale {
  double mean = 0.0;
  double std = 1.0;  // of the population; 1 where all targets are equal

  static TargetScale fit(std::span<const double> target, std::span<const int32_t> rows);
  double standardise(double y) const { return (y - mean) / std; }
  double restore(double z) const { return mean + std * z; }
};

// e² or smooth L1 (e²/2 below 1, |e| − 1/2 above) of e = prediction − target.
double regression_loss(RegressionLoss loss, double prediction, double target);
// The same element by element, in float64.
at::Tensor regression_loss(RegressionLoss loss, const at::Tensor& prediction,
                           const at::Tensor& target);

struct RegressionScores {
  double rmse = 0.0;
  double mae = 0.0;
  double r2 = 0.0;  // 1 − Σe² / Σ(y − ȳ)²; 0 where all targets are equal
};
RegressionScores regression_scores(std::span<const double> prediction,
                                   std::span<const double> target);

}  // namespace emgnn
