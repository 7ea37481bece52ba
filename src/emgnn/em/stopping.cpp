// SPDX-License-Identifier: Apache-2.0
#include <emgnn/em/stopping.h>

#include <algorithm>

namespace emgnn {

StopVerdict judge(const StopOptions& options, StopState& state, double loss, double accuracy) {
  StopVerdict verdict;
  bool improved = true;
  switch (options.rule) {
    case StopRule::kLossAndAccuracy:
      verdict.keep = loss <= state.best_loss && accuracy >= state.best_accuracy;
      improved = !(loss > state.best_loss && accuracy < state.best_accuracy);
      break;
    case StopRule::kLoss:
      improved = verdict.keep = loss < state.best_loss;
      break;
    case StopRule::kAccuracy:
      improved = verdict.keep = accuracy > state.best_accuracy ||
                                (accuracy == state.best_accuracy && loss < state.best_loss);
      break;
    case StopRule::kNever:
      verdict.keep = true;
      break;
  }
  if (options.rule == StopRule::kAccuracy) {
    // The loss is a tie-break: it belongs to the kept weights.
    if (verdict.keep) state.best_loss = loss;
  } else {
    state.best_loss = std::min(state.best_loss, loss);
  }
  state.best_accuracy = std::max(state.best_accuracy, accuracy);
  state.waited = improved ? 0 : state.waited + 1;
  verdict.stop = options.rule != StopRule::kNever && state.waited >= options.patience;
  return verdict;
}

}  // namespace emgnn
