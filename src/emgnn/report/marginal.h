// SPDX-License-Identifier: Apache-2.0
// The distribution of one coordinate of λ.
#pragma once

#include <cstddef>
#include <map>
#include <vector>

#include <emgnn/report/weighted_point.h>

namespace emgnn {

using Marginal = std::map<double, double>;  // value → probability

Marginal marginal(const std::vector<WeightedPoint>& posterior, size_t coordinate);

struct MarginalSummary {
  double mean = 0.0;
  double low = 0.0, high = 0.0;  // the central 90 %
};
MarginalSummary summarise(const Marginal& distribution);

// Whether λ are shares of a whole: weights on a simplex.
bool sums_to_one(const std::vector<WeightedPoint>& posterior);

}  // namespace emgnn
