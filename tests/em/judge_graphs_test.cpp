// SPDX-License-Identifier: Apache-2.0
// Each graph of a distribution by itself.
#include <gtest/gtest.h>

#include <cmath>

#include "cross_fit.h"

namespace emgnn {
namespace {

double accuracy(const Task& task, const Prediction& prediction) {
  return task.score(prediction, Ranks::kSkip).scores.at("accuracy");
}

TEST(JudgeGraphs, OneNetworkIsJudgedByItsLossAndPredictsAlone) {
  const Setting setting;
  Problem problem(setting.parts(), {.seed = setting.em.seed});
  EmLearner learner({problem}, setting.em);
  fit(learner);
  const std::vector<int32_t>& test = setting.data->split().test;
  const std::vector<int64_t> ids = problem.family().all_ids();
  const std::vector<double> losses = problem.losses(ids, {});
  const std::vector<JudgedGraph> got = learner.judge_graphs(test, {});
  ASSERT_EQ(got.size(), ids.size());
  for (size_t g = 0; g < ids.size(); ++g) {
    EXPECT_EQ(got[g].loss, losses[g]);
    const Prediction alone = problem.predict({{ids[g]}, {0.0}}, test, {});
    EXPECT_EQ(got[g].score, accuracy(problem.task(), alone)) << g;
  }
  EXPECT_NE(got.front().score, got.back().score);
}

// The mean over networks of their probabilities, and the loss of the labels that each has not seen.
TEST(JudgeGraphs, SeveralNetworksAreJudgedTogether) {
  const Setting setting = deaf_setting();
  const Folds folds = folds_of(setting);
  std::vector<Problem> problems = members(setting, folds);
  EmLearner learner(problems, setting.em);
  fit(learner);
  const std::vector<int32_t>& test = setting.data->split().test;
  const std::vector<JudgedGraph> got = learner.judge_graphs(test, {});
  const std::vector<int64_t> ids = problems[0].family().all_ids();
  ASSERT_EQ(got.size(), ids.size());
  const auto rows = static_cast<double>(setting.data->split().train.size());
  for (size_t g = 0; g < ids.size(); ++g) {
    double loss = 0.0;
    std::vector<double> mean;
    for (size_t k = 0; k < folds.size(); ++k) {
      loss += problems[k].losses(std::vector<int64_t>{ids[g]}, {})[0] *
              static_cast<double>(folds[k].size()) / rows;
      const Prediction own = problems[k].predict({{ids[g]}, {0.0}}, test, {});
      mean.resize(own.value.size());
      for (size_t i = 0; i < mean.size(); ++i) mean[i] += std::exp(own.value[i]);
    }
    for (double& v : mean) v = std::log(v / static_cast<double>(folds.size()));
    const Prediction averaged{.rows = test, .width = 3, .value = mean};
    // A mean of 30 losses of at most 5, in float32 where graphs share a batch.
    EXPECT_NEAR(got[g].loss, loss, 1e-5);
    EXPECT_NEAR(got[g].score, accuracy(problems[0].task(), averaged), 1e-12) << g;
  }
}

TEST(JudgeGraphs, ManyAreThinned) {
  Setting setting;
  setting.mixture.step = 0.001;
  setting.em.em.rounds = 1;
  const auto learner = setting.trained();
  EXPECT_EQ(learner->posterior().lam_ids().size(), 1001U);
  EXPECT_EQ(learner->judge_graphs(setting.data->split().test, {}).size(), 512U);
}

TEST(JudgeGraphs, ChangesNothingOfTheLearner) {
  const Setting setting = full_setting();
  const auto learner = cross_fit(setting);
  fit(*learner);
  const std::string before = state_of(*learner);
  EXPECT_FALSE(learner->judge_graphs(setting.data->split().test, {}).empty());
  EXPECT_EQ(state_of(*learner), before);
}

}  // namespace
}  // namespace emgnn
