// SPDX-License-Identifier: Apache-2.0
#include <emgnn/learn/fit_loop.h>

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <set>

#include "bare_network.h"
#include "interruption.h"

#include <emgnn/learn/weight_average.h>

namespace emgnn {
namespace {

using Weights = std::vector<float>;

class TwoWeights : public BareNetwork {
 public:
  TwoWeights() {
    add_parameter("w", at::tensor({1.0F, -2.0F}), 0);
    add_buffer("b", at::zeros({1}));
  }
  Weights now() const {
    const float* w = parameters()[0].value.data_ptr<float>();
    return {w[0], w[1], buffers()[0].value.data_ptr<float>()[0]};
  }
};

struct Script {
  LoopOptions loop{.optim = {.learning_rate = 0.1, .weight_decay = 0.0},
                   .stop = {},
                   .rule = {.name = "loss", .score = ""}};
  int64_t epochs = 7, steps = 3, warmup = 0;
  std::vector<double> losses;  // of the validations; empty: a function of the weights
  int64_t begins_every = 0;    // 0: never
  int64_t parts = 1;           // of a beginning
  Scores scores;               // of every validation
};

// Descends towards points that depend on the step, and remembers what it was asked.
class Scripted : public Learner, private FitStep {
 public:
  explicit Scripted(Script script) : script_(std::move(script)), loop_({network_}, script_.loop) {}

  void fit(FitObserver& observer) override { loop_.run(*this, observer, *this); }
  FitSummary summary() const override { return {loop_.epochs(), loop_.stopped_early(), {}}; }
  Prediction predict(std::span<const int32_t> /*rows*/, const Poll& /*poll*/) override {
    return {};
  }
  void visit_state(StateVisitor& visitor) override {
    loop_.visit_state(visitor);
    if (visitor.training()) visitor.number("part", part_);
  }

  const TwoWeights& network() const { return *network_; }

  std::vector<std::pair<int64_t, int64_t>> steps;  // (epoch, step) of each descent
  std::vector<Weights> trained;                    // before each descent
  std::vector<Weights> validated, begun, ended;    // at each validation, beginning, end
  std::vector<int64_t> begun_epochs;
  std::vector<size_t> kept;  // the number of validations at each keep

 private:
  int64_t max_epochs() const override { return script_.epochs; }
  int64_t steps_per_epoch(size_t /*member*/) const override { return script_.steps; }
  bool needs_beginning(int64_t epoch) const override {
    return script_.begins_every > 0 && epoch % script_.begins_every == 0;
  }
  void begin_epoch(int64_t epoch, FitObserver& /*observer*/) override {
    begun_epochs.push_back(epoch);
    begun.push_back(network_->now());
    part_ = (part_ + 1) % script_.parts;
  }
  bool has_begun(int64_t /*epoch*/) const override { return part_ == 0; }
  void end_epoch(size_t /*member*/, int64_t /*epoch*/) override {
    ended.push_back(network_->now());
  }
  int64_t round(int64_t epoch) const override { return epoch + 100; }
  double descend(size_t /*member*/, int64_t epoch, int64_t step) override {
    steps.emplace_back(epoch, step);
    trained.push_back(network_->now());
    const at::Tensor& w = network_->parameters()[0].value;
    const double target = step % 2 == 0 ? 0.5 : -0.2;
    w.mutable_grad() = (w.detach() - target) * 2.0;
    at::Tensor(network_->buffers()[0].value).add_(1.0);
    return static_cast<double>(step);
  }
  bool validates(int64_t epoch) const override { return epoch >= script_.warmup; }
  PartScores validate(size_t /*member*/, Ranks /*ranks*/) override {
    validated.push_back(network_->now());
    if (!script_.losses.empty()) return {script_.losses.at(validated.size() - 1), script_.scores};
    return {std::abs(validated.back()[0] - 0.4) + std::abs(validated.back()[1] + 1.1),
            script_.scores};
  }
  void keep(size_t /*member*/) override { kept.push_back(validated.size()); }

