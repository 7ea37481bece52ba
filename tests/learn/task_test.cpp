// SPDX-License-Identifier: Apache-2.0
#include <emgnn/learn/task.h>

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>

#include "../models/gradient_check.h"

#include <emgnn/base/error.h>
#include <emgnn/learn/target_scale.h>
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
    Prediction prediction;
    const auto mean = task->expectation(Average::kLogits);
    mean->add(z, 1.0);
    mean->finish(prediction);
    const PartScores scores = task->score(prediction.value, rows, Ranks::kCompute);
    EXPECT_NEAR(scores.loss, task->losses(z, task->target(rows))[0], 1e-12);
    EXPECT_TRUE(std::isfinite(scores.scores.at(task->main_score().name)));
  }
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

// The mean of predictions over graphs and replicates, against a direct computation in two passes.
constexpr int64_t kReplicates = 3, kRows = 4, kWidth = 2;
const std::vector<double> kProb = {0.5, 0.0, 0.2, 0.3};

// outputs [replicates, rows, width] of each graph.
std::vector<at::Tensor> outputs() {
  std::vector<at::Tensor> out;
  for (size_t g = 0; g < kProb.size(); ++g)
    out.push_back(random_tensor({kReplicates, kRows, kWidth}, g, -3.0, 3.0).to(at::kDouble));
  return out;
}

Prediction expect(const Task& task, Average average, const std::vector<at::Tensor>& graphs) {
  const auto mean = task.expectation(average);
  for (size_t g = 0; g < graphs.size(); ++g) mean->add(graphs[g], kProb[g]);
  Prediction out;
  mean->finish(out);
  return out;
}

using Of = std::function<at::Tensor(const at::Tensor&)>;

// Σ p f(z) over graphs and replicates.
at::Tensor direct_mean(const std::vector<at::Tensor>& graphs, const Of& f) {
  at::Tensor sum = at::zeros_like(f(graphs[0][0]));
  for (size_t g = 0; g < graphs.size(); ++g)
    for (int64_t r = 0; r < kReplicates; ++r) sum += f(graphs[g][r]) * (kProb[g] / kReplicates);
  return sum;
}

at::Tensor direct_spread(const std::vector<at::Tensor>& graphs, const Of& f) {
  const at::Tensor mean = direct_mean(graphs, f);
  return direct_mean(graphs, [&](const at::Tensor& z) { return (f(z) - mean).square(); }).sqrt();
}

void expect_near(const std::vector<double>& got, const at::Tensor& want, double tolerance) {
  const at::Tensor flat = want.contiguous().view(-1);
  ASSERT_EQ(static_cast<int64_t>(got.size()), flat.numel());
  for (size_t i = 0; i < got.size(); ++i)
    EXPECT_NEAR(got[i], flat[static_cast<int64_t>(i)].item<double>(), tolerance) << i;
}

const Of kItself = [](const at::Tensor& z) { return z; };
const Of kSoftmax = [](const at::Tensor& z) { return at::softmax(z, 1); };
const Of kSigmoid = [](const at::Tensor& z) { return at::sigmoid(z); };

// The mutual information between what is answered and the graph, from the joint distribution
// p(g, y): Σ p(g, y) log [p(g, y) / (p(g) p(y))]. `prob` gives p(y | g) as [rows, width, answers].
at::Tensor information(const std::vector<at::Tensor>& graphs, const Of& prob) {
  const at::Tensor mean = direct_mean(graphs, prob);
  return direct_mean(
      graphs, [&](const at::Tensor& z) { return (prob(z) * (prob(z) / mean).log()).sum(-1); });
}
const Of kYesNo = [](const at::Tensor& z) {
  return at::stack({at::sigmoid(z), at::sigmoid(-z)}, -1);
};
const Of kLargest = [](const at::Tensor& z) {
  return z.eq(std::get<0>(z.max(1, true))).to(at::kDouble);
};
const Of kPositive = [](const at::Tensor& z) { return z.gt(0.0).to(at::kDouble); };

Labels two_rows(LabelKind kind) {
  Labels out{.kind = kind, .num_rows = 2, .names = {"a", "b"}};
  if (kind == LabelKind::kClasses)
    out.cls = {0, 1};
  else
    out.value = kind == LabelKind::kLabels ? std::vector<double>{0, 1, 1, 0}
                                           : std::vector<double>{1.0, -7.0, 5.0, 9.0};
  return out;
}

