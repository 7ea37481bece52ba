// SPDX-License-Identifier: Apache-2.0
// What a learned distribution over graphs says, compared with its prior.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <emgnn/learn/record.h>
#include <emgnn/run/results.h>

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
  // Of that coordinate: the total variation, the probability that lies elsewhere than before.
  double moved = 0.0;
  std::string moved_name;

  bool informative() const { return nats >= kInformativeNats; }
};

Verdict verdict_of(const GraphDistribution& graphs);

// Lines, each a sentence: whether anything was learned, whether the graphs help, which view carries
// the weight or where the mass is, and what a single graph would change. Nothing but a warning
// where the distribution is its prior; no line for a single point. Of graphs without λ only the last.
std::vector<std::string> in_words(const GraphDistribution& graphs,
                                  std::optional<double> changed_by_graph);
// Of the mean over the runs, after a warning where runs give all rows one answer.
std::vector<std::string> in_words(const std::vector<RunRecord>& runs);

}  // namespace emgnn
