// SPDX-License-Identifier: Apache-2.0
// Which weights are kept and when training ends, judged on validation data only.
#pragma once

#include <cstdint>
#include <limits>

#include <emgnn/em/options.h>
#include <emgnn/models/scores.h>

namespace emgnn {

struct StopState {
  double best_loss = std::numeric_limits<double>::infinity();  // or RMSE
  double best_accuracy = -1.0;
  int64_t waited = 0;  // validations since the last improvement
};

struct StopVerdict {
  bool keep = false;  // these weights are the best so far
  bool stop = false;
};

// loss-and-accuracy: worse than both bests counts as no improvement; weights are kept when both are
// at least as
//   good as their bests (which may come from different steps).
// loss, accuracy: weights are kept at a strictly better value (a tie in accuracy is decided by the
// loss). never: the last weights are kept and training runs to its end.
// rmse: the same as loss, by the root mean squared error.
StopVerdict judge(const StopOptions& options, StopState& state, const Scores& scores);

// UsageError for a rule that needs a score of the other task.
void check_rule(StopRule rule, Task task);

}  // namespace emgnn
