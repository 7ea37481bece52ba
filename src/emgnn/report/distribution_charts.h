// SPDX-License-Identifier: Apache-2.0
// A distribution over graphs that have coordinates, as charts.
#pragma once

#include <vector>

#include <emgnn/learn/record.h>
#include <emgnn/report/charts.h>

namespace emgnn {

// What tells most comes first. All shares on one axis; what is no share may have another unit.
std::vector<Chart> distribution_charts(const GraphDistribution& graphs);

// The learned and the prior probability of every value of a coordinate.
std::vector<Bar> marginal_bars(const GraphDistribution& graphs, size_t coordinate);

}  // namespace emgnn
