// SPDX-License-Identifier: Apache-2.0
#include <emgnn/models/regression.h>

#include <ATen/ATen.h>

#include <cmath>

#include <emgnn/base/error.h>

namespace emgnn {

void describe(OptionVisitor& visitor, TaskOptions& options) {
  visitor.choice("task.loss", options.loss, {"squared", "smooth-l1"},
                 "molecules: of the standardised target");
}

TargetScale TargetScale::fit(std::span<const double> target, std::span<const int32_t> rows) {
  EMGNN_CHECK(!rows.empty(), "a target's scale needs at least one training row", rows.size());
  const auto n = static_cast<double>(rows.size());
  TargetScale scale;
  for (int32_t row : rows) scale.mean += target[static_cast<size_t>(row)] / n;
  double variance = 0.0;
  for (int32_t row : rows) {
    const double d = target[static_cast<size_t>(row)] - scale.mean;
    variance += d * d / n;
  }
  if (!std::isfinite(variance))
    throw DataError("the targets of the training molecules are too large to be standardised");
  if (variance > 0.0) scale.std = std::sqrt(variance);
  return scale;
}

double regression_loss(RegressionLoss loss, double prediction, double target) {
  const double e = std::abs(prediction - target);
  if (loss == RegressionLoss::kSquared) return e * e;
  return e < 1.0 ? 0.5 * e * e : e - 0.5;
}

at::Tensor regression_loss(RegressionLoss loss, const at::Tensor& prediction,
                           const at::Tensor& target) {
  const at::Tensor p = prediction.to(at::kDouble), y = target.to(at::kDouble);
  if (loss == RegressionLoss::kSquared) return (p - y).square();
  return at::smooth_l1_loss(p, y, at::Reduction::None);
}

RegressionScores regression_scores(std::span<const double> prediction,
                                   std::span<const double> target) {
  EMGNN_DCHECK(prediction.size() == target.size() && !target.empty());
  const auto n = static_cast<double>(target.size());
  double mean = 0.0, squares = 0.0, total = 0.0;
  for (double y : target) mean += y / n;
  RegressionScores scores;
  for (size_t i = 0; i < target.size(); ++i) {
    const double e = prediction[i] - target[i];
    squares += e * e;
    total += (target[i] - mean) * (target[i] - mean);
    scores.mae += std::abs(e) / n;
  }
  scores.rmse = std::sqrt(squares / n);
  scores.r2 = total > 0.0 ? 1.0 - squares / total : 0.0;
  return scores;
}

}  // namespace emgnn
