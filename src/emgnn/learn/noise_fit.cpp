// SPDX-License-Identifier: Apache-2.0
#include <emgnn/learn/noise_fit.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include <emgnn/base/error.h>

namespace emgnn {

double normal_nll(double error, double variance) {
  return 0.5 * (std::log(2.0 * std::numbers::pi * variance) + error * error / variance);
}

NoiseFit fit_noise(std::span<const double> error, std::span<const double> variance,
                   double smallest) {
  EMGNN_DCHECK(!error.empty() && error.size() == variance.size() && smallest > 0.0);
  constexpr int kShares = 100;
  const auto n = static_cast<double>(error.size());
  double mean = 0.0;
  for (double v : variance) mean += v / n;
  NoiseFit best;
  double least = std::numeric_limits<double>::infinity();
  // Without any spread, or with one that is not a number, there is nothing to scale.
  const int shares = mean > 0.0 && std::isfinite(mean) ? kShares : 1;
  for (int k = 0; k < shares; ++k) {
    const double share = static_cast<double>(k) / kShares;
    const auto relative = [&](size_t i) {
      return share > 0.0 ? share * variance[i] / mean + (1.0 - share) : 1.0;
    };
    double factor = 0.0, loss = 0.0;
    for (size_t i = 0; i < error.size(); ++i) factor += error[i] * error[i] / relative(i) / n;
    factor = std::max(factor, smallest);
    for (size_t i = 0; i < error.size(); ++i) loss += normal_nll(error[i], factor * relative(i));
    if (!(loss < least)) continue;
    least = loss;
    best.scale = share > 0.0 ? std::sqrt(factor * share / mean) : 0.0;
    best.noise = std::sqrt(factor * (1.0 - share));
  }
  return best;
}

}  // namespace emgnn