  Script script_;
  int64_t part_ = 0;
  std::shared_ptr<TwoWeights> network_ = std::make_shared<TwoWeights>();
  FitLoop loop_;
};

class Records : public FitObserver {
 public:
  void on_epoch(const EpochRecord& epoch) override { epochs.push_back(epoch); }
  void on_checkpoint(Learner& /*learner*/) override { ++checkpoints; }
  std::set<int64_t> validations() const {
    std::set<int64_t> out;
    for (const EpochRecord& record : epochs)
      if (record.validation) out.insert(record.epoch);
    return out;
  }
  std::vector<EpochRecord> epochs;
  int checkpoints = 0;
};

TEST(FitLoop, CountsEpochsAndGradientSteps) {
  Scripted learner({});
  Records records;
  learner.fit(records);
  ASSERT_EQ(learner.steps.size(), 21U);
  for (int64_t k = 0; k < 21; ++k)
    EXPECT_EQ(learner.steps[static_cast<size_t>(k)], std::pair(k / 3, k));
  ASSERT_EQ(records.epochs.size(), 7U);
  for (int64_t e = 0; e < 7; ++e) {
    const EpochRecord& record = records.epochs[static_cast<size_t>(e)];
    EXPECT_EQ(record.epoch, e + 1);
    EXPECT_EQ(record.max_epochs, 7);
    EXPECT_EQ(record.round, e + 100);
    EXPECT_EQ(record.train_loss, 3.0 * static_cast<double>(e) + 1.0);  // the mean of its steps
  }
  EXPECT_EQ(learner.summary().epochs, 7);
  EXPECT_FALSE(learner.summary().stopped_early);
}

TEST(FitLoop, ValidatesEveryFewEpochsAfterTheWarmUpAndAtTheEnd) {
  Script script;
  script.loop.stop.every = 3;
  Scripted all(script);
  Records records;
  all.fit(records);
  EXPECT_EQ(records.validations(), (std::set<int64_t>{3, 6, 7}));
  script.warmup = 4;  // epochs 1 to 4
  Scripted later(script);
  Records later_records;
  later.fit(later_records);
  EXPECT_EQ(later_records.validations(), (std::set<int64_t>{6, 7}));
}

TEST(FitLoop, LeavesTheBestWeightsAndBuffersInTheNetwork) {
  Script script;
  script.losses = {5.0, 3.0, 4.0, 1.0, 2.0, 1.0, 9.0};
  Scripted learner(script);
  fit(learner);
  EXPECT_EQ(learner.kept, (std::vector<size_t>{1, 2, 4}));
  EXPECT_EQ(learner.network().now(), learner.validated[3]);
  EXPECT_EQ(learner.network().now()[2], 12.0F);  // the buffer after four epochs of three steps
  script.loop.rule.name = "never";
  Scripted last(script);
  fit(last);
  EXPECT_EQ(last.network().now(), last.validated[6]);
}

TEST(FitLoop, ABeginningInPartsIsAskedForUntilItIsDone) {
  const Script script{.epochs = 4, .losses = {}, .begins_every = 2, .parts = 3, .scores = {}};
  Scripted learner(script);
  Records records;
  learner.fit(records);
  EXPECT_EQ(learner.begun_epochs, (std::vector<int64_t>{0, 0, 0, 2, 2, 2}));
  EXPECT_EQ(records.epochs.size(), 4U);
  // Before each part of a beginning, and before each epoch.
  EXPECT_EQ(expect_resumable([&] { return std::make_unique<Scripted>(script); }),
            4 * 3 + 2 * 2 + 1);
}

TEST(FitLoop, AnEpochEndsWithTheWeightsThatAreValidated) {
  for (const double average : {0.0, 0.5}) {
    Script script;
    script.loop.optim.average = average;
    Scripted learner(script);
    fit(learner);
    EXPECT_EQ(learner.ended, learner.validated);
    EXPECT_EQ(learner.ended.size(), 7U);
  }
}

TEST(FitLoop, StopsWhenPatienceIsOver) {
  Script script;
  script.losses = {5.0, 3.0, 4.0, 3.5, 3.2, 1.0, 9.0};
  script.loop.stop.patience = 3;
  Scripted learner(script);
  fit(learner);
  EXPECT_EQ(learner.summary().epochs, 5);
  EXPECT_TRUE(learner.summary().stopped_early);
  EXPECT_EQ(learner.network().now(), learner.validated[1]);
}

TEST(FitLoop, RefusesToBeJudgedByAScoreThatDoesNotExist) {
  Script script;
  script.loop.rule = {.name = "roc_auc", .score = "roc_auc"};
  script.scores = {{"roc_auc", std::numeric_limits<double>::quiet_NaN()}};
  Scripted learner(script);
  EXPECT_THROW(fit(learner), UsageError);
  script.scores = {{"roc_auc", 0.5}};
  Scripted other(script);
  EXPECT_NO_THROW(fit(other));
}

// The loop by hand: Adam, and the average after each epoch.
TEST(FitLoop, AverageIsValidatedAndKeptWhileTrainingGoesOnWithoutIt) {
  Script script{.steps = 1, .begins_every = 2};
  script.loop.rule.name = "never";
  script.loop.optim.average = 0.5;
  Scripted learner(script);
  fit(learner);
  Script plain = script;
  plain.loop.optim.average = 0.0;
  Scripted without(plain);
  fit(without);
  EXPECT_EQ(learner.trained, without.trained);
  std::vector<at::Tensor> average;
  TwoWeights network;
  for (size_t e = 0; e < 7; ++e) {
    const Weights& after = without.validated[e];  // of epoch e, as trained
    assign(network, {at::tensor({after[0], after[1]}), at::tensor({after[2]})});
    update_average(average, network, 0.5, static_cast<int64_t>(e));
    const WithAverage with(network, average);
    EXPECT_EQ(learner.validated[e], network.now()) << e;
    EXPECT_EQ(learner.validated[e] == after, e == 0) << e;
  }
  EXPECT_EQ(learner.network().now(), learner.validated[6]);
  // What happens at the beginning of an epoch sees the weights that predict.
  EXPECT_EQ(learner.begun_epochs, (std::vector<int64_t>{0, 2, 4, 6}));
  EXPECT_EQ(learner.begun[1], learner.validated[1]);
}

TEST(FitLoop, LearningRateFollowsTheShareOfEpochsThatAreOver) {
  Script constant{.epochs = 2, .steps = 1};
  constant.loop.rule.name = "never";
  Script falling = constant;
  falling.loop.optim.schedule = Schedule::kCosine;
  Scripted cosine(falling), plain(constant);
  fit(cosine);
  fit(plain);
  // Adam's first step is the learning rate, in the direction of the target.
  EXPECT_NEAR(cosine.trained[1][0], 1.0 - 0.1, 1e-6);
  // Half of the run is over: half the learning rate.
  EXPECT_NEAR(cosine.trained[1][0] - cosine.network().now()[0],
              (plain.trained[1][0] - plain.network().now()[0]) / 2, 1e-6);
}

TEST(FitLoop, InterruptionAtEveryEpochLeavesACheckpointThatEndsTheSame) {
  for (double average : {0.0, 0.8}) {
    for (const char* rule : {"loss", "never"}) {
      Script script{.warmup = 2};
      script.loop.optim.average = average;
      script.loop.rule.name = rule;
      const int chances = expect_resumable([&] { return std::make_unique<Scripted>(script); });
      // Before each epoch, between its gradient steps, and once not at all.
      EXPECT_EQ(chances, 7 * 3 + 1);
    }
  }
}

TEST(FitLoop, ResumedTrainingStopsAtTheSameEpoch) {
  Script script{.epochs = 40};
  script.loop.stop.patience = 4;
  Scripted whole(script);
  fit(whole);
  ASSERT_TRUE(whole.summary().stopped_early);
  StopAt observer(3 * (static_cast<int>(whole.summary().epochs) - 1));
  Scripted first(script), second(script);
  EXPECT_TRUE(interrupted(first, observer));
  restore(second, observer.state);
  fit(second);
  EXPECT_EQ(second.summary().epochs, whole.summary().epochs);
  EXPECT_TRUE(second.summary().stopped_early);
  EXPECT_EQ(second.steps.size(), 3U);  // the epoch that was left
}

TEST(FitLoop, FinishedTrainingIsNotRepeated) {
  Scripted first({}), second({});
  fit(first);
  const std::string state = state_of(first);
  restore(second, state);
  fit(second);
  EXPECT_TRUE(second.steps.empty());
  EXPECT_EQ(second.network().now(), first.network().now());
  EXPECT_EQ(state_of(second), state);
}

TEST(FitLoop, HandsOutACheckpointBeforeItIsInterruptedAndBeforeLongWork) {
  // It asks before every epoch and between its three gradient steps.
  const std::pair<int, const char*> expected[] = {
      {9, "interrupted after 3 of 7 epochs"},
      {11, "interrupted in epoch 4 of 7, after 2 of its 3 gradient steps"}};
  for (const auto& [chance, words] : expected) {
    StopAt observer(chance);
    Scripted learner({});
    try {
      learner.fit(observer);
      FAIL();
    } catch (const Interrupted& stopped) {
      EXPECT_STREQ(stopped.what(), words);
    }
    EXPECT_FALSE(observer.state.empty());
  }
  Records records;
  Scripted with_beginnings({.begins_every = 3});
  with_beginnings.fit(records);
  EXPECT_GE(records.checkpoints, 1);  // before epoch 0, and before 3 and 6 if it is old
  EXPECT_LE(records.checkpoints, 3);
}

TEST(FitLoop, EveryCheckpointLeadsToTheSameBits) {
  Scores scores{{"accuracy", 0.5}, {"macro_f1", 0.25}};
  for (double average : {0.0, 0.7}) {
    Script script{.begins_every = 2, .parts = 3, .scores = scores};
    script.loop.optim.average = average;
    const auto make = [&] { return std::make_shared<Scripted>(script); };
    // Behind two of the three gradient steps of each epoch, before it, and between parts.
    EXPECT_GT(expect_same_from_every_checkpoint(make), 7U * 3U);
  }
}

TEST(FitLoop, AStoredModelIsTheWeightsAndNothingElse) {
  Scripted learner({});
  fit(learner);
  const std::string model = state_of(learner, Scope::kModel);
  const TensorArchive archive = decode_tensors(model, "f");
  std::set<std::string> names;
  for (const auto& [name, data] : archive.tensors) names.insert(name);
  EXPECT_EQ(names, (std::set<std::string>{"weight/w", "weight/b"}));
  Scripted other({});
  restore(other, model, Scope::kModel);
  EXPECT_EQ(other.network().now(), learner.network().now());
  // It is no checkpoint; a checkpoint holds a model.
  EXPECT_THROW(restore(other, model), DataError);
  Scripted third({});
  restore(third, state_of(learner), Scope::kModel);
  EXPECT_EQ(third.network().now(), learner.network().now());
}

}  // namespace
}  // namespace emgnn
