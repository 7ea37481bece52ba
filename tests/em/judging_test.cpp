// SPDX-License-Identifier: Apache-2.0
#include <emgnn/em/judging.h>

#include <gtest/gtest.h>

#include <algorithm>

#include "em_setting.h"

#include <emgnn/em/em_learner.h>
#include <emgnn/em/variant.h>
#include <emgnn/space/rewire.h>
#include <emgnn/space/rewire_input.h>

namespace emgnn {
namespace {

struct Rewired : Setting {
  Rewired() {
    data = std::make_shared<const Data>(noisy_citations(
        {.num_nodes = 150, .num_classes = 3, .num_words = 60, .validation_per_class = 10}, 2));
    em.em = {.rounds = 2, .steps = 25, .warmup = 1, .draws = 4};
  }
  ProblemParts rewired() const {
    ProblemParts out = parts();
    const auto candidates = find_candidates(*data->graph(), {});
    out.family = RewireFamily::make(data->graph(), candidates, {}, 5);
    return out;
  }
};

JudgingPlan plan(double work, const EmOptions& em, bool sampled = false) {
  return plan_judging({work, work, work}, em, {.graphs = sampled ? 1024 : 441, .sampled = sampled});
}

const EmOptions kEm{.rounds = 2, .steps = 25, .warmup = 1, .draws = 4};

TEST(Judging, AllGraphsAreJudgedUnlessTheyAreLarge) {
  const JudgingPlan all = plan(1e6, kEm);  // 441 times 10⁶ is below 2 · 10⁹
  EXPECT_EQ(all.graphs, 441);
  EXPECT_EQ(all.validation_graphs, 32);
  EXPECT_FALSE(all.limited);
}

// 25 epochs of 3 · 4 units may be followed by half as many units of E-step, and each epoch by 6 of a
// validation.
TEST(Judging, OfLargeOnesAsManyAsTheGradientStepsAllow) {
  EXPECT_EQ(plan(1e8, kEm).graphs, 150);
  EXPECT_EQ(plan(1e8, kEm).validation_graphs, 6);
  EXPECT_TRUE(plan(1e8, kEm).limited);
  EXPECT_EQ(plan(1e8, kEm, true).graphs, 150);  // of losses that are fitted
  EXPECT_EQ(plan(5e6, kEm, true).graphs, 400);  // 2 · 10⁹ are free
  EmOptions em = kEm;
  em.judging = 0.1;
  EXPECT_EQ(plan(1e8, em).graphs, 30);
  EXPECT_EQ(plan(1e8, em, true).graphs, 96);  // fewer would not be worth a fit
  em.judging = 1e-6;
  EXPECT_EQ(plan(1e8, em).graphs, 1);
  EXPECT_EQ(plan(1e8, em).validation_graphs, 1);
  em.judging = 0.0;
  EXPECT_EQ(plan(1e8, em).graphs, 441);
  em = kEm;
  em.posterior = PosteriorMode::kExact;
  EXPECT_EQ(plan(1e8, em).graphs, 441);
}

TEST(Judging, FewPointsAreSpreadAndHaveTheExtremes) {
  const Rewired setting;
  const auto rewired = setting.rewired().family;
  const auto mixed = MixtureFamily::make(small_data()->graph(), {.step = 0.01});
  for (int64_t most : {1, 2, 9, 50, 100}) {
    for (const GraphFamily* family :
         {rewired.get(), static_cast<const GraphFamily*>(mixed.get())}) {
      const std::vector<int64_t> ids = spread_points(*family, most);
      EXPECT_LE(static_cast<int64_t>(ids.size()), most);
      EXPECT_GE(2 * static_cast<int64_t>(ids.size()), most);
      EXPECT_TRUE(std::is_sorted(ids.begin(), ids.end()));
      if (most < 9) continue;
      EXPECT_EQ(ids.front(), 0);
      EXPECT_EQ(ids.back(), family->size() - 1);
      for (size_t i = 1; i < ids.size(); ++i)  // no hole
        EXPECT_LE(ids[i] - ids[i - 1], 2 * family->size() / (most / 2) + 2);
    }
  }
}

// Says what it does, once; and whatever it draws it has judged.
TEST(Judging, TrainingStaysOnTheJudgedGraphs) {
  class Notes : public FitObserver {
   public:
    void on_note(const std::string& note) override { all.push_back(note); }
    std::vector<std::string> all;
  };
  for (Variant variant : {Variant::kPt, Variant::kPo}) {
    Rewired setting;
    setting.gcn.stack.hidden = 6144;  // 441 graphs are more than 2 · 10⁹
    setting.gcn.stack.layers = 2;
    setting.em.em.variant = variant;
    EmLearner learner(setting.rewired(), {}, setting.em);
    Notes notes;
    learner.fit(notes);
    ASSERT_EQ(notes.all.size(), 1U);
    EXPECT_EQ(
        notes.all[0].find("a graph of this size: each E-step judges at most 150 of 441 graphs, a "
                          "validation averages over "),
        0U)
        << notes.all[0];
    const Posterior& p = learner.posterior();
    const auto judged = static_cast<int64_t>(p.lam_ids().size());
    EXPECT_LE(judged, 150);
    EXPECT_GT(judged, 50);
    for (uint64_t k = 0; k < 200; ++k) {
      Rng rng(1, Stream::kTest, k);
      const int64_t id = draw_lambda(setting.em.em, p, judged, rng);
      EXPECT_TRUE(std::binary_search(p.lam_ids().begin(), p.lam_ids().end(), id));
    }
  }
}

TEST(Judging, AnInterruptedRunEndsTheSame) {
  Rewired setting;
  setting.gcn.stack.hidden = 6144;
  setting.gcn.stack.layers = 2;
  setting.em.em.rounds = 1;
  setting.em.em.steps = 2;
  setting.em.em.judging = 0.1;
  expect_resumable(
      [&] { return std::make_shared<EmLearner>(setting.rewired(), ProblemOptions{}, setting.em); });
}

// More than 4,096 mixtures: some hundred losses per round, however many proposals.
TEST(Judging, SampledMixturesTakeFewLosses) {
  Setting setting;
  setting.mixture.step = 1e-4;  // 10,001 graphs of two edge types
  setting.em.em.rounds = 2;
  const auto trained = setting.trained();
  for (const RoundRecord& round : trained->rounds()) {
    ASSERT_TRUE(round.mcmc.has_value());
    EXPECT_LE(round.mcmc->evaluated, kMostSampled);
    EXPECT_TRUE(round.mcmc->fitted());
    EXPECT_GT(round.mcmc->corrected, 0.5);
  }
  // The same posterior as by the losses of all graphs, up to that of so many draws.
  setting.em.em.posterior = PosteriorMode::kExact;
  const auto exact = setting.trained();
  const double want = exact->rounds().front().mean_lambda[0];
  EXPECT_NEAR(trained->rounds().front().mean_lambda[0], want, 4.5 * 0.3 / std::sqrt(128.0));
}

}  // namespace
}  // namespace emgnn
