// SPDX-License-Identifier: Apache-2.0
// Averages over graphs: the answer, how sure it is, and how much of that comes from the graphs.
#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include <emgnn/learn/task.h>
#include "../models/gradient_check.h"

namespace emgnn {
namespace {

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

// Two networks: the first says what the first two graphs have, the second what the others have.
Prediction of_two_networks(const Task& task, Average average,
                           const std::vector<at::Tensor>& graphs) {
  const auto mean = task.expectation(average);
  for (size_t g = 0; g < graphs.size(); ++g) {
    if (g == 2) mean->next_network();
    mean->add(graphs[g], kProb[g]);
  }
  Prediction out;
  mean->finish(out);
  return out;
}

// E[f(z) | network k], of weight 1/2 each.
at::Tensor mean_of_network(const std::vector<at::Tensor>& graphs, const Of& f, size_t k) {
  at::Tensor sum = at::zeros_like(f(graphs[0][0]));
  for (size_t g = 2 * k; g < 2 * k + 2; ++g)
    for (int64_t r = 0; r < kReplicates; ++r)
      sum += f(graphs[g][r]) * (2.0 * kProb[g] / kReplicates);
  return sum;
}

TEST(Expectation, InformationOfGraphsOfNetworksAndTheRestAddUp) {
  const auto graphs = outputs();
  const auto entropy = [](const at::Tensor& p) { return at::xlogy(p, p).sum(1).neg(); };
  const auto task = make_task(two_rows(LabelKind::kClasses), {}, {});
  const Prediction alone = expect(*task, Average::kProbabilities, graphs);
  EXPECT_TRUE(alone.network_part.empty());
  for (Average average : {Average::kLogits, Average::kProbabilities}) {
    const Prediction p = of_two_networks(*task, average, graphs);
    EXPECT_EQ(p.graph_part, alone.graph_part);
    const at::Tensor whole = entropy(direct_mean(graphs, kSoftmax));
    at::Tensor between = whole.clone();
    for (size_t k : {0U, 1U}) between -= entropy(mean_of_network(graphs, kSoftmax, k)) * 0.5;
    expect_near(p.network_part, between, 1e-13);
    for (int64_t i = 0; i < kRows; ++i) {
      const auto at = static_cast<size_t>(i);
      const UncertaintyParts parts = information_parts(p, at);
      EXPECT_GE(parts.graph, 0.0);
      EXPECT_GT(parts.network, 1e-5);  // they do differ
      EXPECT_NEAR(parts.graph + parts.network + p.noise[at], whole[i].item<double>(), 1e-13);
    }
  }
}

TEST(Expectation, NetworksThatAgreeHaveNoPart) {
  const auto graphs = outputs();
  const auto task = make_task(two_rows(LabelKind::kClasses), {}, {});
  const auto mean = task->expectation(Average::kProbabilities);
  for (int k = 0; k < 3; ++k) {
    if (k > 0) mean->next_network();
    for (size_t g = 0; g < graphs.size(); ++g) mean->add(graphs[g], kProb[g] / 3.0);
  }
  Prediction p;
  mean->finish(p);
  for (double nats : p.network_part) EXPECT_NEAR(nats, 0.0, 1e-14);
  for (double nats : p.graph_part) EXPECT_GT(nats, 1e-3);
}

TEST(Expectation, VarianceOfGraphsAndOfNetworksAddUp) {
  const auto graphs = outputs();
  const auto task = make_task(two_rows(LabelKind::kValues), {}, {});
  const Prediction alone = expect(*task, Average::kLogits, graphs);
  const Prediction p = of_two_networks(*task, Average::kLogits, graphs);
  EXPECT_EQ(p.value, alone.value);
  EXPECT_EQ(p.graph_part, alone.graph_part);
  const at::Tensor mean = direct_mean(graphs, kItself);
  at::Tensor between = at::zeros_like(mean);
  for (size_t k : {0U, 1U}) between += (mean_of_network(graphs, kItself, k) - mean).square() * 0.5;
  expect_near(p.network_part, between.sqrt(), 1e-12);
  for (size_t i = 0; i < p.value.size(); ++i) {
    const UncertaintyParts parts = std_parts(p, i);
    EXPECT_GT(parts.network, 1e-3);
    EXPECT_NEAR(std::hypot(parts.graph, parts.network), p.graph_part[i], 1e-14);
  }
}

TEST(TaskAverage, TellsWhatIsWithinMembersFromWhatIsBetweenThem) {
  const auto of_values = make_task(two_rows(LabelKind::kValues), {}, {});
  const std::vector<Prediction> values = {
      {.rows = {0}, .width = 2, .value = {0.0, 1.0}, .graph_part = {1.0, 2.0}},
      {.rows = {0}, .width = 2, .value = {4.0, 1.0}, .graph_part = {3.0, 2.0}}};
  const Prediction mean = of_values->average(values);
  EXPECT_DOUBLE_EQ(std_parts(mean, 0).network, 2.0);
  EXPECT_DOUBLE_EQ(std_parts(mean, 0).graph, std::sqrt(5.0));  // (1 + 9) / 2
  EXPECT_DOUBLE_EQ(std_parts(mean, 1).network, 0.0);
  EXPECT_DOUBLE_EQ(std_parts(mean, 1).graph, 2.0);
  const auto of_classes = make_task(two_rows(LabelKind::kClasses), {}, {});
  const std::vector<Prediction> classes = {
      {.rows = {0}, .width = 2, .value = {0.0, -2000.0}, .graph_part = {0.25}, .noise = {0.5}},
      {.rows = {0}, .width = 2, .value = {-2000.0, 0.0}, .graph_part = {0.75}, .noise = {0.0}}};
  const Prediction both = of_classes->average(classes);
  EXPECT_DOUBLE_EQ(information_parts(both, 0).network, std::log(2.0));
  EXPECT_DOUBLE_EQ(information_parts(both, 0).graph, 0.5);
  EXPECT_DOUBLE_EQ(both.noise[0], 0.25);
}

}  // namespace
}  // namespace emgnn
