// SPDX-License-Identifier: Apache-2.0
#include <emgnn/em/em_learner.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "../base/with_threads.h"
#include "em_setting.h"

#include <emgnn/em/state.h>
#include <emgnn/em/variant.h>
#include <emgnn/learn/network_learner.h>
#include <emgnn/learn/weight_average.h>
#include <emgnn/space/rewire.h>
#include <emgnn/space/rewire_input.h>

namespace emgnn {
namespace {

GraphWeights weights_of(const Posterior& p) { return {p.lam_ids(), p.log_probs()}; }

// One point: the graph as given.
ProblemParts observed_parts(const Setting& setting) {
  ProblemParts parts = setting.parts();
  parts.family = MixtureFamily::observed_only(setting.data->graph(), {});
  return parts;
}

TEST(EmLearner, WithOnePointIsOrdinaryTrainingBitForBit) {
  Setting setting;
  setting.em.em = {.variant = Variant::kPd, .rounds = 4, .steps = 5, .warmup = 0, .draws = 1};
  // The obvious loop: forward, loss, backward, Adam.
  const ProblemParts plain = observed_parts(setting);
  const std::vector<int32_t>& train = setting.data->split().train;
  const auto view = plain.family->view(train, plain.network->needs());
  Adam adam(plain.network, setting.em.optim);
  for (uint64_t step = 0; step < 20; ++step) {
    const Mode mode{.training = true, .seed = 5, .step = step};
    const GraphBatch batch = view->batch({});
    const at::Tensor logits =
        plain.network->forward(batch, plain.network->embed(batch.input, mode), mode);
    plain.task->row_loss(logits, plain.task->target(train)).mean().backward();
    adam.step();
  }
  const std::vector<double> want =
      Problem(plain, {}).predict({{0}, {0.0}}, setting.data->predicted_rows(), {}).value;
  const auto train_em = [&] {
    EmLearner em(observed_parts(setting), {}, setting.em);
    fit(em);
    return predict(em, *setting.data).value;
  };
  EXPECT_EQ(train_em(), want);
  // Warm-up steps are the same steps.
  setting.em.em.warmup = 10;
  setting.em.em.rounds = 2;
  EXPECT_EQ(train_em(), want);
  NetworkLearner network(Problem(observed_parts(setting), {.seed = 5}),
                         {.fit = {20}, .optim = {}, .stop = {.rule = "never"}});
  fit(network);
  EXPECT_EQ(predict(network, *setting.data).value, want);
}

// One round by hand: the exact posterior at the first weights, the draws, their weights, Adam.
TEST(EmLearner, ARoundOfEveryVariantIsTheTextbookRound) {
  for (Variant variant : {Variant::kPt, Variant::kPo, Variant::kPd, Variant::kPh}) {
    for (WeightRule rule : {WeightRule::kImportance, WeightRule::kContrast, WeightRule::kSign}) {
      Setting setting;
      setting.em.em = {.variant = variant, .rounds = 1, .steps = 2, .warmup = 0, .weight = rule};
      const ProblemParts parts = setting.parts();
      EmLearner learner(parts, {}, setting.em);
      fit(learner);
      const ProblemParts by_hand = setting.parts();
      Problem problem(by_hand, {});
      const std::vector<int64_t> ids = by_hand.family->all_ids();
      const Posterior p = Posterior::gibbs(ids, problem.losses(ids, {}), {}, setting.em.em.eta);
      EXPECT_EQ(learner.posterior().log_probs(), p.log_probs());
      Adam adam(by_hand.network, setting.em.optim);
      for (uint64_t step = 0; step < 2; ++step) {
        Rng rng(5, Stream::kDraw, step);
        std::vector<LambdaDraw> draws;
        for (int64_t k = 0; k < setting.em.em.draws; ++k) {
          const int64_t id = draw_lambda(setting.em.em, p, 21, rng);
          draws.push_back({id, mstep_weight(setting.em.em, p, 21, id)});
        }
        problem.objective(draws, {.training = true, .seed = 5, .step = step}, {}).value.backward();
        adam.step();
      }
      const auto got = values_of(*parts.network), want = values_of(*by_hand.network);
      for (size_t i = 0; i < got.size(); ++i) EXPECT_TRUE(got[i].equal(want[i])) << i;
    }
  }
}

TEST(EmLearner, BitsDoNotDependOnThreadsOrRepetition) {
  const Setting setting;
  const auto run = [&] { return state_of(*setting.trained()); };
  const std::string one = with_threads(1, run);
  EXPECT_EQ(with_threads(3, run), one);
  EXPECT_EQ(with_threads(3, run), one);
}

TEST(EmLearner, SeedsDiffer) {
  Setting one, two;
  two.em.seed = 6;
  EXPECT_NE(predict(*one.trained(), *one.data).value, predict(*two.trained(), *two.data).value);
}

TEST(EmLearner, ResumedTrainingEqualsTheUninterrupted) {
  Setting setting;
  setting.em.stop.rule = "accuracy";
  // Before each of 23 epochs, inside each of 4 E-steps, and once not at all.
  EXPECT_GE(expect_resumable([&] { return setting.learner(); }), 23 + 4 + 1);
  setting.em.optim.average = 0.8;
  setting.em.em.posterior = PosteriorMode::kMcmc;
  setting.em.mcmc = {.steps = 400, .chains = 4, .burn_in = 10};
  EXPECT_GE(expect_resumable([&] { return setting.learner(); }), 23 + 4 + 1);
}

// In the middle of E-steps, too: after every tile of graphs.
TEST(EmLearner, EveryCheckpointLeadsToTheSameBits) {
  Setting setting;
  setting.em.em.rounds = 2;
  setting.mixture.step = 0.001;  // 1001 graphs: several tiles
  setting.em.mcmc = {.steps = 400, .chains = 4, .burn_in = 10};
  for (auto mode : {PosteriorMode::kExact, PosteriorMode::kMcmc, PosteriorMode::kSurrogate}) {
    setting.em.em.posterior = mode;
    EXPECT_GT(expect_same_from_every_checkpoint([&] { return setting.learner(); }, 8), 13U);
  }
}

TEST(EmLearner, InterruptedPredictionIsTheSameLater) {
  const Setting setting;
  const auto first = setting.trained();
  EXPECT_THROW(first->predict(setting.data->predicted_rows(), [] { throw Interrupted("now"); }),
               Interrupted);
  const auto second = setting.learner();
  restore(*second, state_of(*first));
  FitObserver quiet;
  second->fit(quiet);
  EXPECT_EQ(predict(*second, *setting.data).value,
            predict(*setting.trained(), *setting.data).value);
}

TEST(EmLearner, StoredModelPredictsTheSame) {
  const Setting setting;
  const auto trained = setting.trained(), other = setting.learner();
  EXPECT_THROW(other->posterior(), UsageError);
  restore(*other, state_of(*trained, Scope::kModel), Scope::kModel);
  EXPECT_EQ(predict(*other, *setting.data).value, predict(*trained, *setting.data).value);
  EXPECT_EQ(other->posterior().log_probs(), trained->posterior().log_probs());
}

TEST(EmLearner, BrokenDistributionInAFileIsRefused) {
  const auto read = [](std::vector<int64_t> ids, std::vector<double> log_probs) {
    StateWriter writer(Scope::kModel);
    writer.has("p", true);
    writer.numbers("p/lam_ids", ids);
    writer.numbers("p/log_probs", log_probs);
    StateReader reader(writer.archive, "f", Scope::kModel);
    std::optional<GraphPosterior> p;
    visit_posterior(reader, "p", p, false);
    return p;
  };
  EXPECT_EQ(read({1, 4}, {-0.5, -1.0})->p.lam_ids(), (std::vector<int64_t>{1, 4}));
  EXPECT_THROW(read({}, {}), DataError);
  EXPECT_THROW(read({1, 4}, {0.0}), DataError);
  EXPECT_THROW(read({4, 1}, {-0.5, -1.0}), DataError);
}

class Counter : public FitObserver {
 public:
  void on_round(const RoundRecord& round) override { rounds.push_back(round); }
  void on_epoch(const EpochRecord& epoch) override { epochs.push_back(epoch); }
  std::vector<RoundRecord> rounds;
  std::vector<EpochRecord> epochs;
};

TEST(EmLearner, TellsItsObserverAboutEveryRoundAndEpoch) {
  const Setting setting;
  const auto learner = setting.learner();
  Counter counter;
  learner->fit(counter);
  ASSERT_EQ(counter.rounds.size(), 4U);
  ASSERT_EQ(counter.epochs.size(), 23U);
  EXPECT_EQ(counter.epochs[2].round, 0);
  EXPECT_FALSE(counter.epochs[2].validation.has_value());
  EXPECT_EQ(counter.epochs[3].round, 1);
  EXPECT_TRUE(counter.epochs[3].validation.has_value());
  for (size_t r = 0; r < 4; ++r) {
    const RoundRecord& round = counter.rounds[r];
    EXPECT_EQ(round.round, static_cast<int64_t>(r) + 1);
    EXPECT_EQ(round.eta, setting.em.em.eta + static_cast<double>(r) * setting.em.em.eta_step);
    EXPECT_TRUE(std::isfinite(round.normalizer_ratio));
    EXPECT_LE(round.normalizer_ratio, 0.0);
    EXPECT_NEAR(round.mean_lambda[0] + round.mean_lambda[1], 1.0, 1e-12);
    EXPECT_FALSE(round.mcmc.has_value());
  }
  EXPECT_EQ(learner->summary().rounds.size(), 4U);
  EXPECT_EQ(learner->summary().epochs, 23);
}

// Compares the p_t of every round with the exact one at the same weights.
class AgainstExact : public FitObserver {
 public:
  AgainstExact(const ProblemParts& parts, const EmLearner& learner)
      : problem_(parts, {}), learner_(learner), ids_(parts.family->all_ids()) {}

