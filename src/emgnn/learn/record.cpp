// SPDX-License-Identifier: Apache-2.0
#include <emgnn/learn/record.h>

#include <map>

namespace emgnn {

GraphDistribution mixture_of(std::span<const GraphDistribution> distributions) {
  const GraphDistribution& first = distributions.front();
  GraphDistribution out{.family = first.family,
                        .names = first.names,
                        .num_shares = first.num_shares,
                        .points = {},
                        .prior = first.prior};
  std::map<LambdaPoint, double> sum;
  for (const GraphDistribution& one : distributions)
    for (const WeightedPoint& point : one.points) sum[point.lambda] += point.p;
  for (const auto& [lambda, p] : sum)
    out.points.push_back({lambda, p / static_cast<double>(distributions.size())});
  return out;
}

}  // namespace emgnn
