// SPDX-License-Identifier: Apache-2.0
#include <emgnn/em/molecule_problem.h>

#include <gtest/gtest.h>

#include <cmath>

#include <emgnn/base/error.h>
#include <emgnn/base/threads.h>
#include <emgnn/data/load_molecules.h>
#include <emgnn/data/molecule_split.h>
#include <emgnn/em/experiment.h>

#include "same_training.h"

namespace emgnn {
namespace {

using testing::expect_same;
using testing::StopAt;

// The radius of gyration is a matter of distances: what the family is about.
const MoleculeTable& toy() {
  static const MoleculeTable table =
      load_molecules({.name = "toy-molecules", .data_dir = {}, .options = {}, .use_cache = false});
  return table;
}

const Split& toy_split() {
  static const Split split = make_split(toy(), {.spec = "random:0.8/0.1/0.1", .seed = 3});
  return split;
}

RunConfig small_config(const std::string& method) {
  RunConfig config = default_config(method, "none");
  config.train.model = {
      .layers = 2, .hidden = 16, .dropout = 0.1, .norm = Norm::kBatch, .head = 16};
  config.train.space.radius_step = 0.5;
  config.train.em.rounds = 3;
  config.train.em.steps = 2;
  config.train.em.warmup = method == "em-gcn-star" ? 1 : 0;
  config.train.em.draws = 8;
  config.train.optim = {.learning_rate = 0.01, .batch = 64};
  config.train.stop = {.rule = StopRule::kRmse};
  return config;
}

TrainResult train(const MoleculeTable& table, const Split& split, const RunConfig& config,
                  const std::string& method = "em-gcn-star") {
  Experiment experiment(table, split, method, config, 5);
  Observer quiet;
  return experiment.trainer().run(quiet);
}

class Losses : public Observer {
 public:
  void on_step(const StepInfo& info) override { train.push_back(info.train_loss); }
  std::vector<double> train;
};

TEST(MoleculeProblem, LearnsMoreThanTheMean) {
  for (const char* method : {"gcn-star", "em-gcn-star"}) {
    RunConfig config = small_config(method);
    config.train.em.rounds = 6;
    config.train.em.steps = 4;
    Experiment experiment(toy(), toy_split(), method, config, 5);
    Losses losses;
    const TrainResult result = experiment.trainer().run(losses);
    EXPECT_LT(losses.train.back(), 0.5 * losses.train.front()) << method;
    // R² of predicting the mean is 0.
    EXPECT_GT(result.test.r2, 0.5) << method;
    EXPECT_GT(result.validation.r2, 0.5) << method;
    EXPECT_EQ(result.test.task, Task::kRegression);
  }
}

TEST(MoleculeProblem, PlainNetworkHasOneGraphAndNoSpread) {
  const TrainResult result = train(toy(), toy_split(), small_config("gcn-star"), "gcn-star");
  EXPECT_EQ(result.posterior.lam_ids(), std::vector<int64_t>{0});
  EXPECT_EQ(result.prediction.spread.abs().max().item<double>(), 0.0);
}

TEST(MoleculeProblem, BitsDoNotDependOnThreads) {
  set_num_threads(1);
  const TrainResult one = train(toy(), toy_split(), small_config("em-gcn-star"));
  set_num_threads(3);
  expect_same(one, train(toy(), toy_split(), small_config("em-gcn-star")));
}

TEST(MoleculeProblem, ResumedRunEqualsTheUninterruptedOne) {
  RunConfig config = small_config("em-gcn-star");
  config.train.optim.average = 0.8;
  const TrainResult want = train(toy(), toy_split(), config);
  for (int chance : {1, 2, 4, 9}) {
    StopAt observer(chance);
    Experiment first(toy(), toy_split(), "em-gcn-star", config, 5);
    EXPECT_THROW(first.trainer().run(observer), Interrupted);
    Experiment second(toy(), toy_split(), "em-gcn-star", config, 5);
    second.trainer().resume(observer.last);
    Observer quiet;
    expect_same(want, second.trainer().run(quiet));
  }
}

TEST(MoleculeProblem, TargetsOutsideTheTrainingSetChangeNothingButTheScores) {
  RunConfig config = small_config("em-gcn-star");
  config.train.stop.rule = StopRule::kNever;  // validation selects nothing
  MoleculeTable other = toy();
  for (const auto* part : {&toy_split().validation, &toy_split().test}) {
    for (int32_t m : *part) other.target[static_cast<size_t>(m)] += 100.0;
  }
  const TrainResult a = train(toy(), toy_split(), config), b = train(other, toy_split(), config);
  EXPECT_TRUE(a.prediction.value.equal(b.prediction.value));
  EXPECT_EQ(a.posterior.log_probs(), b.posterior.log_probs());
  EXPECT_GT(b.test.rmse, a.test.rmse + 90.0);
}

TEST(MoleculeProblem, AUnitIsOnlyAUnit) {
  RunConfig config = small_config("em-gcn-star");
  MoleculeTable other = toy();
  // A power of two: the standardised targets keep their bits.
  for (double& y : other.target) y *= 1024.0;
  const TrainResult a = train(toy(), toy_split(), config), b = train(other, toy_split(), config);
  EXPECT_EQ(1024.0 * a.test.rmse, b.test.rmse);
  EXPECT_EQ(1024.0 * a.test.mae, b.test.mae);
  EXPECT_EQ(a.test.r2, b.test.r2);
  EXPECT_EQ(a.validation.loss, b.validation.loss);
}

TEST(MoleculeProblem, NoBatchIsASingleMolecule) {
  RunConfig config = small_config("gcn-star");
  const auto batches = [&](int64_t molecules, int64_t batch) {
    Split split = toy_split();
    split.train.resize(static_cast<size_t>(molecules));
    config.train.optim.batch = batch;
    return Experiment(toy(), split, "gcn-star", config, 0).problem().num_batches();
  };
  EXPECT_EQ(batches(128, 64), 2);
  EXPECT_EQ(batches(129, 64), 2);  // 64 and 65
  EXPECT_EQ(batches(130, 64), 3);
  EXPECT_EQ(batches(10, 64), 1);
  EXPECT_EQ(batches(1, 64), 1);
}

TEST(MoleculeProblem, WhatCannotBeTrainedIsRefused) {
  RunConfig config = small_config("em-gcn-star");
  MoleculeTable no_target = toy();
  no_target.target.clear();
  EXPECT_THROW(Experiment(no_target, toy_split(), "em-gcn-star", config, 0), UsageError);
  EXPECT_THROW(Experiment(toy(), toy_split(), "em-gcn", config, 0), UsageError);
  config.train.stop.rule = StopRule::kAccuracy;
  EXPECT_THROW(Experiment(toy(), toy_split(), "em-gcn-star", config, 0), UsageError);
  config.train.stop.rule = StopRule::kRmse;
  MoleculeTable flat = toy();
  flat.molecules.num_conformers = 0;
  EXPECT_THROW(Experiment(flat, toy_split(), "em-gcn-star", config, 0), UsageError);
}

}  // namespace
}  // namespace emgnn
