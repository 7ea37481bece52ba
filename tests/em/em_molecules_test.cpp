// SPDX-License-Identifier: Apache-2.0
// Learning on molecules by their distances. Needs chemistry.
#include <gtest/gtest.h>

#include <cmath>

#include "../base/with_threads.h"
#include "../learn/interruption.h"
#include "../learn/small_problems.h"

#include <emgnn/data/load_molecules.h>
#include <emgnn/data/molecule_split.h>
#include <emgnn/em/em_learner.h>
#include <emgnn/learn/network_learner.h>
#include <emgnn/space/molecule_mixture.h>

namespace emgnn {
namespace {

// The radius of gyration is a matter of distances: what the family is about.
const MoleculeTable& toy() {
  static const MoleculeTable table =
      load_molecules({.name = "toy-molecules", .data_dir = {}, .options = {}, .use_cache = false});
  return table;
}

std::shared_ptr<const Data> data_of(const MoleculeTable& table) {
  return std::make_shared<const Data>(std::make_shared<const MoleculeTable>(table),
                                      make_split(table, {.spec = "random:0.8/0.1/0.1", .seed = 3}));
}

constexpr const char* kThreeViews = "bonds, two-bonds, shell:2-4";

struct Setting {
  std::shared_ptr<const Data> data = data_of(toy());
  ProblemOptions problem{.batch = {64}, .agreement = {}, .seed = 5};
  EmLearnerOptions em{.em = {.rounds = 3, .steps = 2, .warmup = 1, .draws = 8},
                      .mcmc = {},
                      .optim = {.learning_rate = 0.01},
                      .stop = {.rule = "rmse"},
                      .seed = 5};

  std::string views = kDistances;

