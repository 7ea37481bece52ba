// SPDX-License-Identifier: Apache-2.0
// How good predictions are.
#pragma once

#include <span>

namespace emgnn {

enum class Task { kClassification, kRegression };

// What is not of the task stays 0.
struct Scores {
  Task task = Task::kClassification;
  double loss = 0.0;
  // classification
  double accuracy = 0.0;
  double micro_f1 = 0.0;  // one label per node: equal to the accuracy
  double macro_f1 = 0.0;  // unweighted mean over classes of 2TP/(2TP+FP+FN), 0 where undefined
  // regression, in the unit of the target
  double rmse = 0.0;
  double mae = 0.0;
  double r2 = 0.0;  // 1 − Σ (y − ŷ)² / Σ (y − ȳ)²; 0 where all y are equal
};

// A score with its JSON name.
struct ScoreName {
  const char* name;
  double Scores::*value;
};
std::span<const ScoreName> score_names(Task task);  // those that tables show; the loss is none
const ScoreName& main_score(Task task);             // accuracy, or RMSE

}  // namespace emgnn
