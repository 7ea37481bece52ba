// SPDX-License-Identifier: Apache-2.0
#include <emgnn/models/scores.h>

namespace emgnn {

namespace {

constexpr ScoreName kClassification[] = {{"micro_f1", &Scores::micro_f1},
                                         {"macro_f1", &Scores::macro_f1},
                                         {"accuracy", &Scores::accuracy}};
constexpr ScoreName kRegression[] = {
    {"rmse", &Scores::rmse}, {"mae", &Scores::mae}, {"r2", &Scores::r2}};

}  // namespace

std::span<const ScoreName> score_names(Task task) {
  if (task == Task::kClassification) return kClassification;
  return kRegression;
}

const ScoreName& main_score(Task task) {
  return task == Task::kClassification ? kClassification[2] : kRegression[0];
}

}  // namespace emgnn