  void on_round(const RoundRecord& round) override {
    ASSERT_TRUE(round.mcmc.has_value());
    ++rounds;
    const Posterior exact = Posterior::gibbs(ids_, problem_.losses(ids_, {}), {}, round.eta);
    // An independent sampler with acceptance rate a has an effective sample of at least n·a/(2−a)
    // draws.
    const double a = round.mcmc->acceptance;
    const double draws = 398000 * a / (2 - a);
    for (int64_t id : ids_) {
      const double p = exact.prob(id);
      EXPECT_NEAR(learner_.posterior().prob(id), p, 4.5 * std::sqrt(p * (1 - p) / draws)) << id;
    }
  }
  int rounds = 0;

 private:
  Problem problem_;
  const EmLearner& learner_;
  std::vector<int64_t> ids_;
};

TEST(EmLearner, SampledPosteriorAgreesWithTheExactOneInEveryRound) {
  Setting setting;
  setting.em.em.posterior = PosteriorMode::kMcmc;
  setting.em.em.predict_posterior = PosteriorOf::kLast;
  setting.em.mcmc.steps = 400000;
  const ProblemParts parts = setting.parts();
  EmLearner learner(parts, {}, setting.em);
  AgainstExact observer(parts, learner);
  learner.fit(observer);
  EXPECT_EQ(observer.rounds, 4);
}

// What each validation should have seen, from the state at that moment.
class Validations : public FitObserver {
 public:
  Validations(const ProblemParts& parts, const EmLearner& learner, int64_t graphs)
      : problem_(parts, {}), learner_(learner), graphs_(graphs) {}

