// SPDX-License-Identifier: Apache-2.0
#include <emgnn/em/stopping.h>

#include <algorithm>

#include <emgnn/base/error.h>

namespace emgnn {

StopVerdict judge(const StopOptions& options, StopState& state, const Scores& scores) {
  const double loss = options.rule == StopRule::kRmse ? scores.rmse : scores.loss;
  const double accuracy = scores.accuracy;
  StopVerdict verdict;
  bool improved = true;
  switch (options.rule) {
    case StopRule::kLossAndAccuracy:
      verdict.keep = loss <= state.best_loss && accuracy >= state.best_accuracy;
      improved = !(loss > state.best_loss && accuracy < state.best_accuracy);
      break;
    case StopRule::kLoss:
    case StopRule::kRmse:
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

void check_rule(StopRule rule, Task task) {
  const bool by_class = rule == StopRule::kLossAndAccuracy || rule == StopRule::kAccuracy;
  if (by_class && task == Task::kRegression)
    throw UsageError("stop.rule: values have no accuracy; expected loss, rmse or never");
  if (rule == StopRule::kRmse && task == Task::kClassification)
    throw UsageError(
        "stop.rule: classes have no RMSE; expected loss, accuracy, loss-and-accuracy or never");
}

}  // namespace emgnn