TEST(Expectation, OfClassesAveragesLogitsOrProbabilities) {
  const auto task = make_task(two_rows(LabelKind::kClasses), {}, {});
  const auto graphs = outputs();
  const Prediction by_logits = expect(*task, Average::kLogits, graphs);
  const Prediction by_prob = expect(*task, Average::kProbabilities, graphs);
  expect_near(by_logits.value, at::log_softmax(direct_mean(graphs, kItself), 1), 1e-13);
  expect_near(by_prob.value, direct_mean(graphs, kSoftmax).log(), 1e-13);
  for (const Prediction* p : {&by_logits, &by_prob}) {
    expect_near(p->graph_part, information(graphs, kSoftmax), 1e-13);
    expect_near(p->votes, direct_mean(graphs, kLargest), 1e-13);
    for (double nats : p->graph_part) EXPECT_GT(nats, 1e-3);  // they do differ
  }
}

TEST(Expectation, OfLabelsAveragesLogitsOrProbabilities) {
  const auto task = make_task(two_rows(LabelKind::kLabels), {}, {});
  const auto graphs = outputs();
  expect_near(expect(*task, Average::kLogits, graphs).value,
              at::sigmoid(direct_mean(graphs, kItself)), 1e-13);
  const Prediction by_prob = expect(*task, Average::kProbabilities, graphs);
  expect_near(by_prob.value, direct_mean(graphs, kSigmoid), 1e-13);
  expect_near(by_prob.graph_part, information(graphs, kYesNo), 1e-13);
  expect_near(by_prob.votes, direct_mean(graphs, kPositive), 1e-13);
}

TEST(Expectation, OfValuesIsInTheUnitOfTheTarget) {
  const std::vector<int32_t> train = {0, 1};
  const auto task = make_task(two_rows(LabelKind::kValues), {}, train);
  const auto graphs = outputs();
  const Prediction p = expect(*task, Average::kLogits, graphs);
  // Targets 1 and 5, -7 and 9: means 3 and 1, deviations 2 and 8.
  const at::Tensor mean = at::tensor({3.0, 1.0}, at::kDouble),
                   std = at::tensor({2.0, 8.0}, at::kDouble);
  expect_near(p.value, direct_mean(graphs, kItself) * std + mean, 1e-12);
  expect_near(p.graph_part, direct_spread(graphs, kItself) * std, 1e-12);
  EXPECT_TRUE(p.votes.empty());
}

TEST(Expectation, DeviationOfValuesSurvivesALargeMean) {
  const auto task = make_task(two_rows(LabelKind::kValues), {}, {});
  std::vector<at::Tensor> graphs = outputs();
  for (at::Tensor& z : graphs) z = z * 1e-3 + 1e6;
  const at::Tensor want = direct_spread(graphs, kItself);
  const Prediction p = expect(*task, Average::kLogits, graphs);
  // The mean is off by 1e6 ε = 2e-10, which enters the deviation of about 1e-3 in second order; a
  // difference of squares would be off by 1e12 ε = 2e-4, a multiple of the variance.
  expect_near(p.graph_part, want, 1e-9);
}

// The same answer under every graph, sure or unsure: what is left is rounding, never below zero.
TEST(Expectation, TellsNothingAboutTheGraphWhereAllAgree) {
  for (LabelKind kind : {LabelKind::kClasses, LabelKind::kLabels}) {
    const auto mean = make_task(two_rows(kind), {}, {})->expectation(Average::kProbabilities);
    const at::Tensor z = random_tensor({1, kRows, kWidth}, 3, -50.0, 50.0);
    for (double p : {0.1, 0.3, 0.35, 0.25}) mean->add(z, p);
    Prediction p;
    mean->finish(p);
    for (double nats : p.graph_part) {
      EXPECT_GE(nats, 0.0);
      EXPECT_LT(nats, 1e-14);
    }
  }
}

// Two sure graphs that contradict each other: the answer is the graph, ln 2 nats of it.
TEST(Expectation, IsAllAboutTheGraphWhereSureGraphsContradict) {
  const auto task = make_task(two_rows(LabelKind::kClasses), {}, {});
  for (Average average : {Average::kLogits, Average::kProbabilities}) {
    const auto mean = task->expectation(average);
    mean->add(at::tensor({900.0, 0.0}).view({1, 1, 2}), 0.5);
    mean->add(at::tensor({0.0, 900.0}).view({1, 1, 2}), 0.5);
    Prediction p{.rows = {0}};
    mean->finish(p);
    EXPECT_DOUBLE_EQ(p.graph_part[0], std::log(2.0));
    EXPECT_DOUBLE_EQ(task->changed_by_graph(p).value(), 0.5);
  }
}

