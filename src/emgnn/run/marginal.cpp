// SPDX-License-Identifier: Apache-2.0
#include <emgnn/run/marginal.h>

namespace emgnn {

namespace {

// The smallest value that `share` of the mass does not exceed.
double quantile(const Marginal& distribution, double share) {
  double below = 0.0;
  for (const auto& [value, p] : distribution) {
    below += p;
    if (below >= share) return value;
  }
  return distribution.rbegin()->first;
}

}  // namespace

Marginal marginal(const std::vector<WeightedPoint>& points, size_t coordinate) {
  Marginal out;
  for (const WeightedPoint& point : points) out[point.lambda[coordinate]] += point.p;
  return out;
}

MarginalSummary summarise(const Marginal& distribution) {
  MarginalSummary out{.low = quantile(distribution, 0.05), .high = quantile(distribution, 0.95)};
  for (const auto& [value, p] : distribution) out.mean += value * p;
  return out;
}

}  // namespace emgnn
