// SPDX-License-Identifier: Apache-2.0
#include <emgnn/learn/stopping.h>

#include <fmt/ranges.h>

#include <algorithm>
#include <vector>

#include <emgnn/base/error.h>

namespace emgnn {

namespace {

constexpr const char* kLoss = "loss";
constexpr const char* kNever = "never";
constexpr const char* kLossAndAccuracy = "loss-and-accuracy";
constexpr const char* kAccuracy = "accuracy";

std::vector<StopRule> valid_rules(std::span<const ScoreInfo> scores) {
  std::vector<StopRule> rules = {{.name = kLoss, .score = ""}, {.name = kNever, .score = ""}};
  for (const ScoreInfo& info : scores) {
    if (info.name == kAccuracy) rules.push_back({.name = kLossAndAccuracy, .score = kAccuracy});
  }
  for (const ScoreInfo& info : scores)
    rules.push_back(
        {.name = info.name, .score = info.name, .higher_is_better = info.higher_is_better});
  return rules;
}

}  // namespace

StopRule parse_stop_rule(const std::string& text, std::span<const ScoreInfo> scores) {
  const std::vector<StopRule> rules = valid_rules(scores);
  std::vector<std::string> names;
  for (const StopRule& rule : rules) {
    if (rule.name == text) return rule;
    names.push_back(rule.name);
  }
  names.emplace_back("score");  // stop_rule() puts the name of the main score in its place
  throw UsageError(
      fmt::format("stop.rule: expected one of {}, got \"{}\"", fmt::join(names, ", "), text));
}

StopVerdict judge(const StopRule& rule, int64_t patience, StopState& state, double loss,
                  const Scores& scores) {
  const bool scored = !rule.score.empty();
  const double value = scored ? scores.at(rule.score) : 0.0;
  const double score = rule.higher_is_better ? value : -value;
  const bool loss_breaks_ties = scored && rule.higher_is_better && rule.name != kLossAndAccuracy;
  StopVerdict verdict;
  bool improved = true;
  if (rule.name == kNever) {
    verdict.keep = true;
  } else if (rule.name == kLossAndAccuracy) {
    verdict.keep = loss <= state.best_loss && score >= state.best_score;
    improved = !(loss > state.best_loss && score < state.best_score);
  } else if (!scored) {
    improved = verdict.keep = loss < state.best_loss;
  } else {
    const bool tie_won = loss_breaks_ties && score == state.best_score && loss < state.best_loss;
    improved = verdict.keep = score > state.best_score || tie_won;
  }
  // As a tie-break, the loss belongs to the kept weights.
  if (loss_breaks_ties) {
    if (verdict.keep) state.best_loss = loss;
  } else {
    state.best_loss = std::min(state.best_loss, loss);
  }
  if (scored) state.best_score = std::max(state.best_score, score);
  state.waited = improved ? 0 : state.waited + 1;
  verdict.stop = rule.name != kNever && state.waited >= patience;
  return verdict;
}

}  // namespace emgnn
