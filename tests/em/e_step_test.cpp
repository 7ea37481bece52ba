// SPDX-License-Identifier: Apache-2.0
// What the E-step does not do twice, and what its last temperature is of.
#include <emgnn/em/e_step.h>

#include <gtest/gtest.h>

#include "cross_fit.h"

#include <emgnn/em/em_learner.h>
#include <emgnn/learn/weight_average.h>

namespace emgnn {
namespace {

// The networks of a learner, trained, and the posterior that it predicts with once more.
struct Judged {
  explicit Judged(const Setting& setting)
      : problems(members(setting, folds_of(setting))),
        learner(problems, setting.em),
        e_step(problems, setting.em.em, setting.em.mcmc, setting.em.seed) {
    fit(learner);
    const EmOptions& em = setting.em.em;
    const double eta = em.eta + em.eta_step * static_cast<double>(em.rounds - 1);
    result = e_step.run(eta, em.rounds + 1, {});
  }

  std::vector<Problem> problems;
  EmLearner learner;
  EStep e_step;
  EStepResult result;
};

TEST(EStep, LastTemperatureIsOfTheGraphsThatPredict) {
  for (PosteriorMode mode : {PosteriorMode::kStack, PosteriorMode::kExact, PosteriorMode::kMcmc}) {
    Setting setting = full_setting();
    setting.em.em.posterior = mode;
    setting.em.em.keep = PredictWith::kAbovePrior;
    setting.em.mcmc = {.steps = 4000, .chains = 2, .burn_in = 100};
    Judged judged(setting);
    const GraphPosterior& posterior = judged.result.posterior;
    EXPECT_EQ(posterior.p.log_probs(), judged.learner.posterior().log_probs());
    const Posterior kept =
        posterior.p.restricted(1.0 / static_cast<double>(judged.problems.front().family().size()));
    ASSERT_LT(kept.lam_ids().size(), posterior.p.lam_ids().size());
    const Task& task = judged.problems.front().task();

    // By hand: the temperature of the average over the graphs that are kept, for the rows that each
    // network has not seen.
    std::vector<at::Tensor> rows;
    std::vector<TargetRows> targets;
    const GraphWeights graphs = posterior.weights(kept);
    for (Problem& problem : judged.problems) {
      const at::Tensor logits = problem.outputs(graphs.lam_ids, {}).to(at::kDouble);
      at::Tensor mean = at::zeros_like(logits[0]);
      for (size_t g = 0; g < graphs.lam_ids.size(); ++g)
        mean += at::softmax(logits[static_cast<int64_t>(g)] / graphs.temperature[g], 1) *
                std::exp(graphs.log_prob[g]);
      rows.push_back(mean.log());
      targets.push_back(problem.evidence_target());
    }
    const double want = task.temperatures(at::cat(rows).unsqueeze(0), joined(targets)).front();
    const double got = judged.e_step.last_temperature(judged.result, kept, {});
    EXPECT_NEAR(got, want, 1e-9);
    EXPECT_NE(got, judged.e_step.last_temperature(judged.result, posterior.p, {}));

    // The learner uses it.
    const std::vector<int32_t>& all = setting.data->predicted_rows();
    const auto mean = task.expectation(setting.em.em.average);
    const Problem::View view = judged.problems.front().view_of(all);
    for (const Problem& problem : judged.problems)
      problem.predict(*view, graphs, 1.0 / static_cast<double>(kFolds), *mean, {});
    Prediction prediction{.rows = all, .width = task.num_outputs()};
    mean->finish(prediction);
    task.temper(prediction, got);
    EXPECT_EQ(judged.learner.predict(all, {}).value, prediction.value);
  }
}

TEST(EStep, LastTemperatureRunsNoNetworkThatTheEStepHasRun) {
  Setting setting = full_setting();
  Judged stacked(setting);
  setting.em.em.posterior = PosteriorMode::kMcmc;
  setting.em.mcmc = {.steps = 200, .chains = 2, .burn_in = 10};
  Judged sampled(setting);
  const auto tiles = [](const Judged& judged) {
    int count = 0;
    judged.e_step.last_temperature(judged.result, judged.result.posterior.p, [&] { ++count; });
    return count;
  };
  EXPECT_EQ(tiles(stacked), 0);
  EXPECT_EQ(tiles(sampled), static_cast<int>(kFolds));
}

TEST(EStep, ChecksProposalsOnlyWhereItSamples) {
  Setting setting;
  setting.mixture.step = 1e-6;
  setting.em.mcmc = {.steps = 100, .chains = 4, .burn_in = 25};  // nothing left to record
  EXPECT_THROW(setting.learner(), UsageError);
  for (PosteriorMode mode : {PosteriorMode::kStack, PosteriorMode::kPrior}) {
    setting.em.em.posterior = mode;
    EXPECT_NO_THROW(setting.learner());
  }
}

// Counts the views that are made of a family.
class CountedViews : public GraphFamily {
 public:
  explicit CountedViews(std::shared_ptr<const GraphFamily> family) : family_(std::move(family)) {}

