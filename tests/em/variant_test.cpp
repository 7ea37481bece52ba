// SPDX-License-Identifier: Apache-2.0
#include <emgnn/em/variant.h>

#include <gtest/gtest.h>

#include <cmath>

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
    for (double explore : {0.0, 0.3, 1.0}) {
      const EmOptions em{.variant = variant, .explore = explore};
      Rng rng(8, Stream::kTest, static_cast<uint64_t>(variant));
      std::vector<double> count(3);
      for (int i = 0; i < kDraws; ++i)
        ++count[static_cast<size_t>(draw_lambda(em, posterior(), 3, rng))];
      for (int64_t lam : {0, 1, 2}) {
        const bool learned = variant == Variant::kPt || variant == Variant::kPd;
        const double q =
            learned ? explore / 3.0 + (1.0 - explore) * posterior().prob(lam) : 1.0 / 3.0;
        EXPECT_NEAR(draw_probability(em, posterior(), 3, lam), q, 1e-15);
        EXPECT_NEAR(count[static_cast<size_t>(lam)] / kDraws, q,
                    4.5 * std::sqrt(q * (1 - q) / kDraws));
      }
    }
  }
}

}  // namespace
}  // namespace emgnn
