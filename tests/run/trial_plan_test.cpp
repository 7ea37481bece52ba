// SPDX-License-Identifier: Apache-2.0
#include <emgnn/run/trial_plan.h>

#include <gtest/gtest.h>

#include <algorithm>

namespace emgnn {
namespace {

// Whoever survives: the dearest candidates of each rung.
double dearest(const std::vector<TrialCost>& costs, const std::vector<Rung>& rungs) {
  std::vector<double> epoch;
  for (const TrialCost& cost : costs) epoch.push_back(cost.epoch);
  std::sort(epoch.rbegin(), epoch.rend());
  double work = 0.0;
  int64_t before = 0;
  for (const Rung& rung : rungs) {
    for (size_t i = 0; i < rung.candidates; ++i)
      work += epoch[i] * static_cast<double>(rung.epochs - before);
    before = rung.epochs;
  }
  return work;
}

TEST(TrialPlan, StaysWithinItsShareOfTheCheapestRun) {
  const std::vector<TrialCost> costs = {
      {3.0, 300 * 4.0, 300}, {9.0, 300 * 12.0, 300}, {5.0, 400 * 5.0, 400}, {4.0, 300 * 4.5, 300}};
  for (const double share : {0.25, 0.5}) {
    for (size_t k = 2; k <= costs.size(); ++k) {
      const std::vector<TrialCost> some(costs.begin(), costs.begin() + static_cast<long>(k));
      const std::vector<Rung> rungs = plan_rungs(some, share);
      ASSERT_FALSE(rungs.empty()) << k << " " << share;
      EXPECT_LE(dearest(some, rungs), share * 1200.0);
      // And uses it: a rung more than one epoch short would be a waste.
      EXPECT_GT(dearest(some, rungs), share * 1200.0 - 21.0 * static_cast<double>(rungs.size()));
    }
  }
}

TEST(TrialPlan, HalvesTheCandidates) {
  const std::vector<TrialCost> costs(5, {1.0, 1000.0, 500});
  std::vector<size_t> sizes;
  int64_t epochs = 0;
  for (const Rung& rung : plan_rungs(costs, 0.3)) {
    sizes.push_back(rung.candidates);
    EXPECT_GT(rung.epochs, epochs);
    epochs = rung.epochs;
  }
  EXPECT_EQ(sizes, (std::vector<size_t>{5, 3, 2}));
}

TEST(TrialPlan, ComparesNothingWhereThereIsNothingToCompareOrNoTime) {
  EXPECT_TRUE(plan_rungs(std::vector<TrialCost>(1, {1.0, 1000.0, 500}), 0.3).empty());
  EXPECT_TRUE(plan_rungs(std::vector<TrialCost>(3, {1.0, 20.0, 20}), 0.3).empty());
}

TEST(TrialPlan, NoTrialIsLongerThanItsRun) {
  const std::vector<TrialCost> costs(2, {1.0, 100000.0, 60});
  for (const Rung& rung : plan_rungs(costs, 0.3)) EXPECT_LE(rung.epochs, 60);
}

TEST(TrialPlan, CountsNetworksAndGraphsOfARun) {
  const GraphFacts facts{.num_nodes = 100, .num_edges = 300, .num_feature_entries = 1000};
  const std::map<std::string, std::string> plain = {
      {"model.layers", "2"}, {"model.hidden", "16"}, {"fit.epochs", "200"}, {"stop.every", "1"}};
  // X W, two sums over 700 neighbours (each node is one of its own), one product of 16 by 16.
  const double forward = 1000 * 16 + 2 * 700 * 16 + 100 * 16 * 16;
  const TrialCost one = cost_of(plain, plain, facts);
  EXPECT_DOUBLE_EQ(one.epoch, 3.0 * forward);
  EXPECT_DOUBLE_EQ(one.full, 200 * 4.0 * forward);
  EXPECT_EQ(one.epochs, 200);
  std::map<std::string, std::string> em = plain;
  em.erase("fit.epochs");
  em.insert(
      {{"em.rounds", "5"}, {"em.steps", "40"}, {"em.evidence", "cross-fit"}, {"em.folds", "5"}});
  EXPECT_DOUBLE_EQ(cost_of(em, plain, facts).full, 5.0 * one.full);
}

}  // namespace
}  // namespace emgnn
