// SPDX-License-Identifier: Apache-2.0
// How far scores would differ on other rows like these: the percentile bootstrap. Rows are drawn with
// replacement, scored again, and the middle of the scores is kept.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include <emgnn/learn/metrics.h>

namespace emgnn {

struct BootstrapOptions {
  int64_t resamples = 1000;  // 0: none
  double confidence = 0.95;  // the share of the scores that is kept
  uint64_t seed = 0;
};

// NaN where no resample has the score.
struct ScoreInterval {
  std::string name;
  double lower = 0.0, upper = 0.0;
};

// The scores of the rows at these places, of which some come several times, each name once. Called
// by several threads at once.
using ScorePlaces = std::function<std::vector<Score>(std::span<const size_t> places)>;

// Of every score that any resample has, in the order of the first that has it. A resample where a
// score is not defined does not count for it. The same bits for any number of threads; stops with
// check_stop().
std::vector<ScoreInterval> bootstrap(size_t num_rows, const BootstrapOptions& options,
                                     const ScorePlaces& scores_of);

// The value below which a share q of `sorted` (ascending, not empty) lies, linear between two of
// them: index q (n − 1).
double quantile(std::span<const double> sorted, double q);

}  // namespace emgnn
