// SPDX-License-Identifier: Apache-2.0
// What a learned distribution over graphs says, compared with its prior.
#pragma once

#include <string>
#include <vector>

#include <emgnn/learn/record.h>

namespace emgnn {

// Below this many nats from the prior a distribution counts as indistinguishable from it: by
// Pinsker's inequality no set of values then gained or lost more than 0.16 of probability.
inline constexpr double kInformativeNats = 0.05;

struct CoordinateSummary {
  std::string name;
  double mean = 0.0;
  double low = 0.0, high = 0.0;  // the central 90 %
};

struct Verdict {
  std::vector<CoordinateSummary> coordinates;  // in the order of λ
  // The largest KL divergence, over the coordinates, of a coordinate's distribution from its prior:
  // a lower bound of KL(p_T || prior) that a sample of p_T estimates well.
  double nats = 0.0;

  bool informative() const { return nats >= kInformativeNats; }
};

Verdict verdict_of(const GraphDistribution& graphs);

// One line: which share is the largest, where the mass is, or a warning that nothing was learned.
// Empty for a single point.
std::string in_words(const GraphDistribution& graphs);

}  // namespace emgnn
