// SPDX-License-Identifier: Apache-2.0
#include <emgnn/learn/score_info.h>

#include <algorithm>
#include <string_view>
#include <vector>

#include <emgnn/base/error.h>
#include <emgnn/learn/spread_scores.h>

namespace emgnn {

namespace {

std::span<const ScoreInfo> value_and_spread_info() {
  static const std::vector<ScoreInfo> all = [] {
    std::vector<ScoreInfo> out(value_score_info().begin(), value_score_info().end());
    out.insert(out.end(), spread_score_info().begin(), spread_score_info().end());
    return out;
  }();
  return all;
}

std::string_view main_name(LabelKind kind) {
  switch (kind) {
    case LabelKind::kClasses:
      return "accuracy";
    case LabelKind::kLabels:
      return "micro_f1";
    case LabelKind::kValues:
      return "rmse";
    case LabelKind::kNone:
      break;
  }
  throw UsageError("without labels there are no scores");
}

}  // namespace

std::span<const ScoreInfo> score_info(LabelKind kind) {
  switch (kind) {
    case LabelKind::kClasses:
      return class_score_info();
    case LabelKind::kLabels:
      return label_score_info();
    case LabelKind::kValues:
      return value_and_spread_info();
    case LabelKind::kNone:
      break;
  }
  return {};
}

const ScoreInfo& main_score_info(LabelKind kind) {
  const std::string_view name = main_name(kind);
  const std::span<const ScoreInfo> all = score_info(kind);
  return *std::find_if(all.begin(), all.end(), [&](const ScoreInfo& s) { return s.name == name; });
}

}  // namespace emgnn