  int64_t size() const override { return family_->size(); }
  LambdaPoint point(int64_t lam_id) const override { return family_->point(lam_id); }
  std::vector<std::string> coordinate_names() const override { return family_->coordinate_names(); }
  Marginal prior_marginal(size_t coordinate) const override {
    return family_->prior_marginal(coordinate);
  }
  int64_t propose_local(int64_t lam_id, Rng& rng) const override {
    return family_->propose_local(lam_id, rng);
  }
  std::string name() const override { return family_->name(); }
  std::shared_ptr<const FamilyView> view(std::span<const int32_t> rows,
                                         const NetworkNeeds& needs) const override {
    ++made;
    return family_->view(rows, needs);
  }

  mutable int made = 0;

 private:
  std::shared_ptr<const GraphFamily> family_;
};

TEST(EStep, SharesTheViewsOfTrainingAndValidation) {
  for (EvidenceKind evidence :
       {EvidenceKind::kTrain, EvidenceKind::kLastLayer, EvidenceKind::kValidation}) {
    Setting setting;
    setting.problem.evidence = evidence;
    ProblemParts parts = setting.parts();
    const auto family = std::make_shared<CountedViews>(parts.family);
    parts.family = family;
    EmLearner learner(parts, setting.problem, setting.em);
    fit(learner);
    EXPECT_EQ(family->made, 2);
  }
}

TEST(EStep, AllNetworksPredictOnOneView) {
  const Setting setting = deaf_setting();
  ProblemParts parts = setting.parts();
  const auto family = std::make_shared<CountedViews>(parts.family);
  parts.family = family;
  const Folds folds = folds_of(setting);
  std::vector<Problem> problems;
  for (size_t k = 0; k < folds.size(); ++k) problems.push_back(member(setting, folds, k, parts));
  EmLearner learner(problems, setting.em);
  fit(learner);
  family->made = 0;
  predict(learner, *setting.data);
  EXPECT_EQ(family->made, 1);
}

// Folds of 4, 3 and 3 of ten molecules leave 6, 7 and 7: one batch of at most 5 and a molecule that
// joins it, or two batches.
TEST(EStep, NetworksWithDifferentNumbersOfBatchesAreThoseTrainedAlone) {
  Split split;
  for (int32_t m = 0; m < 12; ++m) (m < 10 ? split.train : split.validation).push_back(m);
  const auto data = std::make_shared<const Data>(random_molecule_data(12, 1)->table(), split);
  Setting setting = deaf_setting();
  setting.em.em.warmup = 1;
  setting.em.em.rounds = 2;
  setting.em.em.steps = 2;
  const Folds folds =
      stratified_folds(data->labels(), data->split().train, kFolds, setting.em.seed);
  const auto problem = [&](size_t k) {
    ProblemParts parts{.data = data, .family = nullptr, .network = nullptr, .task = nullptr};
    parts.family = MoleculeFamily::by_distance(molecules_of(*data), {.bonds = {}});
    parts.task = make_task(data->labels(), {}, data->split().train);
    parts.network =
        std::make_shared<GcnStar>(GcnStarOptions{.stack = {.layers = 2, .hidden = 4}},
                                  HeadOptions{.head = 3}, shape_of(*data, *parts.task), 7 + k);
    ProblemOptions options;
    options.batch = {5};
    options.evidence = EvidenceKind::kCrossFit;
    options.left_out = folds[k];
    options.seed = 7 + k;
    return Problem(parts, options);
  };
  setting.em.em.posterior = PosteriorMode::kPrior;
  EmLearnerOptions options = setting.em;
  std::vector<Problem> together = {problem(0), problem(1), problem(2)};
  ASSERT_EQ(together[0].steps_per_epoch(), 1);
  ASSERT_EQ(together[1].steps_per_epoch(), 2);
  EmLearner all(together, options);
  fit(all);
  for (size_t k = 0; k < 3; ++k) {
    std::vector<Problem> alone = {problem(k)};
    EmLearner learner(alone, options);
    fit(learner);
    const auto a = values_of(alone[0].network()), b = values_of(together[k].network());
    for (size_t i = 0; i < a.size(); ++i) EXPECT_TRUE(a[i].equal(b[i])) << k << " " << i;
  }
}

}  // namespace
}  // namespace emgnn
