// SPDX-License-Identifier: Apache-2.0
// The distribution of one coordinate of λ.
#pragma once

#include <cstddef>
#include <vector>

#include <emgnn/space/parameter_space.h>

namespace emgnn {

Marginal marginal(const std::vector<WeightedPoint>& points, size_t coordinate);

struct MarginalSummary {
  double mean = 0.0;
  double low = 0.0, high = 0.0;  // the central 90 %
};
MarginalSummary summarise(const Marginal& distribution);

}  // namespace emgnn
