// SPDX-License-Identifier: Apache-2.0
// Which weights are kept and when training ends, judged on validation data only.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <string>

#include <emgnn/learn/metrics.h>

namespace emgnn {

// What decides:
//   loss               a strictly lower loss is kept.
//   never              the last weights are kept and training runs to its end.
//   loss-and-accuracy  weights are kept when both are at least as good as their bests, which may
//                      come from different validations; only worse than both counts as waiting.
//   a score            higher is better: a strictly better value is kept, a tie is decided by the
//                      loss. Lower is better: a strictly lower value is kept, like a loss.
// Weights with a NaN are kept by never alone. They count as waiting, except for loss-and-accuracy.
struct StopRule {
  std::string name;   // as the user writes it
  std::string score;  // the score that judge reads; empty for loss and never
  bool higher_is_better = true;
};

// UsageError that lists the valid names. `scores` are those of the task; loss-and-accuracy is
// valid where accuracy is one of them.
StopRule parse_stop_rule(const std::string& text, std::span<const ScoreInfo> scores);

struct StopState {
  double best_loss = std::numeric_limits<double>::infinity();
  // Negated where lower is better, so that more is always better.
  double best_score = -std::numeric_limits<double>::infinity();
  int64_t waited = 0;  // validations since the last improvement
};

struct StopVerdict {
  bool keep = false;  // these weights are the best so far
  bool stop = false;  // `patience` validations have passed without an improvement
};

// Judges one validation and updates the state.
StopVerdict judge(const StopRule& rule, int64_t patience, StopState& state, double loss,
                  const Scores& scores);

}  // namespace emgnn
