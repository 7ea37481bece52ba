// SPDX-License-Identifier: Apache-2.0
// Graphs judged by a last layer that was fitted without the label.
#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "../base/with_threads.h"
#include "em_setting.h"

#include <emgnn/em/em_learner.h>
#include <emgnn/learn/leave_one_out.h>
#include <emgnn/models/sgc.h>

namespace emgnn {
namespace {

// `data` with the recipe of held-out evidence but for the evidence itself.
Setting last_layer(std::shared_ptr<const Data> data = small_data()) {
  Setting out;
  out.data = std::move(data);
  out.problem.evidence = EvidenceKind::kLastLayer;
  out.problem.average = Average::kProbabilities;
  out.em.em.posterior = PosteriorMode::kStack;
  out.em.em.temperature = GraphTemperature::kEach;
  out.em.em.explore = 0.5;
  out.em.em.weight = WeightRule::kOne;
  return out;
}

TEST(LastLayer, EvidenceIsWhatAHeadSaysThatWasFittedToTheOtherRows) {
  const Setting setting = last_layer();
  const ProblemParts parts = setting.parts();
  Problem problem(parts, setting.problem);
  const std::vector<int32_t>& rows = setting.data->split().train;
  const std::vector<int64_t> ids = {0, 8, 20};
  const at::Tensor got = problem.outputs(ids, {});
  const TargetRows target = parts.task->target(rows);
  const std::vector<double> losses = problem.losses(ids, {});
  for (size_t g = 0; g < ids.size(); ++g) {
    const at::NoGradGuard no_grad;
    const Network& network = *parts.network;
    const GraphBatch batch = problem.view_of(rows)->batch({.lam_ids = {&ids[g], 1}});
    const at::Tensor features = network.last_features(batch, network.embed(batch.input, {}), {});
    const at::Tensor want = leave_one_out(features, parts.task->right_outputs(target));
    // A batch sums a shared input in another order than one graph does: float32 rounding, times
    // what the smallest σ of 1e-3 makes of it.
    EXPECT_LT((got[static_cast<int64_t>(g)] - want[0]).abs().max().item<double>(), 1e-3);
    EXPECT_NEAR(losses[g], parts.task->losses(want, target)[0], 1e-3);
  }
}

// The weight of the first edge type, which is the informative one.
double mean_of_first(const EmLearner& learner) {
  const GraphDistribution graphs = learner.graphs().value();
  double mean = 0.0;
  for (const WeightedPoint& point : graphs.points) mean += point.p * point.lambda[0];
  return mean;
}

std::vector<Setting> of_all_tasks() {
  return {last_layer(), last_layer(std::make_shared<const Data>(noisy_labels({}, 1))),
          last_layer(std::make_shared<const Data>(noisy_values({}, 1)))};
}

TEST(LastLayer, RanksAGoodGraphAboveJunk) {
  for (Setting setting : of_all_tasks()) {
    for (PosteriorMode mode :
         {PosteriorMode::kStack, PosteriorMode::kExact, PosteriorMode::kMcmc}) {
      setting.em.em.posterior = mode;
      setting.em.em.eta = 40.0;
      setting.em.mcmc = {.steps = 2000, .chains = 2, .burn_in = 100};
      const auto learner = setting.trained();
      const Posterior& p = learner->posterior();
      // λ = (0, 1) is the first point, (1, 0) the last.
      EXPECT_GT(p.prob(20), 2.0 * p.prob(0));
      EXPECT_GT(mean_of_first(*learner), 0.55);
    }
  }
}

TEST(LastLayer, ResumesAndIsStored) {
  for (PosteriorMode mode : {PosteriorMode::kStack, PosteriorMode::kMcmc}) {
    Setting setting = last_layer();
    setting.em.em.posterior = mode;
    setting.em.em.rounds = 2;
    setting.em.em.steps = 2;
    setting.em.em.warmup = 1;
    setting.em.optim.average = 0.8;
    setting.em.stop = {.rule = "accuracy"};
    setting.em.mcmc = {.steps = 200, .chains = 2, .burn_in = 10};
    expect_resumable([&] { return setting.learner(); });
    const auto first = setting.trained(), second = setting.learner();
    restore(*second, state_of(*first, Scope::kModel), Scope::kModel);
    EXPECT_EQ(predict(*second, *setting.data).value, predict(*first, *setting.data).value);
    EXPECT_EQ(second->posterior().log_probs(), first->posterior().log_probs());
  }
}

TEST(LastLayer, BitsDoNotDependOnThreads) {
  const Setting setting = last_layer();
  const auto run = [&] { return state_of(*setting.trained()); };
  EXPECT_TRUE(with_threads(1, run) == with_threads(3, run));
}

TEST(LastLayer, ReadsNoLabelOutsideTheTrainingSet) {
  const Setting setting = last_layer();
  Setting other = setting;
  other.data = with_other_labels(*setting.data, true);
  // The training scope has scores of the validation rows.
  EXPECT_TRUE(state_of(*setting.trained(), Scope::kModel) ==
              state_of(*other.trained(), Scope::kModel));
}

// The temperatures are those of the heads: they weigh graphs, and the network predicts without.
TEST(LastLayer, TemperaturesJudgeGraphsButDoNotTemperTheNetwork) {
  Setting each = last_layer(), none = each;
  none.em.em.temperature = GraphTemperature::kNone;
  EXPECT_NE(each.trained()->posterior().log_probs(), none.trained()->posterior().log_probs());
  each.em.em.posterior = none.em.em.posterior = PosteriorMode::kPrior;
  EXPECT_EQ(predict(*each.trained(), *each.data).value, predict(*none.trained(), *none.data).value);
}

// p_T is that of the weights that predict, not of the round in which they were found.
TEST(LastLayer, PosteriorIsThatOfTheKeptWeights) {
  const Setting setting = last_layer();
  std::vector<Problem> problems = {Problem(setting.parts(), setting.problem)};
  EmLearner learner(problems, setting.em);
  fit(learner);
  const EStep e_step(problems, setting.em.em, setting.em.mcmc, setting.em.seed);
  EXPECT_EQ(learner.posterior().log_probs(), e_step.run(4.0, 1, {}).posterior.p.log_probs());
}

TEST(LastLayer, RefusesWhatItCannotJudge) {
  Setting one = last_layer();
  one.gcn.stack.layers = 1;
  EXPECT_THROW(one.learner(), UsageError);
  ProblemParts parts = last_layer().parts();
  parts.network = std::make_shared<Sgc>(SgcOptions{}, shape_of(*parts.data, *parts.task), 5);
  EXPECT_THROW(Problem(parts, last_layer().problem), UsageError);
  for (Dataset gaps : {noisy_labels({}, 1), noisy_values({}, 1)}) {
    const auto row = static_cast<size_t>(gaps.split.train.front());
    gaps.labels.value[row * gaps.labels.names.size()] = std::numeric_limits<double>::quiet_NaN();
    const Setting setting = last_layer(std::make_shared<const Data>(std::move(gaps)));
    EXPECT_THROW(setting.trained(), UsageError);
  }
}

}  // namespace
}  // namespace emgnn
