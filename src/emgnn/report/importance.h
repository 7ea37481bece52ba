// SPDX-License-Identifier: Apache-2.0
// What a learned distribution over mixtures says about the edge types.
#pragma once

#include <string>
#include <vector>

#include <emgnn/report/weighted_point.h>

namespace emgnn {

// Below this many nats from the prior a distribution counts as not told from it: by Pinsker's
// inequality no set of weights then gained or lost more than 0.16 of probability.
inline constexpr double kInformativeNats = 0.05;

struct EdgeTypeWeight {
  std::string name;
  double mean = 0.0;
  double low = 0.0, high = 0.0;  // the central 90 %
};

struct Importance {
  std::vector<EdgeTypeWeight> weights;  // in the order of the names
  // The largest KL divergence, over the edge types, of the distribution of a type's weight from
  // that under the uniform prior. With two types this is KL(p_T || uniform). With more it is a
  // lower bound of it, and one that a sample of p_T estimates well.
  double nats = 0.0;

  bool informative() const { return nats >= kInformativeNats; }
};

// `step` is the spacing of the grid of weights. Empty when λ are not weights of two or more types.
Importance importance_of(const std::vector<std::string>& names,
                         const std::vector<WeightedPoint>& posterior, double step);

// One line: which type carries the most weight, or a warning that nothing was learned. Empty for an
// empty importance.
std::string in_words(const Importance& importance);

}  // namespace emgnn
