// SPDX-License-Identifier: Apache-2.0
#include <emgnn/em/trainer.h>

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include <emgnn/base/error.h>
#include <emgnn/base/threads.h>
#include <emgnn/data/generators.h>
#include <emgnn/em/evaluator.h>
#include <emgnn/em/experiment.h>
#include <emgnn/models/gcn.h>
#include <emgnn/models/task.h>
#include <emgnn/space/mixture.h>

#include "same_training.h"

namespace emgnn {
namespace {

using testing::expect_same;
using testing::StopAt;

Dataset small_data() {
  return noisy_relations({.num_items = 240,
                          .num_people = 120,
                          .num_places = 60,
                          .num_words = 60,
                          .train_per_class = 10,
                          .validation_per_class = 20},
                         1);
}

RunConfig small_config(const std::string& method) {
  RunConfig config = default_config(method, "noisy-relations");
  config.train.model.hidden = 8;
  config.train.em.rounds = 4;
  config.train.em.steps = 5;
  config.train.em.warmup = 3;
  config.train.em.draws = 2;
  config.train.stop.rule = StopRule::kNever;
  return config;
}

TrainResult train(const Dataset& data, const std::string& method, const RunConfig& config,
                  uint64_t seed = 5) {
  Experiment experiment(data, method, config, seed);
  Observer quiet;
  return experiment.trainer().run(quiet);
}

// The obvious loop: forward, loss, backward, Adam, on the graph as given.
at::Tensor plain_training(const Dataset& data, const RunConfig& config, uint64_t seed,
                          int64_t num_steps) {
  const auto family = MixtureFamily::observed_only(data.graph, config.train.space.normalisation);
  Gcn gcn(config.train.model, data.features.num_cols, data.num_classes(), seed);
  const Evaluator train(*family, gcn, data.features, data.split.train);
  const at::Tensor label = gather_labels(data.label, data.split.train);
  Adam adam(gcn.parameters(), config.train.optim);
  for (int64_t step = 0; step < num_steps; ++step) {
    const Pass pass{.training = true, .seed = seed, .step = static_cast<uint64_t>(step)};
    const at::Tensor logits =
        gcn.forward(train.view().observed(), gcn.embed(train.input(), pass), pass);
    cross_entropy(logits, label).mean().backward();
    adam.step();
  }
  std::vector<int32_t> rows(240);
  std::iota(rows.begin(), rows.end(), 0);
  const Evaluator all(*family, gcn, data.features, rows);
  return all.expect(Posterior::uniform({0}), Average::kLogits).log_prob;
}

TEST(Trainer, WithOnePointIsOrdinaryTrainingBitForBit) {
  const Dataset data = small_data();
  RunConfig config = small_config("gcn");
  config.train.em.warmup = 0;
  config.train.em.draws = 1;
  const at::Tensor want =
      plain_training(data, config, 5, config.train.em.rounds * config.train.em.steps);
  EXPECT_TRUE(train(data, "gcn", config).prediction.value.equal(want));
  // Warm-up steps are the same steps.
  config.train.em.warmup = 10;
  config.train.em.rounds = 2;
  EXPECT_TRUE(train(data, "gcn", config).prediction.value.equal(want));
}

TEST(Trainer, BitsDoNotDependOnThreadsOrRepetition) {
  const Dataset data = small_data();
  for (const char* method : {"gcn", "em-gcn"}) {
    set_num_threads(1);
    const TrainResult one = train(data, method, small_config(method));
    set_num_threads(3);
    expect_same(one, train(data, method, small_config(method)));
    expect_same(one, train(data, method, small_config(method)));
  }
}

TEST(Trainer, AgreementReadsNodesWithoutLabelsAndNoLabelOfThem) {
  Dataset data = small_data();
  RunConfig config = small_config("em-gcn");
  const TrainResult without = train(data, "em-gcn", config);
  config.train.agreement = {.weight = 1.0, .balance = 0.5};
  set_num_threads(1);
  const TrainResult with = train(data, "em-gcn", config);
  EXPECT_NE(with.test.loss, without.test.loss);
  set_num_threads(3);
  expect_same(with, train(data, "em-gcn", config));
  // Other labels on the test nodes change the test scores and nothing else.
  for (int32_t row : data.split.test) {
    int32_t& label = data.label[static_cast<size_t>(row)];
    label = (label + 1) % static_cast<int32_t>(data.num_classes());
  }
  EXPECT_TRUE(at::equal(train(data, "em-gcn", config).prediction.value, with.prediction.value));
}

TEST(Trainer, SeedsDiffer) {
  const Dataset data = small_data();
  EXPECT_NE(train(data, "em-gcn", small_config("em-gcn"), 1).test.loss,
            train(data, "em-gcn", small_config("em-gcn"), 2).test.loss);
}

// Interrupts at every chance there is (before a step, inside an E-step, inside the prediction).
void expect_resumable(const Dataset& data, const RunConfig& config) {
  const TrainResult want = train(data, "em-gcn", config);
  int chance = 0;
  for (bool was_interrupted = true; was_interrupted; ++chance) {
    StopAt observer(chance);
    Experiment first(data, "em-gcn", config, 5);
    was_interrupted = false;
    try {
      first.trainer().run(observer);
    } catch (const Interrupted&) {
      was_interrupted = true;
    }
    Experiment second(data, "em-gcn", config, 5);
    second.trainer().resume(observer.last);
    Observer quiet;
    expect_same(want, second.trainer().run(quiet));
  }
  EXPECT_GT(chance, 23 + 4 + 1);  // steps, E-steps, prediction
}

TEST(Trainer, ResumedRunEqualsTheUninterruptedOne) {
  const Dataset data = small_data();
  RunConfig config = small_config("em-gcn");
  config.train.stop.rule = StopRule::kAccuracy;
  expect_resumable(data, config);
  config.train.optim.average = 0.8;
  expect_resumable(data, config);
}

class Counter : public Observer {
 public:
  void on_round(const RoundInfo& info, const McmcResult* mcmc) override {
    rounds.push_back(info);
    sampled += mcmc != nullptr ? 1 : 0;
  }
  void on_step(const StepInfo& info) override { steps.push_back(info); }
  std::vector<RoundInfo> rounds;
  std::vector<StepInfo> steps;
  int sampled = 0;
};

TEST(Trainer, TellsItsObserverAboutEveryRoundAndStep) {
  const Dataset data = small_data();
  const RunConfig config = small_config("em-gcn");
  Experiment experiment(data, "em-gcn", config, 5);
  Counter counter;
  experiment.trainer().run(counter);
  ASSERT_EQ(counter.rounds.size(), 4U);
  ASSERT_EQ(counter.steps.size(), 23U);
  EXPECT_EQ(counter.steps[2].round, 0);
  EXPECT_FALSE(counter.steps[2].validation.has_value());
  EXPECT_EQ(counter.steps[3].round, 1);
  EXPECT_TRUE(counter.steps[3].validation.has_value());
  EXPECT_EQ(counter.rounds[3].eta, config.train.em.eta + 3 * config.train.em.eta_step);
  for (const RoundInfo& round : counter.rounds) {
    EXPECT_EQ(round.posterior.lam_ids().size(), 21U);
    EXPECT_TRUE(std::isfinite(round.normalizer_ratio));
    EXPECT_LE(round.normalizer_ratio, 0.0);
  }
  EXPECT_EQ(counter.sampled, 0);
}

// Compares the p_t of every round with the exact one at the same weights.
class AgainstExact : public Observer {
 public:
  explicit AgainstExact(Experiment& experiment)
      : problem_(&experiment.problem()), ids_(experiment.space().all_ids()) {}

