// SPDX-License-Identifier: Apache-2.0
// The variants' weights and the rules of early stopping.
#include <gtest/gtest.h>

#include <cmath>

#include <emgnn/base/error.h>
#include <emgnn/em/stopping.h>
#include <emgnn/em/variant.h>

namespace emgnn {
namespace {

// p_t = (0.1, 0.6, 0.3) on three points: p_0 = 1/3 where it is uniform.
const Posterior& posterior() {
  static const Posterior p =
      Posterior::from_log_prob({0, 1, 2}, {std::log(0.1), std::log(0.6), std::log(0.3)});
  return p;
}

double weight(Variant variant, WeightRule rule, int64_t lam) {
  EmOptions em;
  em.variant = variant;
  em.weight = rule;
  em.alpha = 0.2;
  return mstep_weight(em, posterior(), 3, lam);
}

TEST(Variant, ImportanceWeightsAreThePapersTable) {
  for (int64_t lam : {0, 1, 2}) {
    const double p = posterior().prob(lam);
    EXPECT_NEAR(weight(Variant::kPt, WeightRule::kImportance, lam), 1 - 1 / (3 * p), 1e-12);
    EXPECT_NEAR(weight(Variant::kPo, WeightRule::kImportance, lam), 3 * p - 1, 1e-12);
    EXPECT_NEAR(weight(Variant::kPd, WeightRule::kImportance, lam), 1.0, 1e-12);
    EXPECT_NEAR(weight(Variant::kPh, WeightRule::kImportance, lam), 3 * p, 1e-12);
  }
}

TEST(Variant, ContrastIsPdAtZeroAndThePaperAtOne) {
  EmOptions em;
  em.weight = WeightRule::kContrast;
  for (int64_t lam : {0, 1, 2}) {
    em.alpha = 0.0;
    EXPECT_NEAR(mstep_weight(em, posterior(), 3, lam),
                weight(Variant::kPd, WeightRule::kImportance, lam), 1e-12);
    em.alpha = 1.0;
    EXPECT_NEAR(mstep_weight(em, posterior(), 3, lam),
                weight(Variant::kPt, WeightRule::kImportance, lam), 1e-12);
  }
}

TEST(Variant, ThePapersPtWeightHasMeanZeroUnderItsOwnDraws) {
  double mean = 0;
  for (int64_t lam : {0, 1, 2})
    mean += posterior().prob(lam) * weight(Variant::kPt, WeightRule::kImportance, lam);
  EXPECT_NEAR(mean, 0.0, 1e-12);
}

TEST(Variant, SignRuleDescendsOnGoodGraphsAndAscendsOnBadOnes) {
  for (Variant variant : {Variant::kPt, Variant::kPo}) {
    EXPECT_EQ(weight(variant, WeightRule::kSign, 0), -0.2);
    EXPECT_EQ(weight(variant, WeightRule::kSign, 1), 1.0);
    EXPECT_EQ(weight(variant, WeightRule::kSign, 2), -0.2);
  }
  EXPECT_NEAR(weight(Variant::kPd, WeightRule::kSign, 0), 1.0, 1e-12);
  EXPECT_NEAR(weight(Variant::kPh, WeightRule::kSign, 0), 0.3, 1e-12);
}

TEST(Variant, SignRuleKeepsAPointThatEqualsThePrior) {
  EmOptions em;
  em.weight = WeightRule::kSign;
  EXPECT_EQ(mstep_weight(em, Posterior::uniform({0, 1, 2}), 3, 1), 1.0);
}

TEST(Variant, DrawsFollowThePosteriorOrTheUniform) {
  constexpr int kDraws = 60000;
  for (Variant variant : {Variant::kPt, Variant::kPo, Variant::kPd, Variant::kPh}) {
    Rng rng(8, Stream::kTest, static_cast<uint64_t>(variant));
    std::vector<double> count(3);
    for (int i = 0; i < kDraws; ++i)
      ++count[static_cast<size_t>(draw_lambda(variant, posterior(), 3, rng))];
    for (int64_t lam : {0, 1, 2}) {
      const double q = draw_probability(variant, posterior(), 3, lam);
      EXPECT_NEAR(count[static_cast<size_t>(lam)] / kDraws, q,
                  4.5 * std::sqrt(q * (1 - q) / kDraws));
    }
  }
}

TEST(Stopping, LossAndAccuracyKeepsOnlyWhatIsBestInBoth) {
  const StopOptions options{.rule = StopRule::kLossAndAccuracy, .patience = 2};
  StopState state;
  EXPECT_TRUE(judge(options, state, {.loss = 1.0, .accuracy = 0.5}).keep);
  EXPECT_FALSE(judge(options, state, {.loss = 0.9, .accuracy = 0.4})
                   .keep);  // better loss, worse accuracy: neither kept nor waited
  EXPECT_EQ(state.waited, 0);
  EXPECT_FALSE(
      judge(options, state, {.loss = 0.95, .accuracy = 0.6}).keep);  // the best loss is now 0.9
  EXPECT_TRUE(judge(options, state, {.loss = 0.9, .accuracy = 0.6}).keep);
  EXPECT_FALSE(judge(options, state, {.loss = 1.1, .accuracy = 0.5}).stop);
  EXPECT_TRUE(judge(options, state, {.loss = 1.1, .accuracy = 0.5}).stop);
}

TEST(Stopping, AccuracyBreaksTiesByLoss) {
  const StopOptions options{.rule = StopRule::kAccuracy, .patience = 3};
  StopState state;
  EXPECT_TRUE(judge(options, state, {.loss = 1.0, .accuracy = 0.5}).keep);
  EXPECT_FALSE(judge(options, state, {.loss = 0.2, .accuracy = 0.4}).keep);
  EXPECT_TRUE(judge(options, state, {.loss = 0.9, .accuracy = 0.5}).keep);
  EXPECT_FALSE(judge(options, state, {.loss = 0.9, .accuracy = 0.5}).keep);
  EXPECT_TRUE(judge(options, state, {.loss = 2.0, .accuracy = 0.6}).keep);
}

TEST(Stopping, LossStopsAfterItsPatienceAndNeverDoesNot) {
  StopState state;
  const StopOptions loss{.rule = StopRule::kLoss, .patience = 2};
  EXPECT_TRUE(judge(loss, state, {.loss = 1.0, .accuracy = 0.5}).keep);
  EXPECT_FALSE(judge(loss, state, {.loss = 1.0, .accuracy = 0.9}).stop);
  EXPECT_TRUE(judge(loss, state, {.loss = 1.1, .accuracy = 0.9}).stop);
  StopState other;
  const StopOptions never{.rule = StopRule::kNever, .patience = 1};
  for (int i = 0; i < 5; ++i) {
    const StopVerdict verdict = judge(never, other, {.loss = 1.0 + i, .accuracy = 0.5});
    EXPECT_TRUE(verdict.keep);
    EXPECT_FALSE(verdict.stop);
  }
}

TEST(Stopping, RmseIsJudgedLikeALoss) {
  StopState state;
  const StopOptions options{.rule = StopRule::kRmse, .patience = 2};
  const auto scores = [](double loss, double rmse) {
    return Scores{.task = Task::kRegression, .loss = loss, .rmse = rmse};
  };
  EXPECT_TRUE(judge(options, state, scores(1.0, 2.0)).keep);
  EXPECT_TRUE(judge(options, state, scores(1.1, 1.9)).keep);
  EXPECT_FALSE(judge(options, state, scores(0.1, 1.9)).keep);
  EXPECT_TRUE(judge(options, state, scores(0.1, 3.0)).stop);
}

TEST(Stopping, RulesOfTheOtherTaskAreRefused) {
  EXPECT_THROW(check_rule(StopRule::kAccuracy, Task::kRegression), UsageError);
  EXPECT_THROW(check_rule(StopRule::kLossAndAccuracy, Task::kRegression), UsageError);
  EXPECT_THROW(check_rule(StopRule::kRmse, Task::kClassification), UsageError);
  for (Task task : {Task::kClassification, Task::kRegression}) {
    EXPECT_NO_THROW(check_rule(StopRule::kLoss, task));
    EXPECT_NO_THROW(check_rule(StopRule::kNever, task));
  }
}

}  // namespace
}  // namespace emgnn
