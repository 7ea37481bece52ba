// SPDX-License-Identifier: Apache-2.0
// How good predicted standard deviations are: scores of normal distributions around predicted
// values.
#pragma once

#include <cstdint>
#include <span>

#include <emgnn/learn/metrics.h>

namespace emgnn {

// Everything is [n, num_targets], row-major; targets are NaN where not known. Several targets: the
// mean over those that have known entries of each one's score.
struct PredictedNormals {
  std::span<const double> mean, std, target;
  int64_t num_targets = 1;
};

// Adds to `into`; nothing where a known entry has no std above 0.
//   nll                       mean −log density of the target, in its unit
//   calibration_error         mean over the levels 0.05, 0.10, …, 0.95 of the distance between the
//                             level q and the share of targets at or below the q-quantile
//   coverage_90               share of targets in the middle 90 % of their distribution
//   spread_error_correlation  Spearman's ρ between |error| and std; left out where it is not defined,
//                             and with Ranks::kSkip
void add_spread_scores(Scores& into, const PredictedNormals& normals, Ranks ranks);
std::span<const ScoreInfo> spread_score_info();

}  // namespace emgnn
