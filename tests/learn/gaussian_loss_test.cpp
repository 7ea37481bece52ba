// SPDX-License-Identifier: Apache-2.0
// Values whose variance is predicted, too: task.loss=gaussian.
#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>
#include <vector>

#include "../methods/tiny_methods.h"
#include "../models/gradient_check.h"

#include <emgnn/base/error.h>
#include <emgnn/data/generators.h>
#include <emgnn/learn/calibrated_learner.h>
#include <emgnn/learn/ensemble_learner.h>
#include <emgnn/learn/task.h>

namespace emgnn {
namespace {

constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

// Two targets of which some are not known; rows 0 to 2 are trained on. Of those the first has the
// mean 3, the second the mean 20 and the deviation 10.
const std::vector<double> kValues = {1.0, 10.0, 2.0, kUnknown, 6.0, 30.0, 4.0, kUnknown, -1.0, 5.0};
const std::vector<int32_t> kTrain = {0, 1, 2}, kRows = {3, 4, 0};

std::shared_ptr<Task> gaussian(double variance_weight) {
  const Labels labels{
      .kind = LabelKind::kValues, .num_rows = 5, .names = {"a", "b"}, .value = kValues};
  return make_task(labels, {.loss = RegressionLoss::kGaussian, .variance_weight = variance_weight},
                   kTrain);
}

// What the outputs of a row say of target t, standardised.
double mean_of(const at::Tensor& row, int64_t t) { return row[t].item<double>(); }
double variance_of(const at::Tensor& row, int64_t t) {
  return std::log1p(std::exp(row[2 + t].item<double>())) + 1e-4;
}

double nll(double mean, double variance, double y) {
  const double density = std::exp(-(y - mean) * (y - mean) / (2.0 * variance)) /
                         std::sqrt(2.0 * std::numbers::pi * variance);
  return -std::log(density);
}

// [rows], each the mean over the known targets of weight(variance) · nll.
template <class Weight>
double loss_of_row(const Task& task, const at::Tensor& row, int32_t which, const Weight& weight) {
  const TargetRows target = task.target(std::vector<int32_t>{which});
  double sum = 0.0, known = 0.0;
  for (int64_t t = 0; t < 2; ++t) {
    if (std::isnan(kValues[static_cast<size_t>(2 * which + t)])) continue;
    sum += weight(t) * nll(mean_of(row, t), variance_of(row, t), target.value[0][t].item<double>());
    known += 1.0;
  }
  return sum / known;
}

at::Tensor random_outputs(int64_t graphs, int64_t rows, uint64_t step) {
  return random_tensor({graphs, rows, 4}, step, -2.0, 2.0);
}

TEST(GaussianLoss, IsTheNegativeLogLikelihoodWhateverTheWeight) {
  const at::Tensor z = random_outputs(2, 3, 1);
  for (double weight : {0.0, 0.5, 1.0}) {
    const auto task = gaussian(weight);
    EXPECT_EQ(task->num_outputs(), 4);
    for (bool trains : {false, true}) {
      const at::Tensor each =
          task->row_loss(z.clone().set_requires_grad(trains), task->target(kRows));
      for (int64_t g = 0; g < 2; ++g)
        for (int64_t i = 0; i < 3; ++i)
          EXPECT_NEAR(each[g][i].item<double>(),
                      loss_of_row(*task, z[g][i], kRows[static_cast<size_t>(i)],
                                  [](int64_t) { return 1.0; }),
                      1e-12);
    }
  }
}

// The likelihood itself: central differences. Outputs are float32, off by 1.2e-7 over a step of
// 2 · 1e-2; third derivatives are at most (e²/σ⁸)-like: below 40 for these outputs, times h²/6.
TEST(GaussianLoss, GradientMatchesFiniteDifferences) {
  const auto task = gaussian(0.0);
  const TargetRows target = task->target(kRows);
  expect_gradient_matches([&](const at::Tensor& x) { return task->row_loss(x, target); },
                          random_outputs(2, 3, 2), 1e-2, 1.2e-5 + 40.0 * 1e-4 / 6.0);
}

// With a weight: differences of σ₀^2β · nll, σ₀ held where it is.
TEST(GaussianLoss, WeightedGradientMatchesFiniteDifferencesWithTheVarianceHeld) {
  const double h = 1e-5;
  for (double beta : {0.5, 1.0}) {
    const auto task = gaussian(beta);
    at::Tensor z = random_outputs(1, 3, 3).to(at::kDouble).set_requires_grad(true);
    task->row_loss(z, task->target(kRows)).sum().backward();
    const at::Tensor plain = z.detach();
    for (int64_t i = 0; i < 3; ++i) {
      const int32_t which = kRows[static_cast<size_t>(i)];
      const auto weight = [&](int64_t t) { return std::pow(variance_of(plain[0][i], t), beta); };
      for (int64_t k = 0; k < 4; ++k) {
        at::Tensor up = plain[0][i].clone(), down = plain[0][i].clone();
        up[k] += h;
        down[k] -= h;
        const double difference =
            (loss_of_row(*task, up, which, weight) - loss_of_row(*task, down, which, weight)) /
            (2.0 * h);
        // Rounding of 1e-15 · 10 over h, third derivatives below 40 times h²/6.
        EXPECT_NEAR(z.grad()[0][i][k].item<double>(), difference, 1e-8) << beta << " " << k;
      }
    }
    // What is not known has no say: row 3 has no second target.
    EXPECT_EQ(z.grad()[0][0][1].item<double>(), 0.0);
    EXPECT_EQ(z.grad()[0][0][3].item<double>(), 0.0);
  }
}

// β = 1: the mean is trained as by half the squared loss.
TEST(GaussianLoss, OfWeightOneTrainsTheMeanByItsErrorAlone) {
  const auto task = gaussian(1.0);
  const TargetRows target = task->target(kTrain);
  at::Tensor z = random_outputs(1, 3, 4).to(at::kDouble).set_requires_grad(true);
  task->row_loss(z, target).sum().backward();
  const at::Tensor known = target.weight / target.weight.sum(1, true);
  const at::Tensor want = (z.detach()[0].narrow(1, 0, 2) - target.value) * known;
  EXPECT_TRUE(at::allclose(z.grad()[0].narrow(1, 0, 2), want, 1e-12, 1e-14));
}

TEST(GaussianLoss, IsFiniteForAnyOutputs) {
  const auto task = gaussian(0.5);
  for (double extreme : {-1e4, -50.0, 50.0, 1e4}) {
    at::Tensor z = at::full({1, 3, 4}, extreme, at::kDouble).set_requires_grad(true);
    const at::Tensor loss = task->row_loss(z, task->target(kRows));
    loss.sum().backward();
    EXPECT_TRUE(loss.isfinite().all().item<bool>()) << extreme;
    EXPECT_TRUE(z.grad().isfinite().all().item<bool>()) << extreme;
  }
}

// A mixture of normal distributions with the weights p: E[y] = Σ p μ and E[y²] = Σ p (σ² + μ²).
TEST(GaussianLoss, GraphsAverageToTheMomentsOfTheMixture) {
  const auto task = gaussian(0.5);
  const std::vector<double> p = {0.5, 0.0, 0.2, 0.3};
  const double scale[] = {std::sqrt(14.0 / 3.0), 10.0}, centre[] = {3.0, 20.0};
  std::vector<at::Tensor> graphs;
  const auto expectation = task->expectation(Average::kLogits);
  for (size_t g = 0; g < p.size(); ++g) {
    graphs.push_back(random_outputs(3, 2, 10 + g).to(at::kDouble));
    expectation->add(graphs.back(), p[g]);
  }
  Prediction got;
  expectation->finish(got);
  EXPECT_EQ(got.width, 2);
  ASSERT_EQ(got.std.size(), 4U);
  for (int64_t i = 0; i < 2; ++i) {
    for (int64_t t = 0; t < 2; ++t) {
      double first = 0.0, second = 0.0, noise = 0.0;
      for (size_t g = 0; g < p.size(); ++g) {
        for (int64_t r = 0; r < 3; ++r) {
          const at::Tensor row = graphs[g][r][i];
          const double mean = centre[t] + scale[t] * mean_of(row, t);
          const double variance = scale[t] * scale[t] * variance_of(row, t);
          first += p[g] / 3.0 * mean;
          second += p[g] / 3.0 * (variance + mean * mean);
          noise += p[g] / 3.0 * variance;
        }
      }
      const auto at = static_cast<size_t>(2 * i + t);
      // E[y²] is at most 4000: its rounding over the deviation of at least 1.
      EXPECT_NEAR(got.value[at], first, 1e-12);
      EXPECT_NEAR(got.std[at], std::sqrt(second - first * first), 1e-11);
      EXPECT_NEAR(got.noise[at], std::sqrt(noise), 1e-12);
      EXPECT_NEAR(got.graph_part[at], std::sqrt(second - first * first - noise), 1e-11);
    }
  }
}

Prediction predicted(const Task& task, const at::Tensor& outputs, std::vector<int32_t> rows) {
  const auto mean = task.expectation(Average::kLogits);
  mean->add(outputs, 1.0);
  Prediction out{.rows = std::move(rows)};
  mean->finish(out);
  return out;
}

TEST(GaussianLoss, MembersAverageToTheMomentsOfTheirMixture) {
  const auto task = gaussian(0.5);
  const std::vector<Prediction> each = {predicted(*task, random_outputs(4, 3, 20), kRows),
                                        predicted(*task, random_outputs(4, 3, 21), kRows)};
  const Prediction both = task->average(each);
  const at::Tensor all = at::cat({random_outputs(4, 3, 20), random_outputs(4, 3, 21)});
  const Prediction want = predicted(*task, all, kRows);
  for (size_t i = 0; i < want.value.size(); ++i) {
    EXPECT_NEAR(both.value[i], want.value[i], 1e-12);
    EXPECT_NEAR(both.graph_part[i], want.graph_part[i], 1e-12);
    EXPECT_NEAR(both.noise[i], want.noise[i], 1e-12);
    EXPECT_NEAR(both.std[i], want.std[i], 1e-12);
  }
}

TEST(GaussianLoss, ScoredLossIsThatOfTheOutputs) {
  const auto task = gaussian(0.5);
  const at::Tensor z = random_outputs(1, 3, 5);
  const PartScores scores = task->score(predicted(*task, z, kRows), Ranks::kCompute);
  EXPECT_NEAR(scores.loss, task->losses(z, task->target(kRows))[0], 1e-12);
  EXPECT_TRUE(std::isfinite(scores.scores.at("nll")));
}

TEST(GaussianLoss, OutputsComeBackFromAPrediction) {
  const auto task = gaussian(0.5);
  const at::Tensor z = random_outputs(1, 3, 6).to(at::kDouble);
  EXPECT_TRUE(at::allclose(task->outputs_of(predicted(*task, z, kRows)), z, 1e-10, 1e-10));
}

// Evidence of a fitted head is the squared error, but for the constant log π / 2.
TEST(GaussianLoss, OfRightOutputsWithAnErrorIsTheSquaredLoss) {
  const auto task = gaussian(0.5);
  const std::vector<int32_t> full = {0, 2, 4};
  const TargetRows target = task->target(full);
  at::Tensor said = task->right_outputs(target).unsqueeze(0).clone();
  said.narrow(2, 0, 2).add_(0.3);
  const at::Tensor loss = task->row_loss(said, target);
  EXPECT_TRUE(at::allclose(loss, at::full_like(loss, 0.09 + 0.5 * std::log(std::numbers::pi)),
                           1e-12, 1e-12));
  EXPECT_THROW(task->right_outputs(task->target(kRows)), UsageError);
}

TEST(GaussianLoss, StoppingKnowsTheLikelihoodWhereThereIsOne) {
  StopOptions by_nll{.rule = "nll"};
  EXPECT_EQ(stop_rule(by_nll, *gaussian(0.5)).score, "nll");
  EXPECT_FALSE(stop_rule(by_nll, *gaussian(0.5)).higher_is_better);
  const Labels labels{.kind = LabelKind::kValues, .num_rows = 1, .names = {"a"}, .value = {1.0}};
  EXPECT_THROW(stop_rule(by_nll, *make_task(labels, {}, {})), UsageError);
}

// Calibration of values, with and without a predicted variance.
class CalibratedValues : public testing::TestWithParam<std::string> {
 protected:
  std::shared_ptr<Learner> make_plain() const {
    std::map<std::string, std::string> settings = tiny_settings();
    settings["task.loss"] = GetParam();
    std::vector<std::shared_ptr<Learner>> members;
    for (uint64_t seed : {5U, 6U})
      members.push_back(
          configured("em-gcn", *data_, settings)
              ->learner({.data = data_, .prepared = std::make_shared<Prepared>(), .seed = seed}));
    std::shared_ptr<const Task> task = members.front()->task();
    return std::make_shared<EnsembleLearner>(std::move(members), std::move(task));
  }
  std::shared_ptr<Learner> make_calibrated() const {
    const std::shared_ptr<Learner> plain = make_plain();
    return std::make_shared<CalibratedLearner>(plain, plain->task(), data_->split().validation);
  }

