// SPDX-License-Identifier: Apache-2.0
#include <emgnn/learn/temperature.h>

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>

#include "../models/gradient_check.h"

#include <emgnn/learn/calibration.h>
#include <emgnn/learn/task.h>

namespace emgnn {
namespace {

constexpr double kLowest = 0.1, kHighest = 3.0;
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

std::vector<int32_t> first_rows(int64_t count) {
  std::vector<int32_t> rows(static_cast<size_t>(count));
  std::iota(rows.begin(), rows.end(), 0);
  return rows;
}

// Outputs s_g z [graphs, rows, width]: the right temperature of graph g is near s_g.
struct Sample {
  Labels labels;
  at::Tensor outputs;
  std::vector<int32_t> rows() const { return first_rows(labels.num_rows); }
};

at::Tensor scaled(const at::Tensor& z, const std::vector<double>& scale) {
  std::vector<at::Tensor> graphs;
  for (double s : scale) graphs.push_back(z * s);
  return at::stack(graphs);
}

// Classes drawn from softmax(z).
Sample class_sample(int64_t rows, int64_t classes, const std::vector<double>& scale,
                    uint64_t step) {
  Sample out{.labels = unknown_classes(rows, numbered_names(static_cast<int32_t>(classes))),
             .outputs = {}};
  const at::Tensor z = random_tensor({rows, classes}, step, -3.0, 3.0).to(at::kDouble);
  const at::Tensor p = at::softmax(z, 1);
  Rng rng(8, Stream::kTest, step);
  for (int64_t i = 0; i < rows; ++i) {
    double u = rng.uniform();
    int32_t cls = 0;
    while (cls + 1 < classes && (u -= p[i][cls].item<double>()) > 0.0) ++cls;
    out.labels.cls[static_cast<size_t>(i)] = cls;
  }
  out.outputs = scaled(z, scale);
  return out;
}

// Labels drawn from σ(z), every fifth of them not known.
Sample label_sample(int64_t rows, int64_t width, const std::vector<double>& scale, uint64_t step) {
  Sample out{.labels = {.kind = LabelKind::kLabels,
                        .num_rows = rows,
                        .names = numbered_names(static_cast<int32_t>(width))},
             .outputs = {}};
  const at::Tensor z = random_tensor({rows, width}, step, -3.0, 3.0).to(at::kDouble);
  Rng rng(9, Stream::kTest, step);
  for (int64_t k = 0; k < rows * width; ++k) {
    const double p = 1.0 / (1.0 + std::exp(-z.view(-1)[k].item<double>()));
    const bool there = rng.uniform() < p;
    // Rows know different numbers of labels.
    out.labels.value.push_back(rng.uniform() < 0.1 * static_cast<double>(k % 5) ? kNaN : there);
  }
  out.outputs = scaled(z, scale);
  return out;
}

double mean_loss(const Task& task, const Sample& sample, int64_t graph, double t) {
  return task.row_loss(sample.outputs[graph].unsqueeze(0) / t, task.target(sample.rows()))
      .mean()
      .item<double>();
}

// No temperature of a fine grid has a smaller loss.
void expect_best(const Task& task, const Sample& sample) {
  const std::vector<double> best = task.temperatures(sample.outputs, task.target(sample.rows()));
  ASSERT_EQ(static_cast<int64_t>(best.size()), sample.outputs.size(0));
  for (int64_t g = 0; g < sample.outputs.size(0); ++g) {
    const double t = best[static_cast<size_t>(g)];
    EXPECT_GE(t, kLowest);
    EXPECT_LE(t, kHighest);
    // The search ends within 1e-6 of β = 1/T; the loss is never steeper than the outputs are wide,
    // times the largest weight of a row.
    const double steepest = 2.0 * sample.outputs[g].abs().max().item<double>() * 20.0;
    const double loss = mean_loss(task, sample, g, t);
    for (int i = 0; i <= 300; ++i) {
      const double other = kLowest * std::pow(kHighest / kLowest, i / 300.0);
      EXPECT_LE(loss, mean_loss(task, sample, g, other) + 1e-6 * steepest) << g << " " << other;
    }
  }
}

const std::vector<double> kScales = {0.02, 0.15, 0.6, 1.0, 1.7, 2.9, 9.0};

TEST(Temperatures, OfClassesAreTheBestOfAFineGrid) {
  for (ClassWeights weights : {ClassWeights::kNone, ClassWeights::kBalanced}) {
    for (uint64_t step : {1, 2}) {
      const Sample sample = class_sample(80, 4, kScales, step);
      expect_best(*make_task(sample.labels, {.weights = weights}, sample.rows()), sample);
    }
  }
}

TEST(Temperatures, OfLabelsAreTheBestOfAFineGrid) {
  for (ClassWeights weights : {ClassWeights::kNone, ClassWeights::kBalanced}) {
    for (uint64_t step : {3, 4}) {
      const Sample sample = label_sample(40, 3, kScales, step);
      expect_best(*make_task(sample.labels, {.weights = weights}, sample.rows()), sample);
    }
  }
}

// Rows whose labels are partly unknown count as much as the others, as in the loss.
TEST(Temperatures, OfLabelsCountEveryRowAlike) {
  Sample sample{.labels = {.kind = LabelKind::kLabels, .num_rows = 4, .names = numbered_names(4)},
                .outputs = {}};
  // The first row knows four labels and is right, the others know one and are as often wrong.
  sample.labels.value = {1, 1, 1, 1, 1, kNaN, kNaN, kNaN, 0, kNaN, kNaN, kNaN, 0, kNaN, kNaN, kNaN};
  sample.outputs = at::full({1, 4, 4}, 2.0, at::kDouble);
  const auto task = make_task(sample.labels, {}, sample.rows());
  // Of four rows of equal weight two are right: no temperature is high enough.
  const double t = task->temperatures(sample.outputs, task->target(sample.rows())).front();
  EXPECT_NEAR(t, kHighest, 1e-4);
  expect_best(*task, sample);
}

TEST(Temperatures, OfClassesAreThoseOfTheCalibration) {
  int inside = 0;
  for (uint64_t step = 10; step < 20; ++step) {
    const Sample sample = class_sample(60, 3, kScales, step);
    const auto task = make_task(sample.labels, {}, sample.rows());
    const std::vector<double> got = task->temperatures(sample.outputs, task->target(sample.rows()));
    for (size_t g = 0; g < kScales.size(); ++g) {
      const at::Tensor lp =
          at::log_softmax(sample.outputs[static_cast<int64_t>(g)], 1).contiguous();
      const double want = fit_temperature({lp.data_ptr<double>(), static_cast<size_t>(lp.numel())},
                                          sample.labels.cls, 3);
      if (want <= kLowest || want >= kHighest) {
        // β ends within 1e-6 of its bound.
        EXPECT_NEAR(1.0 / got[g], 1.0 / (want <= kLowest ? kLowest : kHighest), 2e-6);
        continue;
      }
      ++inside;
      // The golden section sees values, which are off by n ε |loss|; near the best one they grow
      // by (log T)² f''/2 with f'' = β² Var(z), at least about 0.01 here.
      const double blind =
          2.0 * std::sqrt(2.0 * 60 * 3.0 * std::numeric_limits<double>::epsilon() / 0.01);
      EXPECT_NEAR(std::log(got[g]), std::log(want), blind + 1e-6 * want) << kScales[g];
    }
  }
  EXPECT_GE(inside, 20);
}

TEST(Temperatures, OfCertainPredictionsStayInBounds) {
  constexpr double kInf = std::numeric_limits<double>::infinity();
  Labels labels = unknown_classes(2, {"a", "b"});
  labels.cls = {0, 1};
  const auto task = make_task(labels, {}, first_rows(2));
  for (const auto& [right, wrong] : {std::pair{1e4, -1e4},
                                     {1e300, 0.0},
                                     {-1e4, 1e4},
                                     {0.0, 0.0},
                                     {7.0, 7.0},
                                     {0.0, -kInf},
                                     {kInf, 0.0},
                                     {kNaN, kNaN}}) {
    const at::Tensor z = at::tensor({right, wrong, wrong, right}, at::kDouble).view({1, 2, 2});
    const double t = task->temperatures(z, task->target(first_rows(2))).front();
    EXPECT_GE(t, kLowest) << right << " " << wrong;
    EXPECT_LE(t, kHighest) << right << " " << wrong;
  }
}

// More numbers than are looked at together. Newton's steps end within 1e-6 of β, so within 1e-6 T² of T.
TEST(Temperatures, AreThoseOfEachGraphAloneHoweverManyThereAre) {
  const Sample sample = class_sample(2000, 150, {0.5, 1.0, 2.0, 1.5, 0.7}, 9);
  ASSERT_GT(sample.outputs.numel(), 1 << 20);
  const auto task = make_task(sample.labels, {}, {});
  const TargetRows target = task->target(sample.rows());
  const std::vector<double> all = task->temperatures(sample.outputs, target);
  ASSERT_EQ(all.size(), 5U);
  for (int64_t g = 0; g < 5; ++g) {
    const double alone = task->temperatures(sample.outputs.narrow(0, g, 1), target).front();
    EXPECT_NEAR(all[static_cast<size_t>(g)], alone, 2e-6 * alone * alone) << g;
  }
}

TEST(Temperatures, EndAfterAFewStepsWhateverTheSlopeIs) {
  const auto search = [](auto slope) {
    int calls = 0;
    const auto counted = [&](const at::Tensor& /*z*/, const at::Tensor& beta) -> LossSlope {
      ++calls;
      return slope(beta.flatten());
    };
    const std::vector<double> t = best_temperatures(at::zeros({2, 1, 1}), counted);
    EXPECT_LE(calls, 24);
    for (double v : t) {
      EXPECT_GE(v, kLowest);
      EXPECT_LE(v, kHighest);
    }
    return t;
  };
  const auto constant = [](double first, double second) {
    return [=](const at::Tensor& beta) -> LossSlope {
      return {at::full_like(beta, first), at::full_like(beta, second)};
    };
  };
  for (double first : {-1.0, 0.0, 1.0, kNaN})
    for (double second : {0.0, 1e-300, 1.0, kNaN}) search(constant(first, second));
  // Always falling, always rising.
  EXPECT_NEAR(search(constant(-1.0, 0.0))[0], kLowest, 1e-7);
  EXPECT_NEAR(search(constant(1.0, 0.0))[1], kHighest, 1e-5);
  // (β − 2)³ / 3 has no curvature where its slope is 0; each Newton step halves the distance.
  const std::vector<double> flat = search([](const at::Tensor& beta) -> LossSlope {
    return {(beta - 2.0).pow(3), 3.0 * (beta - 2.0).square()};
  });
  EXPECT_NEAR(flat[0], 0.5, 1e-4);
}

TEST(Temperatures, OfAGraphDoNotDependOnTheOthers) {
  // Some settle long before others do.
  const Sample sample = class_sample(60, 3, kScales, 10);
  const auto task = make_task(sample.labels, {}, sample.rows());
  const TargetRows target = task->target(sample.rows());
  const std::vector<double> together = task->temperatures(sample.outputs, target);
  for (size_t g = 0; g < kScales.size(); ++g) {
    const at::Tensor one = sample.outputs[static_cast<int64_t>(g)].unsqueeze(0);
    // Both end within 1e-6 of the best β.
    EXPECT_NEAR(1.0 / together[g], 1.0 / task->temperatures(one, target).front(), 2e-6) << g;
  }
}

TEST(Temperatures, OfValuesAreOne) {
  const Labels labels{
      .kind = LabelKind::kValues, .num_rows = 2, .names = {"y"}, .value = {1.0, 3.0}};
  const auto task = make_task(labels, {}, first_rows(2));
  EXPECT_EQ(task->temperatures(at::ones({3, 2, 1}), task->target(first_rows(2))),
            (std::vector<double>{1.0, 1.0, 1.0}));
  Prediction p{.rows = {0}, .width = 1, .value = {2.5}, .graph_part = {0.5}, .votes = {}};
  task->temper(p, 2.0);
  EXPECT_EQ(p.value, (std::vector<double>{2.5}));
}

Prediction prediction_of(const Task& task, const at::Tensor& outputs) {
  const auto mean = task.expectation(Average::kLogits);
  mean->add(outputs, 1.0);
  Prediction out{.rows = {}, .width = task.num_outputs()};
  mean->finish(out);
  return out;
}

void expect_near(const std::vector<double>& got, const at::Tensor& want, double tolerance) {
  const at::Tensor flat = want.contiguous().view(-1);
  ASSERT_EQ(static_cast<int64_t>(got.size()), flat.numel());
  for (size_t i = 0; i < got.size(); ++i)
    EXPECT_NEAR(got[i], flat[static_cast<int64_t>(i)].item<double>(), tolerance) << i;
}

TEST(Temper, OfClassesIsTheSoftmaxOfTheLogarithmsOverT) {
  const Sample sample = class_sample(30, 4, {1.0}, 5);
  const auto task = make_task(sample.labels, {}, sample.rows());
  for (double t : {0.1, 0.7, 1.0, 3.0}) {
    Prediction p = prediction_of(*task, sample.outputs);
    const at::Tensor log_prob = at::tensor(p.value).view({30, 4});
    task->temper(p, t);
    // Logarithms of up to |8 / 0.1|, each off by a few ε of itself.
    expect_near(p.value, at::log_softmax(log_prob / t, 1), 80 * 8 * 2.3e-16);
  }
}

TEST(Temper, OfLabelsIsTheSigmoidOfTheLogitOverT) {
  const Sample sample = label_sample(30, 3, {1.0}, 6);
  const auto task = make_task(sample.labels, {}, sample.rows());
  for (double t : {0.1, 0.7, 1.0, 3.0}) {
    Prediction p = prediction_of(*task, sample.outputs);
    task->temper(p, t);
    // σ is never steeper than ¼: of logits up to 30, each off by a few ε of itself.
    expect_near(p.value, at::sigmoid(sample.outputs[0] / t), 30 * 8 * 2.3e-16);
  }
  Prediction certain{.rows = {}, .width = 3, .value = {0.0, 1.0, 0.5}};
  task->temper(certain, 0.1);
  EXPECT_EQ(certain.value, (std::vector<double>{0.0, 1.0, 0.5}));
}

TEST(OutputsOf, PredictWhatTheyComeFrom) {
  const Labels values{.kind = LabelKind::kValues,
                      .num_rows = 3,
                      .names = {"x", "y"},
                      .value = {1.0, -7.0, 5.0, 9.0, 2.0, 0.5}};
  for (const Labels& labels :
       {class_sample(20, 4, {1.0}, 7).labels, label_sample(20, 3, {1.0}, 7).labels, values}) {
    const auto task = make_task(labels, {}, first_rows(labels.num_rows));
    const Prediction p = prediction_of(
        *task, random_tensor({1, 9, task->num_outputs()}, 8, -3.0, 3.0).to(at::kDouble));
    const at::Tensor outputs = task->outputs_of(p);
    ASSERT_EQ(outputs.sizes(), (std::vector<int64_t>{1, 9, task->num_outputs()}));
    expect_near(prediction_of(*task, outputs).value, at::tensor(p.value), 1e-13);
  }
}

TEST(Joined, TargetsAreThoseOfTheRowsTogether) {
  Labels values{.kind = LabelKind::kValues, .num_rows = 20, .names = {"x", "y"}};
  for (int k = 0; k < 40; ++k) values.value.push_back(k == 31 ? kNaN : k);  // of the second part
  for (const Labels& labels :
       {class_sample(20, 4, {1.0}, 7).labels, label_sample(20, 3, {1.0}, 7).labels, values}) {
    for (ClassWeights weights : {ClassWeights::kNone, ClassWeights::kBalanced}) {
      const auto task = make_task(labels, {.weights = weights}, first_rows(20));
      const std::vector<int32_t> one = {3, 1, 4}, two = {15, 9, 2}, all = {3, 1, 4, 15, 9, 2};
      const std::vector<TargetRows> parts = {task->target(one), task->target(two)};
      const TargetRows got = joined(parts), want = task->target(all);
      const auto equal = [](const at::Tensor& a, const at::Tensor& b) {
        return a.defined() == b.defined() && (!a.defined() || a.equal(b));
      };
      EXPECT_TRUE(equal(got.cls, want.cls));
      EXPECT_TRUE(equal(got.value, want.value));
      EXPECT_TRUE(equal(got.weight, want.weight));
    }
  }
}

// A probability of exactly 1 or 0 must not decide for all rows.
TEST(Temperature, OfAnAverageWithCertainAnswersIsFinite) {
  const Labels labels{
      .kind = LabelKind::kLabels, .num_rows = 4, .names = {"a"}, .value = {1.0, 1.0, 0.0, 1.0}};
  const std::vector<int32_t> rows = {0, 1, 2, 3};
  const auto task = make_task(labels, {}, rows);
  // Three mild answers are right: a smaller T than 1 is better.
  const Prediction averaged{.rows = rows, .width = 1, .value = {1.0, 0.7, 0.3, 0.7}};
  const double t = task->temperatures(task->outputs_of(averaged), task->target(rows)).front();
  EXPECT_LT(t, 1.0);
}

}  // namespace
}  // namespace emgnn
