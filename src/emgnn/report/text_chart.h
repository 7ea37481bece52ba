// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include <emgnn/learn/record.h>

namespace emgnn {

// A distribution over Λ̂ drawn for a terminal: bars where one number tells λ (one coordinate, or two
// shares); otherwise the mean and the central 90 % of each coordinate, the largest share first.
// Empty when there is only one point.
std::string posterior_chart(const GraphDistribution& graphs);

}  // namespace emgnn
