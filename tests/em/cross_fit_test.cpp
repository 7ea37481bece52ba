// SPDX-License-Identifier: Apache-2.0
// Several networks in step, each judged by the labels that it has not seen.
#include <gtest/gtest.h>

#include <cmath>

#include "../base/with_threads.h"
#include "cross_fit.h"

#include <emgnn/em/em_learner.h>
#include <emgnn/learn/network_learner.h>
#include <emgnn/learn/weight_average.h>

namespace emgnn {
namespace {

struct Trained {
  std::vector<std::vector<at::Tensor>> weights;  // of each network
  std::vector<std::vector<double>> losses;       // of each network on its own evidence
  std::vector<Prediction> predictions;           // of each network, under equally likely graphs
  std::vector<double> posterior;
  Prediction prediction;
  FitSummary summary;
};

GraphWeights equal_weights(const GraphFamily& family) {
  const Posterior p = Posterior::uniform(family.all_ids());
  return {p.lam_ids(), p.log_probs()};
}

// Trains the problems together and looks at each afterwards.
Trained trained(const Setting& setting, std::vector<Problem> problems) {
  EmLearner learner(problems, setting.em);
  fit(learner);
  Trained out;
  const std::vector<int32_t>& rows = setting.data->predicted_rows();
  for (Problem& problem : problems) {
    out.weights.push_back(values_of(problem.network()));
    out.losses.push_back(problem.losses(problem.family().all_ids(), {}));
    out.predictions.push_back(problem.predict(equal_weights(problem.family()), rows, {}));
  }
  out.posterior = learner.posterior().log_probs();
  out.prediction = learner.predict(rows, {});
  out.summary = learner.summary();
  return out;
}

bool equal(const std::vector<at::Tensor>& a, const std::vector<at::Tensor>& b) {
  if (a.size() != b.size()) return false;
  for (size_t i = 0; i < a.size(); ++i)
    if (!a[i].equal(b[i])) return false;
  return true;
}

TEST(CrossFit, NetworksInStepAreThoseTrainedAloneBitForBit) {
  std::vector<Setting> settings(3, deaf_setting());
  settings[1].em.em.variant = Variant::kPo;
  settings[1].em.em.explore = 0.0;
  settings[1].problem.agreement = {.weight = 0.5, .balance = 0.5};
  // Networks stop at different epochs, and keep earlier weights than their last.
  settings[2].em.em.posterior = PosteriorMode::kPrior;
  settings[2].em.optim.learning_rate = 0.1;
  settings[2].em.optim.average = 0.8;
  settings[2].em.stop = {.rule = "loss", .patience = 2};
  for (const Setting& setting : settings) {
    const Folds folds = folds_of(setting);
    const Trained together = trained(setting, members(setting, folds));
    for (size_t k = 0; k < folds.size(); ++k) {
      const Trained alone = trained(setting, {member(setting, folds, k, setting.parts())});
      EXPECT_TRUE(equal(together.weights[k], alone.weights[0])) << k;
      EXPECT_EQ(together.losses[k], alone.losses[0]) << k;
      EXPECT_EQ(together.predictions[k].value, alone.predictions[0].value) << k;
      EXPECT_GE(together.summary.epochs, alone.summary.epochs);
      EXPECT_EQ(equal(together.weights[0], together.weights[k]), k == 0);
    }
  }
}

TEST(CrossFit, NetworksMayStopAtDifferentEpochs) {
  Setting setting = deaf_setting();
  setting.em.em.posterior = PosteriorMode::kPrior;
  setting.em.optim.learning_rate = 0.1;
  setting.em.stop = {.rule = "loss", .patience = 2};
  const Folds folds = folds_of(setting);
  std::vector<int64_t> epochs;
  for (size_t k = 0; k < folds.size(); ++k)
    epochs.push_back(trained(setting, {member(setting, folds, k, setting.parts())}).summary.epochs);
  EXPECT_NE(*std::min_element(epochs.begin(), epochs.end()),
            *std::max_element(epochs.begin(), epochs.end()));
  EXPECT_EQ(trained(setting, members(setting, folds)).summary.epochs,
            *std::max_element(epochs.begin(), epochs.end()));
}

TEST(CrossFit, NoLabelReachesTheNetworkThatIsJudgedByIt) {
  const Setting setting = deaf_setting();
  const Folds folds = folds_of(setting);
  const Trained before = trained(setting, members(setting, folds));
  for (size_t k = 0; k < folds.size(); ++k) {
    Setting other = setting;
    Dataset changed = *setting.data->graph();
    for (int32_t row : folds[k]) {
      int32_t& cls = changed.labels.cls[static_cast<size_t>(row)];
      cls = (cls + 1) % changed.labels.num_classes();
    }
    other.data = std::make_shared<const Data>(std::move(changed));
    const Trained after = trained(other, members(other, folds));
    for (size_t m = 0; m < folds.size(); ++m)
      EXPECT_EQ(equal(before.weights[m], after.weights[m]), m == k) << k << " " << m;
    EXPECT_NE(before.losses[k], after.losses[k]);
  }
}

TEST(CrossFit, JudgesGraphsByTheLossOnAllLabelsThatWereHeldOut) {
  for (PosteriorMode mode : {PosteriorMode::kAuto, PosteriorMode::kExact}) {
    Setting setting = deaf_setting();
    setting.em.em.posterior = mode;
    const Folds folds = folds_of(setting);
    const Trained t = trained(setting, members(setting, folds));
    const size_t graphs = t.losses[0].size();
    std::vector<double> losses(graphs, 0.0);
    for (size_t k = 0; k < folds.size(); ++k)
      for (size_t g = 0; g < graphs; ++g)
        losses[g] += t.losses[k][g] * static_cast<double>(folds[k].size()) /
                     static_cast<double>(setting.data->split().train.size());
    const double eta = setting.em.em.eta + 3 * setting.em.em.eta_step;
    std::vector<int64_t> ids(graphs);
    for (size_t g = 0; g < graphs; ++g) ids[g] = static_cast<int64_t>(g);
    const Posterior want = Posterior::gibbs(ids, losses, {}, eta);
    // A mean of 30 losses of at most 5 is off by 30·5 ε, times η.
    for (size_t g = 0; g < graphs; ++g)
      EXPECT_NEAR(t.posterior[g], want.log_probs()[g], 2 * eta * 150 * 2.3e-16);
  }
}

TEST(CrossFit, ResumedTrainingPredictsTheSameBytes) {
  Setting setting = full_setting();
  setting.em.em.rounds = 2;
  setting.em.em.steps = 2;
  setting.em.em.warmup = 2;
  setting.em.stop = {.rule = "accuracy", .patience = 3};
  const auto whole = cross_fit(setting);
  fit(*whole);
  const std::string state = state_of(*whole);
  const Prediction want = predict(*whole, *setting.data);
  int chance = 0, in_finish = 0;
  for (bool stopped = true; stopped; ++chance) {
    StopAt observer(chance);
    const auto first = cross_fit(setting), second = cross_fit(setting);
    stopped = interrupted(*first, observer);
    in_finish += stopped && first->summary().epochs == whole->summary().epochs ? 1 : 0;
    if (!observer.state.empty()) restore(*second, observer.state);
    fit(*second);
    EXPECT_TRUE(state_of(*second) == state) << "chance " << chance;
    const Prediction got = predict(*second, *setting.data);
    EXPECT_EQ(got.value, want.value) << "chance " << chance;
    EXPECT_EQ(got.graph_part, want.graph_part) << "chance " << chance;
  }
  // The E-step at the end runs each network once, and the last temperature none.
  EXPECT_EQ(in_finish, static_cast<int>(kFolds));
  EXPECT_GE(chance, 6 + 3 * static_cast<int>(kFolds) + 1);
}

TEST(CrossFit, EveryCheckpointLeadsToTheSameBits) {
  Setting setting = full_setting();
  setting.em.em.rounds = 2;
  setting.em.em.steps = 2;
  setting.em.em.warmup = 1;
  // Inside the E-steps and the one at the end: a chance behind each network but the last.
  EXPECT_GE(expect_same_from_every_checkpoint([&] { return cross_fit(setting); }, 25),
            5 + 3 * (kFolds - 1));
}

TEST(CrossFit, ResumesWithAGibbsPosteriorThatIsSampled) {
  Setting setting = full_setting();
  setting.em.em.posterior = PosteriorMode::kMcmc;
  setting.em.em.rounds = 2;
  setting.em.em.steps = 1;
  setting.em.em.warmup = 1;
  setting.em.mcmc = {.steps = 200, .chains = 2, .burn_in = 10};
  expect_resumable([&] { return cross_fit(setting); });
}

TEST(CrossFit, StoredModelPredictsTheSame) {
  const Setting setting = full_setting();
  const auto first = cross_fit(setting), second = cross_fit(setting);
  fit(*first);
  restore(*second, state_of(*first, Scope::kModel), Scope::kModel);
  const Prediction want = predict(*first, *setting.data), got = predict(*second, *setting.data);
  EXPECT_EQ(got.value, want.value);
  EXPECT_EQ(got.graph_part, want.graph_part);
  EXPECT_EQ(second->posterior().log_probs(), first->posterior().log_probs());
  EXPECT_EQ(state_of(*second, Scope::kModel), state_of(*first, Scope::kModel));
}

TEST(CrossFit, BitsDoNotDependOnThreads) {
  const Setting setting = full_setting();
  const auto run = [&] {
    const auto learner = cross_fit(setting);
    fit(*learner);
    return state_of(*learner);
  };
  EXPECT_EQ(with_threads(1, run), with_threads(3, run));
}

// The mean of probabilities over networks, as log-probabilities.
std::vector<double> mean_of(const std::vector<Prediction>& networks) {
  std::vector<double> out(networks[0].value.size(), 0.0);
  for (const Prediction& p : networks)
    for (size_t i = 0; i < out.size(); ++i)
      out[i] += std::exp(p.value[i]) / static_cast<double>(networks.size());
  for (double& v : out) v = std::log(v);
  return out;
}

// Logarithms of means of probabilities that agree to a few hundred roundings, relatively.
void expect_same_logarithms(const std::vector<double>& got, const std::vector<double>& want) {
  ASSERT_EQ(got.size(), want.size());
  for (size_t i = 0; i < got.size(); ++i) EXPECT_NEAR(got[i], want[i], 1e-13) << i;
}

TEST(CrossFit, WithThePriorAveragesAllNetworksAndGraphsAlike) {
  Setting setting = full_setting();
  setting.em.em.posterior = PosteriorMode::kPrior;
  setting.em.em.temperature = GraphTemperature::kNone;
  const Trained t = trained(setting, members(setting, folds_of(setting)));
  for (double lp : t.posterior)
    EXPECT_NEAR(lp, -std::log(static_cast<double>(t.posterior.size())), 1e-15);
  expect_same_logarithms(t.prediction.value, mean_of(t.predictions));
}

TEST(CrossFit, StackedPosteriorIsNotThePrior) {
  const Setting setting = full_setting();
  const Trained t = trained(setting, members(setting, folds_of(setting)));
  const auto [low, high] = std::minmax_element(t.posterior.begin(), t.posterior.end());
  EXPECT_GT(*high - *low, 1e-3);
}

// One edge type, one point.
Setting one_graph() {
  Setting out = deaf_setting();
  Dataset data = *small_data()->graph();
  data.graph.relations.resize(1);
  out.data = std::make_shared<const Data>(std::move(data));
  out.mixture.step = 1.0;
  return out;
}

TEST(CrossFit, OnOneGraphIsTheAverageOfPlainNetworks) {
  for (const char* rule : {"never", "loss"}) {
    Setting setting = one_graph();
    setting.em.em.posterior = PosteriorMode::kStack;
    setting.em.em.warmup = 0;  // it does not validate
    setting.em.em.draws = 1;   // of one graph, each would drop other numbers
    setting.em.stop = {.rule = rule, .patience = 3};
    setting.em.optim.learning_rate = 0.05;
    const Folds folds = folds_of(setting);
    const Trained t = trained(setting, members(setting, folds));
    EXPECT_EQ(t.posterior, (std::vector<double>{0.0}));
    std::vector<Prediction> plain;
    for (size_t k = 0; k < folds.size(); ++k) {
      Problem problem = member(setting, folds, k, setting.parts());
      NetworkLearner network(problem,
                             {.fit = {20}, .optim = setting.em.optim, .stop = setting.em.stop});
      fit(network);
      EXPECT_TRUE(equal(values_of(problem.network()), t.weights[k])) << rule << " " << k;
      plain.push_back(predict(network, *setting.data));
    }
    expect_same_logarithms(t.prediction.value, mean_of(plain));
  }
}

TEST(CrossFit, OneNetworkOnOneGraphIsAPlainNetwork) {
  Setting setting = one_graph();
  setting.em.em.warmup = 0;
  setting.em.em.draws = 1;
  setting.problem.seed = setting.em.seed;
  const auto em = setting.trained();
  NetworkLearner network(Problem(setting.parts(), setting.problem),
                         {.fit = {20}, .optim = setting.em.optim, .stop = setting.em.stop});
  fit(network);
  EXPECT_EQ(predict(*em, *setting.data).value, predict(network, *setting.data).value);
}

}  // namespace
}  // namespace emgnn
