// SPDX-License-Identifier: Apache-2.0
// Scores of each class, label or target by itself. Arrays as in metrics.h.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <emgnn/learn/metrics.h>
#include <emgnn/learn/reliability.h>

namespace emgnn {

struct GroupScores {
  int64_t support = 0;  // rows of the class, that have the label, whose target is known
  Scores scores;
};

//   precision   TP/(TP + FP), NaN where nothing was predicted to be it
//   recall      TP/(TP + FN), NaN where nothing is it
//   f1          2TP/(2TP + FP + FN), 0 where undefined, as in macro_f1
std::vector<GroupScores> class_group_scores(std::span<const double> log_prob,
                                            std::span<const int32_t> cls, int64_t num_classes);
// The same of each label; entries that are not known count nowhere.
std::vector<GroupScores> label_group_scores(std::span<const double> prob,
                                            std::span<const double> label, int64_t num_labels);
// rmse, mae and r2 of each target; NaN where none is known.
std::vector<GroupScores> value_group_scores(std::span<const double> prediction,
                                            std::span<const double> target, int64_t num_targets);

}  // namespace emgnn
