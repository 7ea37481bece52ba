// SPDX-License-Identifier: Apache-2.0
// What a problem computes in batches and tiles, against one graph at a time.
#include <emgnn/learn/problem.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <set>
#include <thread>

#include "../base/with_threads.h"
#include "../models/gradient_check.h"
#include "small_problems.h"

#include <emgnn/base/error.h>
#include <emgnn/learn/tasks.h>

namespace emgnn {
namespace {

constexpr int64_t kMolecules = 9, kConformers = 2;
constexpr DistanceOptions kDistances{.bonds = {}, .last_radius = 5.0, .radius_step = 0.25};

// Remembers which rows it was asked for.
class WatchedTask : public ValueTask {
 public:
  using ValueTask::ValueTask;
  TargetRows target(std::span<const int32_t> rows) const override {
    asked.emplace_back(rows.begin(), rows.end());
    return ValueTask::target(rows);
  }
  mutable std::vector<std::vector<int32_t>> asked;
};

// GCN* over distances.
struct MoleculeCase {
  explicit MoleculeCase(int64_t count = kMolecules, int64_t conformers = kConformers,
                        bool affine = false, int64_t hidden = 6)
      : data(random_molecule_data(count, conformers)),
        family(MoleculeFamily::by_distance(molecules_of(*data), kDistances)),
        task(std::make_shared<WatchedTask>(data->labels(), TaskOptions{}, data->split().train)) {
    const GcnStarOptions options{.stack = {.layers = 2,
                                           .hidden = hidden,
                                           .activation = kernels::Activation::kSilu,
                                           .dropout = 0.0},
                                 .affine = affine};
    network = std::make_shared<GcnStar>(options, HeadOptions{.readout = Readout::kMean, .head = 4},
                                        shape_of(*data, *task), 3);
    // The terms of λ begin with zero.
    const at::NoGradGuard no_grad;
    for (const Parameter& p : network->parameters())
      if (p.name.find("lambda") != std::string::npos) at::Tensor(p.value).fill_(0.1);
  }

  Problem problem(int64_t batch = 128) const {
    return {{.data = data, .family = family, .network = network, .task = task},
            {.batch = {batch}, .agreement = {}, .seed = 5}};
  }

  // One molecule, one radius, one conformer.
  double output(int32_t molecule, int64_t lam_id, int64_t conformer) const {
    const MoleculeItem items[] = {family->item(molecule, lam_id, conformer)};
    return run(family->batch(items, {2, false}));
  }
  double output_on_bonds(int32_t molecule) const {
    const int32_t molecules[] = {molecule};
    return run(family->observed(molecules, 2));
  }
  double run(const GraphBatch& batch) const {
    const at::NoGradGuard no_grad;
    return network->forward(batch, network->embed(batch.input, {}), {}).item<double>();
  }
  TargetScale scale() const { return TargetScale::fit(data->labels().value); }
  double target(int32_t molecule) const {
    return scale().standardise(data->labels().value[static_cast<size_t>(molecule)]);
  }
  double loss(int32_t molecule, double z) const { return std::pow(z - target(molecule), 2); }