  void on_epoch(const EpochRecord& epoch) override {
    if (!epoch.validation) return;
    const Posterior& p = learner_.posterior();
    const PartScores want = problem_.validate(weights_of(p.thinned(graphs_)), Ranks::kSkip);
    EXPECT_EQ(epoch.validation->loss, want.loss);
    posteriors.push_back(p);
    losses.push_back(want.loss);
  }
  std::vector<Posterior> posteriors;
  std::vector<double> losses;

 private:
  Problem problem_;
  const EmLearner& learner_;
  int64_t graphs_;
};

TEST(EmLearner, ValidatesOnAFewGraphsAndPredictsWithTheBestOrTheLastPosterior) {
  Setting setting;
  setting.em.em.validation_graphs = 5;
  setting.em.em.predict_posterior = PosteriorOf::kLast;
  setting.em.optim.learning_rate = 0.2;  // jumps about: the last weights are not the best
  setting.em.stop.rule = "loss";
  const ProblemParts parts = setting.parts();
  EmLearner last(parts, {}, setting.em);
  Validations seen(parts, last, 5);
  last.fit(seen);
  const auto best = std::min_element(seen.losses.begin(), seen.losses.end()) - seen.losses.begin();
  ASSERT_LT(best, 15);  // an earlier round than the last
  EXPECT_EQ(last.posterior().log_probs(), seen.posteriors.back().log_probs());
  setting.em.em.predict_posterior = PosteriorOf::kBest;
  const Posterior& kept = seen.posteriors[static_cast<size_t>(best)];
  EXPECT_EQ(setting.trained()->posterior().log_probs(), kept.log_probs());
  EXPECT_NE(kept.log_probs(), seen.posteriors.back().log_probs());
}

TEST(EmLearner, PredictsWithAllGraphsOrWithTheLikelyOnes) {
  for (PredictWith keep : {PredictWith::kAll, PredictWith::kAbovePrior}) {
    Setting setting;
    setting.em.em.keep = keep;
    setting.em.em.eta = 50.0;
    const ProblemParts parts = setting.parts();
    EmLearner learner(parts, {}, setting.em);
    fit(learner);
    const Posterior p = learner.posterior(), likely = p.restricted(1.0 / 21);
    ASSERT_LT(likely.lam_ids().size(), p.lam_ids().size());
    const Posterior& used = keep == PredictWith::kAll ? p : likely;
    const std::vector<int32_t>& rows = setting.data->predicted_rows();
    EXPECT_EQ(learner.predict(rows, {}).value,
              Problem(parts, {}).predict(weights_of(used), rows, {}).value);
  }
}

TEST(EmLearner, RefusesBadSettingsBeforeItTrains) {
  Setting setting;
  setting.em.mcmc = {.steps = 100, .chains = 4, .burn_in = 25};
  EXPECT_NO_THROW(setting.learner());  // nothing is sampled
  setting.em.em.posterior = PosteriorMode::kMcmc;
  EXPECT_THROW(setting.learner(), UsageError);
  setting.em.mcmc.burn_in = 24;
  EXPECT_NO_THROW(setting.learner());
  setting.em.stop.rule = "rmse";  // of another task
  EXPECT_THROW(setting.learner(), UsageError);
  Setting cooling;
  cooling.em.em.eta_step = -2.0;  // 4, 2, 0, -2
  EXPECT_THROW(cooling.learner(), UsageError);
  cooling.em.em.rounds = 3;
  EXPECT_NO_THROW(cooling.learner());
  Setting large;
  large.mixture.step = 1e-6;
  EXPECT_NO_THROW(large.learner());  // samples
  large.em.em.posterior = PosteriorMode::kExact;
  EXPECT_THROW(large.learner(), UsageError);
}

TEST(EmLearner, LabelsOutsideTheTrainingSetChangeNothingButTheScores) {
  Setting setting;  // stop.rule = never: validation selects nothing
  Setting shuffled = setting;
  shuffled.data = with_other_labels(*setting.data, true);
  const auto a = setting.trained(), b = shuffled.trained();
  EXPECT_EQ(predict(*a, *setting.data).value, predict(*b, *shuffled.data).value);
  EXPECT_EQ(a->posterior().log_probs(), b->posterior().log_probs());
  EXPECT_NE(test_accuracy(*a, *setting.data), test_accuracy(*b, *shuffled.data));
  Setting by_name = setting;
  by_name.problem.evidence = EvidenceKind::kTrainAndValidation;
  EXPECT_NE(by_name.trained()->posterior().log_probs(), a->posterior().log_probs());
}

TEST(EmLearner, AgreementReadsNodesWithoutLabelsAndNoLabelOfThem) {
  Setting setting;
  const auto without = predict(*setting.trained(), *setting.data).value;
  setting.problem.agreement = {.weight = 1.0, .balance = 0.5};
  const auto run = [&] { return state_of(*setting.trained()); };
  const std::string with = with_threads(1, run);
  EXPECT_NE(predict(*setting.trained(), *setting.data).value, without);
  EXPECT_EQ(with_threads(3, run), with);
  setting.data = with_other_labels(*setting.data, false);
  EXPECT_EQ(run(), with);
}

void expect_distribution(const GraphDistribution& graphs, size_t coordinates) {
  double total = 0.0;
  for (const WeightedPoint& point : graphs.points) {
    total += point.p;
    EXPECT_EQ(point.lambda.size(), coordinates);
  }
  EXPECT_NEAR(total, 1.0, 1e-12);
  ASSERT_EQ(graphs.names.size(), coordinates);
  ASSERT_EQ(graphs.prior.size(), coordinates);
  for (const Marginal& marginal : graphs.prior) {
    double sum = 0.0;
    for (const auto& [value, p] : marginal) sum += p;
    EXPECT_NEAR(sum, 1.0, 1e-12);
  }
}

TEST(EmLearner, GraphsOfAMixtureAreSharesOfTheEdgeTypes) {
  const Setting setting;
  const auto trained = setting.trained();
  const std::optional<GraphDistribution> graphs = trained->graphs();
  ASSERT_TRUE(graphs.has_value());
  expect_distribution(*graphs, 2);
  EXPECT_EQ(graphs->family, "mixture");
  EXPECT_EQ(graphs->num_shares, graphs->names.size());
  EXPECT_TRUE(trained->graph_report().tables.empty());
}

TEST(EmLearner, GraphsOfTheRewireFamilyComeWithTheirEdges) {
  Setting setting;
  setting.data = std::make_shared<const Data>(noisy_citations(
      {.num_nodes = 150, .num_classes = 3, .num_words = 60, .validation_per_class = 10}, 2));
  ProblemParts parts = setting.parts();
  const RewireOptions rewire{.grid = 4};
  const auto candidates = find_candidates(*setting.data->graph(), rewire);
  parts.family = RewireFamily::make(setting.data->graph(), candidates, rewire, 5);
  EmLearner learner(parts, {}, setting.em);
  fit(learner);
  const std::optional<GraphDistribution> graphs = learner.graphs();
  ASSERT_TRUE(graphs.has_value());
  expect_distribution(*graphs, 2);
  EXPECT_EQ(graphs->num_shares, 0U);
  const FamilyReport report = learner.graph_report();
  ASSERT_EQ(report.tables.size(), 1U);
  EXPECT_EQ(report.tables[0].file, "edges.csv");
  const std::string& csv = report.tables[0].csv;
  const auto lines = std::count(csv.begin(), csv.end(), '\n');
  const int64_t edges = setting.data->graph()->graph.relations[0].adjacency.num_entries() / 2;
  EXPECT_EQ(lines, 1 + edges + static_cast<int64_t>(candidates.size()));
}

}  // namespace
}  // namespace emgnn
