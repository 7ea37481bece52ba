// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include <emgnn/report/weighted_point.h>

namespace emgnn {

// A distribution over Λ̂ drawn for a terminal: bars where one number tells λ (one coordinate, or two
// that sum to 1); otherwise the mean and the central 90 % of each coordinate, the largest weight
// first. Empty when there is only one point.
std::string posterior_chart(const std::vector<std::string>& names,
                            const std::vector<WeightedPoint>& posterior);

}  // namespace emgnn