  const std::shared_ptr<const Data> data_ = std::make_shared<const Data>(
      noisy_values({.num_nodes = 100, .num_train = 30, .num_validation = 30}, 1));
};

TEST_P(CalibratedValues, ChangesNoMeanAndScalesAllParts) {
  const auto plain = make_plain(), calibrated = make_calibrated();
  fit(*plain);
  fit(*calibrated);
  const std::vector<int32_t>& rows = data_->split().validation;
  const Prediction before = plain->predict(rows, {}), after = calibrated->predict(rows, {});
  EXPECT_EQ(before.value, after.value);
  EXPECT_EQ(before.std.empty(), GetParam() == "squared");
  ASSERT_EQ(after.std.size(), rows.size());
  // One scale and one constant: std² is a line in the variance before, noise² in its noise.
  const auto variance = [&](size_t i) {
    return before.std.empty() ? before.graph_part[i] * before.graph_part[i]
                              : before.std[i] * before.std[i];
  };
  const auto square = [](double v) { return v * v; };
  size_t far = 1;  // a row whose variance differs well from that of the first
  for (size_t i = 1; i < rows.size(); ++i)
    if (std::abs(variance(i) - variance(0)) > std::abs(variance(far) - variance(0))) far = i;
  const double slope =
      (square(after.std[far]) - square(after.std[0])) / (variance(far) - variance(0));
  for (size_t i = 0; i < rows.size(); ++i)
    EXPECT_NEAR(square(after.std[i]), square(after.std[0]) + slope * (variance(i) - variance(0)),
                1e-12);
  // Var = Var over the graphs + Var over the networks + noise.
  for (size_t i = 0; i < rows.size(); ++i) {
    EXPECT_NEAR(square(after.graph_part[i]), slope * square(before.graph_part[i]), 1e-12);
    const UncertaintyParts parts = std_parts(after, i);
    EXPECT_NEAR(square(after.std[i]),
                square(parts.graph) + square(parts.network) + square(after.noise[i]),
                1e-12 * square(after.std[i]));
  }
  const auto task = calibrated->task();
  const Scores scores = task->score(after, Ranks::kCompute).scores;
  if (!before.std.empty()) {
    EXPECT_LE(scores.at("nll"), task->score(before, Ranks::kCompute).scores.at("nll") + 1e-6);
  }
  // The likeliest scale of a normal distribution: the mean of (e / std)² is 1.
  double mean = 0.0;
  for (size_t i = 0; i < rows.size(); ++i) {
    const double e = data_->labels().at(rows[i], 0) - after.value[i];
    mean += e * e / (after.std[i] * after.std[i]) / static_cast<double>(rows.size());
  }
  EXPECT_NEAR(mean, 1.0, 1e-12);
}

TEST_P(CalibratedValues, StoredModelsPredictTheSame) {
  const auto first = make_calibrated(), second = make_calibrated();
  fit(*first);
  restore(*second, state_of(*first, Scope::kModel), Scope::kModel);
  const std::vector<int32_t>& rows = data_->split().test;
  const Prediction a = first->predict(rows, {}), b = second->predict(rows, {});
  EXPECT_EQ(a.value, b.value);
  EXPECT_EQ(a.graph_part, b.graph_part);
  EXPECT_EQ(a.noise, b.noise);
  EXPECT_EQ(a.std, b.std);
}

TEST_P(CalibratedValues, ResumesToTheSameBits) {
  EXPECT_GT(expect_resumable([&] { return make_calibrated(); }), 5);
}

INSTANTIATE_TEST_SUITE_P(Losses, CalibratedValues, testing::Values("squared", "gaussian"));

TEST(CalibratedValue, OfATargetWithoutValidationEntriesIsItsDeviation) {
  const auto task = gaussian(0.5);
  const Prediction prediction = predicted(*task, random_outputs(1, 1, 8), {3});
  const std::vector<double> numbers = task->calibration(prediction);
  ASSERT_EQ(numbers.size(), 4U);
  EXPECT_EQ(numbers[2], 1.0);
  EXPECT_NEAR(numbers[3], 10.0, 1e-12);
}

}  // namespace
}  // namespace emgnn