  void on_round(const RoundInfo& info, const McmcResult* mcmc) override {
    ASSERT_NE(mcmc, nullptr);
    ++rounds;
    const Posterior exact = Posterior::gibbs(ids_, problem_->losses(ids_, {}), {}, info.eta);
    // An independent sampler with acceptance rate a has an effective sample of at least n·a/(2−a)
    // draws.
    const double a = mcmc->acceptance;
    const double draws = 398000 * a / (2 - a);
    for (int64_t id : ids_) {
      const double p = exact.prob(id);
      EXPECT_NEAR(info.posterior.prob(id), p, 4.5 * std::sqrt(p * (1 - p) / draws)) << id;
    }
  }
  int rounds = 0;

 private:
  Problem* problem_;
  std::vector<int64_t> ids_;
};

TEST(Trainer, SampledPosteriorAgreesWithTheExactOneInEveryRound) {
  const Dataset data = small_data();
  RunConfig config = small_config("em-gcn");
  config.train.em.posterior = PosteriorMode::kMcmc;
  config.train.mcmc.steps = 400000;
  Experiment experiment(data, "em-gcn", config, 5);
  AgainstExact observer(experiment);
  EXPECT_TRUE(experiment.trainer().run(observer).last_mcmc.has_value());
  EXPECT_EQ(observer.rounds, 4);
}

TEST(Trainer, RefusesABurnInThatLeavesNothingBeforeItTrains) {
  const Dataset data = small_data();
  RunConfig config = small_config("em-gcn");
  config.train.mcmc = {.steps = 100, .chains = 4, .burn_in = 25};
  EXPECT_NO_THROW(Experiment(data, "em-gcn", config, 5));  // nothing is sampled
  config.train.em.posterior = PosteriorMode::kMcmc;
  EXPECT_THROW(Experiment(data, "em-gcn", config, 5), UsageError);
  config.train.mcmc.burn_in = 24;
  EXPECT_NO_THROW(Experiment(data, "em-gcn", config, 5));
}

// Validation and test labels must not reach the posterior or the weights.
TEST(Trainer, LabelsOutsideTheTrainingSetChangeNothingButTheScores) {
  const Dataset data = small_data();
  Dataset shuffled = data;
  for (const auto* part : {&data.split.validation, &data.split.test}) {
    for (int32_t v : *part) shuffled.label[v] = (data.label[v] + 1) % data.num_classes();
  }
  const RunConfig config = small_config("em-gcn");  // stop.rule = never: validation selects nothing
  const TrainResult a = train(data, "em-gcn", config), b = train(shuffled, "em-gcn", config);
  EXPECT_TRUE(a.prediction.value.equal(b.prediction.value));
  EXPECT_EQ(a.posterior.log_probs(), b.posterior.log_probs());
  EXPECT_NE(a.test.accuracy, b.test.accuracy);
  RunConfig by_name = config;
  by_name.train.em.labels = LabelSet::kTrainAndValidation;
  EXPECT_NE(train(data, "em-gcn", by_name).posterior.log_probs(), a.posterior.log_probs());
}

TEST(Trainer, LearnsWhichRelationIsInformative) {
  const Dataset data = noisy_relations({}, 3);
  const RunConfig config = default_config("em-gcn", "noisy-relations");
  const TrainResult em = train(data, "em-gcn", config);
  const TrainResult gcn = train(data, "gcn", default_config("gcn", "noisy-relations"));
  double mean_weight = 0;
  for (int64_t id : em.posterior.lam_ids())
    mean_weight += em.posterior.prob(id) * static_cast<double>(id) / 20;
  EXPECT_GT(mean_weight, 0.7);
  EXPECT_GT(em.test.accuracy, gcn.test.accuracy + 0.03);
}

TEST(Evaluator, ExpectationIsTheAverageOverTheGraphs) {
  const Dataset data = small_data();
  const MixtureFamily family(data.graph, {});
  const Gcn gcn({.hidden = 8}, data.features.num_cols, data.num_classes(), 3);
  const Evaluator evaluator(family, gcn, data.features, data.split.test);
  const Posterior p = Posterior::from_log_prob({2, 20}, {std::log(0.3), std::log(0.7)});
  const at::NoGradGuard no_grad;
  std::vector<at::Tensor> logits;
  for (int64_t id : {2, 20}) {
    const int64_t one[] = {id};
    logits.push_back(
        gcn.forward(evaluator.view().shifts(one), gcn.embed(evaluator.input(), {}), {})[0].to(
            at::kDouble));
  }
  const at::Tensor mean_logits = 0.3 * logits[0] + 0.7 * logits[1];
  const at::Tensor mean_prob = 0.3 * at::softmax(logits[0], 1) + 0.7 * at::softmax(logits[1], 1);
  const Expectation by_logits = evaluator.expect(p, Average::kLogits);
  // The batch sums a shared input in another order than one graph does: float32 rounding of the
  // logits.
  EXPECT_TRUE(at::allclose(by_logits.log_prob, at::log_softmax(mean_logits, 1), 1e-5, 1e-5));
  EXPECT_TRUE(at::allclose(evaluator.expect(p, Average::kProbabilities).log_prob, mean_prob.log(),
                           1e-5, 1e-5));
  const at::Tensor spread =
      std::sqrt(0.3 * 0.7) * (at::softmax(logits[0], 1) - at::softmax(logits[1], 1)).abs();
  EXPECT_TRUE(at::allclose(by_logits.spread, spread, 1e-3, 1e-5));
}

}  // namespace
}  // namespace emgnn