  std::shared_ptr<const Data> data;
  std::shared_ptr<const MoleculeFamily> family;
  std::shared_ptr<WatchedTask> task;
  std::shared_ptr<Network> network;
};

class MoleculeProblemTest : public testing::TestWithParam<bool /* affine */> {};

TEST_P(MoleculeProblemTest, LossesAreThoseOfOneRadiusAtATime) {
  const MoleculeCase c(kMolecules, kConformers, GetParam());
  Problem problem = c.problem();
  for (const std::vector<int64_t>& ids : {c.family->all_ids(), std::vector<int64_t>{7, 3, 3, 12}}) {
    const std::vector<double> losses = problem.losses(ids, {});
    ASSERT_EQ(losses.size(), ids.size());
    for (size_t l = 0; l < ids.size(); ++l) {
      double expected = 0.0;
      for (int32_t m = 0; m < kMolecules; ++m)
        expected += c.loss(m, (c.output(m, ids[l], 0) + c.output(m, ids[l], 1)) / 2) / kMolecules;
      EXPECT_NEAR(losses[l], expected, 1e-5 * (1 + expected)) << ids[l];
    }
  }
}

TEST_P(MoleculeProblemTest, ExpectationIsOverRadiiAndConformers) {
  const MoleculeCase c(kMolecules, kConformers, GetParam());
  const std::vector<double> prob = {0.5, 0.2, 0.3};
  const GraphWeights graphs{{2, 5, 11}, {std::log(0.5), std::log(0.2), std::log(0.3)}};
  const std::vector<int32_t> some = {4, 1, 2, 5};
  const Prediction p = c.problem().predict(graphs, some, {});
  EXPECT_EQ(p.rows, some);
  EXPECT_EQ(p.width, 1);
  for (size_t i = 0; i < some.size(); ++i) {
    const auto mean_of = [&](const auto& f) {
      double sum = 0.0;
      for (size_t l = 0; l < prob.size(); ++l) {
        for (int64_t k = 0; k < kConformers; ++k)
          sum += prob[l] / kConformers * f(c.output(some[i], graphs.lam_ids[l], k));
      }
      return sum;
    };
    const double mean = mean_of([](double z) { return z; });
    const double variance = mean_of([&](double z) { return std::pow(z - mean, 2); });
    EXPECT_NEAR(p.value[i], c.scale().restore(mean), 1e-5);
    EXPECT_NEAR(p.graph_part[i], c.scale().std * std::sqrt(variance), 1e-5);
  }
}

INSTANTIATE_TEST_SUITE_P(Weights, MoleculeProblemTest, testing::Bool(),
                         [](const auto& info) { return info.param ? "affine" : "constant"; });

TEST(MoleculeProblem, ManyTilesHaveTheBitsOfAnyNumberOfThreads) {
  const MoleculeCase many(60, 1, false, 512);
  Problem problem = many.problem();
  int tiles = 0;
  const std::vector<int64_t> ids = many.family->all_ids();
  const auto losses = [&] { return problem.losses(ids, [&] { ++tiles; }); };
  const std::vector<double> one = with_threads(1, losses);
  EXPECT_GE(tiles, 3);
  EXPECT_EQ(one, with_threads(3, losses));
  for (size_t l = 0; l < ids.size(); ++l) {
    double expected = 0.0;
    for (int32_t m = 0; m < 60; ++m) expected += many.loss(m, many.output(m, ids[l], 0)) / 60;
    EXPECT_NEAR(one[l], expected, 1e-5 * expected) << ids[l];
  }
}

TEST(MoleculeProblem, AsksBetweenTilesWhetherToGoOn) {
  const MoleculeCase many(60, 1, false, 512);
  Problem problem = many.problem();
  int asked = 0;
  const Poll poll = [&] {
    if (++asked == 3) throw Interrupted("enough");
  };
  EXPECT_THROW(problem.losses(many.family->all_ids(), poll), Interrupted);
  EXPECT_EQ(asked, 3);
}

TEST(MoleculeProblem, AValidationThatLastsIsGivenUp) {
  const Context::Scope scope{Context(1, Device::kCpu, [] { return true; })};
  MoleculeCase c;
  c.data = std::make_shared<const Data>(c.data->table(), Split{{0, 1}, {2, 3}, {}});
  Problem problem = c.problem();
  const GraphWeights graphs{{2}, {0.0}};
  EXPECT_NO_THROW(problem.validate(graphs, Ranks::kSkip));  // it has a second from now on
  std::this_thread::sleep_for(std::chrono::milliseconds(1001));
  EXPECT_THROW(problem.validate(graphs, Ranks::kSkip), Interrupted);
}

TEST(MoleculeProblem, WithBondsAloneIsOneGraphWithoutDeviation) {
  MoleculeCase c;
  c.family = MoleculeFamily::bonds_only(molecules_of(*c.data), {});
  const std::vector<int32_t> some = {3, 1};
  const Prediction p = c.problem().predict({{0}, {0.0}}, some, {});
  for (size_t i = 0; i < 2; ++i) {
    EXPECT_NEAR(p.value[i], c.scale().restore(c.output_on_bonds(some[i])), 1e-5);
    EXPECT_EQ(p.graph_part[i], 0.0);
  }
}

constexpr Mode kTraining{.training = true, .seed = 5, .step = 2};

TEST(MoleculeProblem, ObjectiveWeighsEachMoleculeUnderItsOwnDraw) {
  const MoleculeCase c(kMolecules, 1);
  Problem problem = c.problem(4);
  const std::vector<LambdaDraw> draws = {{3, 1.0}, {9, -0.5}, {12, 2.0}};
  const Objective objective = problem.objective(draws, kTraining, {});
  const std::vector<int32_t>& rows = c.task->asked.back();
  double value = 0.0, mean = 0.0;
  for (size_t i = 0; i < rows.size(); ++i) {
    const LambdaDraw& draw = draws[i % 3];
    const double loss = c.loss(rows[i], c.output(rows[i], draw.lam_id, 0));
    value += draw.weight * loss / static_cast<double>(rows.size());
    mean += loss / static_cast<double>(rows.size());
  }
  EXPECT_NEAR(objective.value.item<double>(), value, 1e-5);
  EXPECT_NEAR(objective.mean_loss, mean, 1e-5);
}

TEST(MoleculeProblem, ObjectiveWithoutDrawsReadsTheBonds) {
  const MoleculeCase c;
  Problem problem = c.problem(4);
  const double loss = problem.objective({}, kTraining, {}).mean_loss;
  double mean = 0.0;
  const std::vector<int32_t>& rows = c.task->asked.back();
  for (int32_t m : rows) mean += c.loss(m, c.output_on_bonds(m)) / static_cast<double>(rows.size());
  EXPECT_NEAR(loss, mean, 1e-5);
}

TEST(MoleculeProblem, DrawsAConformerByTheStep) {
  const MoleculeCase c(1, 3);
  Problem problem = c.problem();
  const std::vector<LambdaDraw> draws = {{6, 1.0}};
  std::set<double> losses, expected;
  for (uint64_t step = 0; step < 40; ++step) {
    const Mode mode{.training = true, .seed = 5, .step = step};
    const double loss = problem.objective(draws, mode, {}).mean_loss;
    EXPECT_EQ(loss, problem.objective(draws, mode, {}).mean_loss);
    losses.insert(loss);
  }
  for (int64_t k = 0; k < 3; ++k) expected.insert(c.loss(0, c.output(0, 6, k)));
  ASSERT_EQ(losses.size(), 3U);
  for (auto a = losses.begin(), b = expected.begin(); a != losses.end(); ++a, ++b)
    EXPECT_NEAR(*a, *b, 1e-12);
}

TEST(MoleculeProblem, BatchesOfAnEpochCoverEveryTrainingRowOnce) {
  const MoleculeCase c(kMolecules, 1);
  Problem problem = c.problem(4);  // of nine rows: 4 and 5
  ASSERT_EQ(problem.steps_per_epoch(), 2);
  std::set<std::vector<int32_t>> orders;
  for (uint64_t epoch = 0; epoch < 5; ++epoch) {
    std::vector<int32_t> rows;
    for (uint64_t k = 0; k < 2; ++k) {
      problem.objective({}, {.training = true, .seed = 5, .step = 2 * epoch + k}, {});
      rows.insert(rows.end(), c.task->asked.back().begin(), c.task->asked.back().end());
    }
    orders.insert(rows);
    std::sort(rows.begin(), rows.end());
    EXPECT_EQ(rows, c.data->split().train);
  }
  EXPECT_EQ(orders.size(), 5U);  // each epoch has its own
}

TEST(MoleculeProblem, NoBatchIsASingleMolecule) {
  const auto batches = [](int64_t molecules, int64_t batch) {
    return MoleculeCase(molecules, 1).problem(batch).steps_per_epoch();
  };
  EXPECT_EQ(batches(128, 64), 2);
  EXPECT_EQ(batches(129, 64), 2);  // 64 and 65
  EXPECT_EQ(batches(130, 64), 3);
  EXPECT_EQ(batches(10, 64), 1);
  EXPECT_EQ(batches(1, 64), 1);
}

// The objective is smooth; what is left is float32 rounding over the width of the difference.
TEST(MoleculeProblem, GradientOfTheObjectiveMatchesDifferences) {
  const MoleculeCase c(kMolecules, 1, true);
  Problem problem = c.problem();
  const std::vector<LambdaDraw> draws = {{3, 1.0}, {9, -0.5}, {12, 2.0}};
  expect_parameter_gradients_match(
      *c.network, [&] { return problem.objective(draws, kTraining, {}).value.reshape({1}); }, 0.01,
      0.01);
}

constexpr int64_t kPoints = 21;
const std::vector<LambdaDraw> kDraws = {{2, 1.0}, {20, -0.5}};

struct NodeCase {
  explicit NodeCase(int64_t hidden = 8, const ProblemOptions& options = {})
      : data(std::make_shared<const Data>(small_relations())),
        parts(gcn_parts(data,
                        {.stack = {.layers = 2,
                                   .hidden = hidden,
                                   .activation = kernels::Activation::kSilu,
                                   .dropout = 0.0}},
                        3)),
        problem(parts, options) {}