// What is averaged are the probabilities at the temperature of each graph.
TEST(Expectation, InformationIsOfTheTemperedProbabilities) {
  const auto task = make_task(two_rows(LabelKind::kClasses), {}, {});
  std::vector<at::Tensor> graphs = outputs();
  const std::vector<double> temperature = {0.5, 1.0, 2.0, 0.1};
  const auto mean = task->expectation(Average::kProbabilities);
  for (size_t g = 0; g < graphs.size(); ++g) {
    mean->add(graphs[g], kProb[g], temperature[g]);
    graphs[g] = graphs[g] / temperature[g];
  }
  Prediction p{.width = kWidth};
  mean->finish(p);
  expect_near(p.graph_part, information(graphs, kSoftmax), 1e-13);
  const std::vector<double> before = p.graph_part;
  task->temper(p, 2.0);  // the last temperature is of the average alone
  EXPECT_EQ(p.graph_part, before);
}

TEST(Expectation, OfTheValueAloneHasTheSameBits) {
  for (LabelKind kind : {LabelKind::kClasses, LabelKind::kLabels, LabelKind::kValues}) {
    const auto task = make_task(two_rows(kind), {}, {});
    const auto graphs = outputs();
    const auto mean = task->expectation(Average::kProbabilities, Detail::kValue);
    for (size_t g = 0; g < graphs.size(); ++g) mean->add(graphs[g], kProb[g]);
    Prediction p;
    mean->finish(p);
    EXPECT_EQ(p.value, expect(*task, Average::kProbabilities, graphs).value);
    EXPECT_TRUE(p.votes.empty());
  }
}

TEST(Task, CountsTheAnswersThatOneGraphWouldChange) {
  // Rows answer a, b; 0.9 and 0.25 of the graphs agree.
  const Prediction classes{.rows = {0, 1},
                           .width = 2,
                           .value = {std::log(0.8), std::log(0.2), std::log(0.4), std::log(0.6)},
                           .graph_part = {},
                           .votes = {0.9, 0.1, 0.75, 0.25}};
  EXPECT_NEAR(make_task(two_rows(LabelKind::kClasses), {}, {})->changed_by_graph(classes).value(),
              (0.1 + 0.75) / 2, 1e-15);
  const Prediction labels{.rows = {0, 1},
                          .width = 2,
                          .value = {0.8, 0.2, 0.5, 0.6},
                          .graph_part = {},
                          .votes = {1.0, 0.25, 0.5, 0.75}};
  EXPECT_NEAR(make_task(two_rows(LabelKind::kLabels), {}, {})->changed_by_graph(labels).value(),
              (0.0 + 0.25 + 0.5 + 0.25) / 4, 1e-15);
  EXPECT_FALSE(make_task(two_rows(LabelKind::kValues), {}, {})->changed_by_graph({}).has_value());
}

TEST(Entropy, IsInNatsAndZeroForWhatIsCertain) {
  EXPECT_DOUBLE_EQ(entropy(std::vector<double>(4, -std::log(4.0))), std::log(4.0));
  EXPECT_EQ(entropy(std::vector<double>{0.0, -INFINITY}), 0.0);
  EXPECT_EQ(entropy(std::vector<double>{1e-16, -INFINITY}), 0.0);
  EXPECT_DOUBLE_EQ(label_entropy(0.5), std::log(2.0));
  EXPECT_EQ(label_entropy(0.0), 0.0);
  EXPECT_EQ(label_entropy(1.0), 0.0);
  EXPECT_DOUBLE_EQ(label_entropy(0.2), entropy(std::vector<double>{std::log(0.2), std::log(0.8)}));
}

TEST(Expectation, HasNoGraphPartUnderOneGraph) {
  for (LabelKind kind : {LabelKind::kClasses, LabelKind::kLabels, LabelKind::kValues}) {
    const auto mean = make_task(two_rows(kind), {}, {})->expectation(Average::kLogits);
    mean->add(random_tensor({1, kRows, kWidth}, 3), 1.0);
    Prediction p;
    mean->finish(p);
    for (double s : p.graph_part) EXPECT_EQ(s, 0.0);
  }
}

TEST(MakeTask, NeedsLabels) { EXPECT_THROW(make_task(no_labels(3), {}, {}), UsageError); }

}  // namespace
}  // namespace emgnn
