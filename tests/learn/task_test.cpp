// SPDX-License-Identifier: Apache-2.0
#include <emgnn/learn/task.h>

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "../models/gradient_check.h"

#include <emgnn/base/error.h>
#include <emgnn/data/target_scale.h>
#include <emgnn/learn/tasks.h>

namespace emgnn {
namespace {

constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

Labels classes(std::vector<int32_t> cls, std::vector<std::string> names = {"a", "b", "c"}) {
  return {.kind = LabelKind::kClasses,
          .num_rows = static_cast<int64_t>(cls.size()),
          .names = std::move(names),
          .cls = std::move(cls),
          .value = {}};
}

// Rows of `width` entries.
Labels entries(LabelKind kind, int64_t width, std::vector<double> value) {
  Labels labels{.kind = kind, .num_rows = static_cast<int64_t>(value.size()) / width};
  labels.names = numbered_names(static_cast<int32_t>(width), "t");
  labels.value = std::move(value);
  return labels;
}

at::Tensor outputs_of(std::vector<double> value, int64_t rows, int64_t width) {
  return at::tensor(value, at::kDouble).view({1, rows, width});
}

// A tensor's rounding of its elements, 6e-8 · 2, over h, and a third derivative below 1 times h²/6.
constexpr double kStep = 1e-2, kTolerance = 1.2e-5 + 1e-4 / 6;

void expect_loss_gradient_matches(const Task& task, const std::vector<int32_t>& rows,
                                  double tolerance = kTolerance) {
  const TargetRows target = task.target(rows);
  expect_gradient_matches(
      [&](const at::Tensor& x) { return task.row_loss(x, target); },
      random_tensor({2, static_cast<int64_t>(rows.size()), task.num_outputs()}, 1, -2.0, 2.0),
      kStep, tolerance);
}

TEST(ClassTask, LossIsTheCrossEntropyOfTheTrueClass) {
  const auto task = make_task(classes({0, 2, 1, kNoLabel}), {}, {});
  const std::vector<int32_t> rows = {2, 0};
  // Logits that are log-probabilities up to a constant.
  const at::Tensor logits = outputs_of({std::log(0.5) + 7, std::log(0.2) + 7, std::log(0.3) + 7,
                                        std::log(0.1), std::log(0.1), std::log(0.8)},
                                       2, 3);
  const TargetRows target = task->target(rows);
  const at::Tensor loss = task->row_loss(logits, target);
  EXPECT_NEAR(loss[0][0].item<double>(), -std::log(0.2), 1e-14);
  EXPECT_NEAR(loss[0][1].item<double>(), -std::log(0.1), 1e-14);
  const std::vector<double> mean = task->losses(at::cat({logits, logits * 2}), target);
  ASSERT_EQ(mean.size(), 2U);
  EXPECT_NEAR(mean[0], -(std::log(0.2) + std::log(0.1)) / 2, 1e-14);
  expect_loss_gradient_matches(*task, {0, 1, 2});
}

TEST(ClassTask, BalancedWeightsHaveMeanOneOverTheTrainingRows) {
  // Classes 0, 0, 0, 0, 1 are trained on; class c is never seen there.
  const Labels labels = classes({0, 0, 0, 0, 1, 1, 2});
  const std::vector<int32_t> train = {0, 1, 2, 3, 4};
  const auto task = make_task(labels, {.weights = ClassWeights::kBalanced}, train);
  const at::Tensor weight = task->target(train).weight;
  EXPECT_NEAR(weight.mean().item<double>(), 1.0, 1e-15);
  EXPECT_NEAR(weight[0].item<double>(), 5.0 / (2 * 4), 1e-15);
  EXPECT_NEAR(weight[4].item<double>(), 5.0 / (2 * 1), 1e-15);
  EXPECT_EQ(task->target(std::vector<int32_t>{6}).weight.item<double>(), 1.0);
  const auto plain = make_task(labels, {}, train);
  const at::Tensor z = random_tensor({2, 5, 3}, 4);
  EXPECT_TRUE(at::allclose(task->row_loss(z, task->target(train)),
                           plain->row_loss(z, plain->target(train)) * weight, 1e-14));
  expect_loss_gradient_matches(*task, train);
}

TEST(LabelTask, LossIsTheMeanBinaryCrossEntropyOfTheKnownLabels) {
  const auto task =
      make_task(entries(LabelKind::kLabels, 3, {1, 0, kUnknown, kUnknown, 1, kUnknown}), {}, {});
  const std::vector<int32_t> rows = {1, 0};
  const std::vector<double> z = {9.0, -0.4, 5.0, 1.5, 0.7, -3.0};
  const auto nll = [](double x, bool there) {
    return -std::log(1.0 / (1.0 + std::exp(there ? -x : x)));
  };
  const TargetRows target = task->target(rows);
  const at::Tensor loss = task->row_loss(outputs_of(z, 2, 3), target);
  EXPECT_NEAR(loss[0][0].item<double>(), nll(-0.4, true), 1e-12);
  EXPECT_NEAR(loss[0][1].item<double>(), (nll(1.5, true) + nll(0.7, false)) / 2, 1e-12);
  // What is not known has no say, whatever the output.
  at::Tensor x = outputs_of(z, 2, 3).set_requires_grad(true);
  task->row_loss(x, target).sum().backward();
  EXPECT_EQ(x.grad()[0][0][0].item<double>(), 0.0);
  EXPECT_EQ(x.grad()[0][1][2].item<double>(), 0.0);
  expect_loss_gradient_matches(*task, {0, 1});
}

TEST(LabelTask, BalancedWeightsCountThePositivesAsMuchAsTheNegatives) {
  const std::vector<double> value = {1, 1, 0, 1, 0, 1, 0, kUnknown, 0, 1};
  const std::vector<int32_t> train = {0, 1, 2, 3};
  const auto task =
      make_task(entries(LabelKind::kLabels, 2, value), {.weights = ClassWeights::kBalanced}, train);
  const at::Tensor weight = task->target(std::vector<int32_t>{0, 1, 2, 3, 4}).weight;
  // Label 0: one of four training rows has it. Label 1: every known one has it.
  EXPECT_EQ(weight[0][0].item<double>(), 3.0);
  EXPECT_EQ(weight[1][0].item<double>(), 1.0);
  EXPECT_EQ(weight[0][1].item<double>(), 1.0);
  EXPECT_EQ(weight[3][1].item<double>(), 0.0);
  EXPECT_EQ(weight[4][1].item<double>(), 1.0);
  // The two sides of label 0 weigh the same in the training rows.
  double there = 0.0, not_there = 0.0;
  for (int64_t i = 0; i < 4; ++i)
    (value[static_cast<size_t>(2 * i)] == 1.0 ? there : not_there) += weight[i][0].item<double>();
  EXPECT_EQ(there, not_there);
  expect_loss_gradient_matches(*task, train);
}

TEST(TargetScale, LeavesEqualTargetsUnscaledAndRefusesHugeOnes) {
  const std::vector<double> same = {2.0, 2.0, kUnknown}, huge = {1e200, -1e200};
  EXPECT_EQ(TargetScale::fit(same).std, 1.0);
  EXPECT_EQ(TargetScale::fit(same).mean, 2.0);
  EXPECT_THROW(TargetScale::fit(huge), DataError);
}

TEST(ValueTask, TargetsAreScaledByTheTrainingRowsAlone) {
  const std::vector<double> y = {1.0, 100.0, 5.0, -40.0, 3.0, kUnknown};
  const std::vector<int32_t> train = {0, 2, 4, 5};
  const auto task = make_task(entries(LabelKind::kValues, 1, y), {}, train);
  const double std = std::sqrt(8.0 / 3.0);  // of 1, 5, 3
  const at::Tensor target = task->target(std::vector<int32_t>{0, 1, 3}).value;
  EXPECT_NEAR(target[0][0].item<double>(), (1.0 - 3.0) / std, 1e-14);
  EXPECT_NEAR(target[1][0].item<double>(), (100.0 - 3.0) / std, 1e-14);
  EXPECT_NEAR(target[2][0].item<double>(), (-40.0 - 3.0) / std, 1e-14);
}

TEST(ValueTask, IsInTheUnitOfTheTargetWithoutStandardising) {
  const std::vector<double> y = {1.0, 100.0, 5.0};
  const std::vector<int32_t> rows = {0, 1};
  const auto task = make_task(entries(LabelKind::kValues, 1, y), {.standardise = false},
                              std::vector<int32_t>{0, 2});
  EXPECT_TRUE(task->target(rows).value.equal(outputs_of({1.0, 100.0}, 2, 1)[0]));
  const auto mean = task->expectation(Average::kLogits);
  mean->add(outputs_of({7.0, -3.0}, 2, 1), 1.0);
  Prediction prediction;
  mean->finish(prediction);
  EXPECT_EQ(prediction.value, (std::vector<double>{7.0, -3.0}));
}

double loss_by_hand(RegressionLoss loss, double prediction, double target) {
  const double e = std::abs(prediction - target);
  if (loss == RegressionLoss::kSquared) return e * e;
  return e < 1.0 ? e * e / 2 : e - 0.5;
}

// Two targets of which some are not known; rows 0 to 2 are trained on.
const std::vector<double> kTwoTargets = {1.0,  10.0, 2.0,      kUnknown, 6.0,
                                         30.0, 4.0,  kUnknown, -1.0,     5.0};

TEST(ValueTask, LossIsTheMeanOverTheKnownTargets) {
  const std::vector<int32_t> train = {0, 1, 2}, rows = {3, 4, 0};
  for (RegressionLoss loss : {RegressionLoss::kSquared, RegressionLoss::kSmoothL1}) {
    const auto task = make_task(entries(LabelKind::kValues, 2, kTwoTargets), {.loss = loss}, train);
    const TargetScale first = TargetScale::fit(std::vector<double>{1.0, 2.0, 6.0});
    const TargetScale second = TargetScale::fit(std::vector<double>{10.0, 30.0});
    const at::Tensor z = random_tensor({2, 3, 2}, 2, -2.0, 2.0);
    const at::Tensor each = task->row_loss(z, task->target(rows));
    const std::vector<double> mean = task->losses(z, task->target(rows));
    for (int64_t g = 0; g < 2; ++g) {
      double sum = 0.0;
      for (size_t i = 0; i < rows.size(); ++i) {
        const at::Tensor out = z[g][static_cast<int64_t>(i)];
        const double y0 = kTwoTargets[static_cast<size_t>(2 * rows[i])];
        const double y1 = kTwoTargets[static_cast<size_t>(2 * rows[i] + 1)];
        double want = loss_by_hand(loss, out[0].item<double>(), first.standardise(y0));
        if (!std::isnan(y1))
          want = (want + loss_by_hand(loss, out[1].item<double>(), second.standardise(y1))) / 2;
        EXPECT_NEAR(each[g][static_cast<int64_t>(i)].item<double>(), want, 1e-12);
        sum += want / 3;
      }
      EXPECT_NEAR(mean[static_cast<size_t>(g)], sum, 1e-12);
    }
    // Where |e| is 1 the second derivative of smooth L1 jumps by 1: a difference sees h/4 of it.
    const double kink = loss == RegressionLoss::kSmoothL1 ? kStep / 4 : 0.0;
    expect_loss_gradient_matches(*task, {0, 1, 2, 3, 4}, kTolerance + kink);
  }
}

TEST(ValueTask, ScoredLossIsThatOfTheStandardisedOutputs) {
  const std::vector<int32_t> train = {0, 1, 2}, rows = {3, 4, 0};
  for (RegressionLoss loss : {RegressionLoss::kSquared, RegressionLoss::kSmoothL1}) {
    const auto task = make_task(entries(LabelKind::kValues, 2, kTwoTargets), {.loss = loss}, train);
    const at::Tensor z = random_tensor({1, 3, 2}, 3, -2.0, 2.0);
    Prediction prediction{.rows = rows};
    const auto mean = task->expectation(Average::kLogits);
    mean->add(z, 1.0);
    mean->finish(prediction);
    const PartScores scores = task->score(prediction, Ranks::kCompute);
    EXPECT_NEAR(scores.loss, task->losses(z, task->target(rows))[0], 1e-12);
    EXPECT_TRUE(std::isfinite(scores.scores.at(task->main_score().name)));
  }
}

TEST(Task, RightOutputsAreWhatAFittedHeadIsToSay) {
  const auto same = [](const at::Tensor& got, const std::vector<double>& want) {
    return got.reshape({-1}).equal(at::tensor(want, at::kDouble));
  };
  const std::vector<int32_t> rows = {2, 0};
  const auto right = [&](const Task& task) { return task.right_outputs(task.target(rows)); };
  EXPECT_TRUE(same(right(*make_task(classes({0, 2, 1}), {}, {})), {0, 5, 0, 5, 0, 0}));
  const auto labels = [&](std::vector<double> value) {
    return make_task(entries(LabelKind::kLabels, 2, std::move(value)), {}, {});
  };
  EXPECT_TRUE(same(right(*labels({1, 0, kUnknown, 1, 0, 0})), {-5, -5, 5, -5}));
  EXPECT_THROW(right(*labels({1, kUnknown, 1, 1, 0, 0})), UsageError);
  const auto values = [&](std::vector<double> value) {
    return make_task(entries(LabelKind::kValues, 1, std::move(value)), {}, rows);
  };
  EXPECT_TRUE(same(right(*values({3, 9, 7})), {1, -1}));
  EXPECT_THROW(right(*values({3, 9, kUnknown})), UsageError);
}

TEST(ValueTask, ScaleComesBackFromItsState) {
  const Labels labels = entries(LabelKind::kValues, 2, kTwoTargets);
  const auto trained = make_task(labels, {}, std::vector<int32_t>{0, 1, 2});
  const auto fresh = make_task(labels, {}, {});
  StateWriter writer(StateVisitor::Scope::kModel);
  trained->visit_state(writer);
  StateReader reader(writer.archive, "f", StateVisitor::Scope::kModel);
  fresh->visit_state(reader);
  const at::Tensor z = random_tensor({1, 3, 2}, 3);
  Prediction a, b;
  for (const auto& [task, into] : {std::pair{trained, &a}, std::pair{fresh, &b}}) {
    const auto mean = task->expectation(Average::kLogits);
    mean->add(z, 1.0);
    mean->finish(*into);
  }
  EXPECT_EQ(a.value, b.value);
  const auto narrow = make_task(entries(LabelKind::kValues, 1, {1.0, 2.0}), {}, {});
  EXPECT_THROW(narrow->visit_state(reader), DataError);
}

TEST(MakeTask, NeedsLabels) { EXPECT_THROW(make_task(no_labels(3), {}, {}), UsageError); }

}  // namespace
}  // namespace emgnn