  // Logits of some rows under one graph.
  at::Tensor logits(std::span<const int32_t> rows, int64_t lam_id) const {
    const at::NoGradGuard no_grad;
    const int64_t one[] = {lam_id};
    const GraphBatch batch = parts.family->view(rows, parts.network->needs())->batch({one});
    return parts.network->forward(batch, parts.network->embed(batch.input, {}), {}).to(at::kDouble);
  }
  double loss(std::span<const int32_t> rows, int64_t lam_id) const {
    return parts.task->losses(logits(rows, lam_id), parts.task->target(rows))[0];
  }

  std::shared_ptr<const Data> data;
  ProblemParts parts;
  Problem problem;
};

TEST(NodeProblem, LossesOfSeveralTilesAreThoseOfOneGraphAtATime) {
  NodeCase c(512);
  int tiles = 0;
  const std::vector<int64_t> ids = c.parts.family->all_ids();
  ASSERT_EQ(static_cast<int64_t>(ids.size()), kPoints);
  const auto all = [&] { return c.problem.losses(ids, [&] { ++tiles; }); };
  const std::vector<double> losses = with_threads(1, all);
  EXPECT_GE(tiles, 2);
  EXPECT_EQ(losses, with_threads(3, all));
  // A batch sums a shared input in another order than one graph does: float32 rounding.
  for (size_t l = 0; l < ids.size(); ++l)
    EXPECT_NEAR(losses[l], c.loss(c.data->split().train, ids[l]), 1e-5) << ids[l];
}

TEST(NodeProblem, EvidenceMayIncludeTheValidationRows) {
  NodeCase c(8, {.batch = {}, .agreement = {}, .evidence = EvidenceKind::kTrainAndValidation});
  const std::vector<int64_t> ids = {0, 7};
  std::vector<int32_t> rows = c.data->split().train;
  rows.insert(rows.end(), c.data->split().validation.begin(), c.data->split().validation.end());
  const std::vector<double> losses = c.problem.losses(ids, {});
  for (size_t l = 0; l < 2; ++l) {
    EXPECT_NEAR(losses[l], c.loss(rows, ids[l]), 1e-5);
    EXPECT_GT(std::abs(losses[l] - c.loss(c.data->split().train, ids[l])), 1e-4);
  }
}

TEST(NodeProblem, ExpectationOverSeveralTilesIsTheDirectMean) {
  for (Average average : {Average::kLogits, Average::kProbabilities}) {
    NodeCase c(512, {.batch = {}, .agreement = {}, .average = average});
    const std::vector<int32_t>& rows = c.data->split().test;
    GraphWeights graphs;
    double total = 0.0;
    for (int64_t id = 0; id < kPoints; ++id) total += static_cast<double>(id + 1);
    at::Tensor logits = at::zeros({static_cast<int64_t>(rows.size()), 3}, at::kDouble);
    at::Tensor prob = at::zeros_like(logits),
               mean_entropy = at::zeros({logits.size(0)}, at::kDouble);
    const auto entropy_of = [](const at::Tensor& p) { return -(p * p.log()).sum(1); };
    for (int64_t id = 0; id < kPoints; ++id) {
      const double p = static_cast<double>(id + 1) / total;
      graphs.lam_ids.push_back(id);
      graphs.log_prob.push_back(std::log(p));
      const at::Tensor z = c.logits(rows, id)[0];
      logits += z * p;
      prob += at::softmax(z, 1) * p;
      mean_entropy += entropy_of(at::softmax(z, 1)) * p;
    }
    int tiles = 0;
    const Prediction got = c.problem.predict(graphs, rows, [&] { ++tiles; });
    EXPECT_GE(tiles, 2);
    const at::Tensor value = at::tensor(got.value, at::kDouble).view_as(prob);
    const at::Tensor want = average == Average::kLogits ? at::log_softmax(logits, 1) : prob.log();
    EXPECT_TRUE(at::allclose(value, want, 1e-5, 1e-5));
    EXPECT_TRUE(at::allclose(at::tensor(got.graph_part, at::kDouble),
                             entropy_of(prob) - mean_entropy, 1e-3, 1e-5));
  }
}

TEST(NodeProblem, ObjectiveIsTheWeightedMeanOverTheDraws) {
  NodeCase c;
  const std::vector<int32_t>& train = c.data->split().train;
  const double first = c.loss(train, 2), second = c.loss(train, 20);
  const Objective objective = c.problem.objective(kDraws, kTraining, {});
  EXPECT_NEAR(objective.value.item<double>(), (first - 0.5 * second) / 2, 1e-5);
  EXPECT_NEAR(objective.mean_loss, (first + second) / 2, 1e-5);
  EXPECT_EQ(c.problem.steps_per_epoch(), 1);
  expect_parameter_gradients_match(
      c.problem.network(),
      [&] { return c.problem.objective(kDraws, kTraining, {}).value.reshape({1}); }, 0.01, 0.02);
}

TEST(NodeProblem, AgreementGrowsOverTheFirstHalfOfTraining) {
  const AgreementOptions agreement{.weight = 3.0, .balance = 0.5};
  NodeCase c(8, {.batch = {}, .agreement = agreement});
  const auto added = [&](int64_t done) {
    return c.problem.objective(kDraws, kTraining, {done, 8}).value.item<double>() -
           c.problem.objective(kDraws, kTraining, {0, 8}).value.item<double>();
  };
  std::vector<at::Tensor> outputs;
  for (const LambdaDraw& draw : kDraws)
    outputs.push_back(c.logits(c.data->predicted_rows(), draw.lam_id));
  const double whole = 3.0 * disagreement(at::cat(outputs), agreement).item<double>();
  EXPECT_GT(whole, 1e-3);
  EXPECT_NEAR(added(1), whole / 4, 1e-5);
  EXPECT_NEAR(added(4), whole, 1e-5);
  EXPECT_NEAR(added(8), whole, 1e-5);
}

TEST(NodeProblem, ObjectiveHasTheSameBitsForAnyNumberOfThreads) {
  NodeCase c;
  const auto gradients = [&] {
    std::vector<at::Tensor> out;
    c.problem.objective(kDraws, kTraining, {}).value.backward();
    for (const Parameter& p : c.problem.network().parameters()) {
      out.push_back(p.value.grad().clone());
      at::Tensor(p.value).mutable_grad().reset();
    }
    return out;
  };
  const auto one = with_threads(1, gradients), many = with_threads(3, gradients);
  for (size_t i = 0; i < one.size(); ++i) EXPECT_TRUE(one[i].equal(many[i])) << i;
}

}  // namespace
}  // namespace emgnn
