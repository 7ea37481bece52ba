// SPDX-License-Identifier: Apache-2.0
// Which weights are kept and when training ends, judged on validation nodes only.
#pragma once

#include <cstdint>
#include <limits>

#include <emgnn/em/options.h>

namespace emgnn {

struct StopState {
  double best_loss = std::numeric_limits<double>::infinity();
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
StopVerdict judge(const StopOptions& options, StopState& state, double loss, double accuracy);

}  // namespace emgnn