  std::shared_ptr<const GraphFamily> family(bool em) const {
    const std::shared_ptr<const Molecules> molecules(data->table(), &data->table()->molecules);
    if (!em) return MoleculeFamily::bonds_only(molecules, {});
    if (views == kDistances)
      return MoleculeFamily::by_distance(molecules, {.bonds = {}, .radius_step = 0.5});
    return std::make_shared<const MoleculeMixture>(
        molecules, AtomMixtureOptions{.bonds = {}, .views = views, .step = 0.25});
  }
  ProblemParts parts(bool em) const {
    ProblemParts out{.data = data, .family = family(em), .network = nullptr, .task = nullptr};
    out.task = make_task(data->labels(), {}, data->split().train);
    const GcnStarOptions options{.stack = {.layers = 2, .hidden = 16, .dropout = 0.1},
                                 .norm = Norm::kBatch};
    out.network =
        std::make_shared<GcnStar>(options, HeadOptions{.head = 16}, shape_of(*data, *out.task), 5);
    return out;
  }
  std::shared_ptr<EmLearner> learner() const {
    return std::make_shared<EmLearner>(parts(true), problem, em);
  }
  std::shared_ptr<NetworkLearner> plain() const {
    return std::make_shared<NetworkLearner>(
        Problem(parts(false), problem),
        NetworkLearnerOptions{.fit = {em.em.warmup + em.em.rounds * em.em.steps},
                              .optim = em.optim,
                              .stop = em.stop});
  }
  std::shared_ptr<EmLearner> trained() const {
    auto out = learner();
    fit(*out);
    return out;
  }
};

std::vector<double> predictions(Learner& learner, const Data& data) {
  return learner.predict(data.predicted_rows(), {}).value;
}

PartScores scores(Learner& learner, const std::vector<int32_t>& rows) {
  return learner.task()->score(learner.predict(rows, {}), Ranks::kCompute);
}

class Losses : public FitObserver {
 public:
  void on_epoch(const EpochRecord& epoch) override { train.push_back(epoch.train_loss); }
  std::vector<double> train;
};

TEST(EmMolecules, LearnsMoreThanTheMean) {
  Setting setting;
  setting.em.em.rounds = 6;
  setting.em.em.steps = 4;
  for (const std::shared_ptr<Learner>& learner :
       {std::shared_ptr<Learner>(setting.learner()), std::shared_ptr<Learner>(setting.plain())}) {
    Losses losses;
    learner->fit(losses);
    EXPECT_LT(losses.train.back(), 0.5 * losses.train.front());
    // R² of predicting the mean is 0.
    EXPECT_GT(scores(*learner, setting.data->split().test).scores.at("r2"), 0.5);
    EXPECT_GT(scores(*learner, setting.data->split().validation).scores.at("r2"), 0.5);
  }
}

TEST(EmMolecules, PlainNetworkHasOneGraphAndNoDeviation) {
  const Setting setting;
  const auto learner = setting.plain();
  fit(*learner);
  EXPECT_FALSE(learner->graphs().has_value());
  for (double s : learner->predict(setting.data->predicted_rows(), {}).graph_part)
    EXPECT_EQ(s, 0.0);
}

TEST(EmMolecules, BitsDoNotDependOnThreads) {
  const Setting setting;
  const auto run = [&] { return state_of(*setting.trained()); };
  EXPECT_EQ(with_threads(1, run), with_threads(3, run));
}

TEST(EmMolecules, ResumedRunEqualsTheUninterruptedOne) {
  for (const char* views : {kDistances, kThreeViews}) {
    Setting setting;
    setting.views = views;
    setting.em.optim.average = 0.8;
    const std::string want = state_of(*setting.trained());
    for (int chance : {1, 2, 4, 9}) {
      StopAt observer(chance);
      EXPECT_TRUE(interrupted(*setting.learner(), observer));
      const auto second = setting.learner();
      restore(*second, observer.state);
      fit(*second);
      EXPECT_EQ(state_of(*second) == want, true) << chance << " " << views;
    }
  }
}

TEST(EmMolecules, EveryCheckpointLeadsToTheSameBits) {
  for (const char* views : {kDistances, kThreeViews}) {
    Setting setting;
    setting.views = views;
    EXPECT_GT(expect_same_from_every_checkpoint([&] { return setting.learner(); }, 12), 12U);
  }
}

TEST(EmMolecules, TargetsOutsideTheTrainingSetChangeNothingButTheScores) {
  Setting setting;
  setting.em.stop.rule = "never";  // validation selects nothing
  MoleculeTable table = toy();
  for (const auto* part : {&setting.data->split().validation, &setting.data->split().test})
    for (int32_t m : *part) table.labels.value[static_cast<size_t>(m)] += 100.0;
  Setting other = setting;
  other.data = data_of(table);
  const auto a = setting.trained(), b = other.trained();
  EXPECT_EQ(predictions(*a, *setting.data), predictions(*b, *other.data));
  EXPECT_EQ(a->posterior().log_probs(), b->posterior().log_probs());
  EXPECT_GT(scores(*b, other.data->split().test).scores.at("rmse"),
            scores(*a, setting.data->split().test).scores.at("rmse") + 90.0);
}

TEST(EmMolecules, AUnitIsOnlyAUnit) {
  MoleculeTable table = toy();
  // A power of two: the standardised targets keep their bits.
  for (double& y : table.labels.value) y *= 1024.0;
  Setting setting, other;
  other.data = data_of(table);
  const auto a = setting.trained(), b = other.trained();
  const PartScores of_a = scores(*a, setting.data->split().test);
  const PartScores of_b = scores(*b, other.data->split().test);
  EXPECT_EQ(1024.0 * of_a.scores.at("rmse"), of_b.scores.at("rmse"));
  EXPECT_EQ(1024.0 * of_a.scores.at("mae"), of_b.scores.at("mae"));
  EXPECT_EQ(of_a.scores.at("r2"), of_b.scores.at("r2"));
  EXPECT_EQ(of_a.loss, of_b.loss);
}

TEST(EmMolecules, DistributionIsOverRadii) {
  const Setting setting;
  const auto graphs = setting.trained()->graphs();
  ASSERT_TRUE(graphs.has_value());
  EXPECT_EQ(graphs->family, "distance");
  EXPECT_EQ(graphs->names.size(), 1U);
  double total = 0.0;
  for (const auto& [value, p] : graphs->prior.at(0)) total += p;
  EXPECT_NEAR(total, 1.0, 1e-12);
}

TEST(EmMolecules, ViewsAreSharesThatTheEvidenceMoves) {
  Setting setting;
  setting.views = kThreeViews;
  setting.em.em.rounds = 6;
  setting.em.em.steps = 4;
  setting.em.em.eta = 100.0;
  const auto learner = setting.trained();
  EXPECT_GT(scores(*learner, setting.data->split().validation).scores.at("r2"), 0.5);
  const auto graphs = learner->graphs();
  ASSERT_TRUE(graphs.has_value());
  EXPECT_EQ(graphs->family, "mixture");
  EXPECT_EQ(graphs->num_shares, 4U);
  double highest = 0.0;
  for (double log_p : learner->posterior().log_probs())
    highest = std::max(highest, std::exp(log_p));
  EXPECT_GT(highest, 2.0 / 35.0);  // 35 points; the prior has 1/35 on each
}

TEST(EmMolecules, WhatCannotBeTrainedIsRefused) {
  Setting setting;
  setting.em.stop.rule = "accuracy";
  EXPECT_THROW(setting.learner(), UsageError);
  MoleculeTable no_target = toy();
  no_target.labels = no_labels(no_target.num_molecules());
  EXPECT_THROW(make_task(no_target.labels, {}, {}), UsageError);
  Setting flat;
  MoleculeTable table = toy();
  table.molecules.num_conformers = 0;
  flat.data = data_of(table);
  EXPECT_THROW(flat.learner(), UsageError);
}

}  // namespace
}  // namespace emgnn
