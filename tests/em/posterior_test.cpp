// SPDX-License-Identifier: Apache-2.0
#include <emgnn/em/posterior.h>

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>

#include <emgnn/base/error.h>

namespace emgnn {
namespace {

std::vector<int64_t> ids(int64_t n) {
  std::vector<int64_t> out(static_cast<size_t>(n));
  std::iota(out.begin(), out.end(), 0);
  return out;
}

double total(const Posterior& p) {
  double sum = 0;
  for (double lp : p.log_probs()) sum += std::exp(lp);
  return sum;
}

TEST(Posterior, MatchesTheGibbsFormula) {
  const std::vector<double> losses = {0.3, 1.0, 0.7},
                            log_prior = {std::log(0.5), std::log(0.25), std::log(0.25)};
  const Posterior p = Posterior::gibbs(ids(3), losses, log_prior, 2.0);
  const double a = 0.5 * std::exp(-0.6), b = 0.25 * std::exp(-2.0), c = 0.25 * std::exp(-1.4);
  EXPECT_NEAR(p.prob(0), a / (a + b + c), 1e-15);
  EXPECT_NEAR(p.prob(1), b / (a + b + c), 1e-15);
  EXPECT_NEAR(p.prob(2), c / (a + b + c), 1e-15);
  EXPECT_EQ(p.prob(3), 0.0);
}

TEST(Posterior, IsStableForLargeEta) {
  for (double scale : {1e-4, 1.0, 1e4, 1e6}) {
    const std::vector<double> losses = {1.0, 1.0001, 2.0, 1.5};
    const Posterior p = Posterior::gibbs(ids(4), losses, {}, scale);
    EXPECT_NEAR(total(p), 1.0, 1e-12);
    for (double lp : p.log_probs()) EXPECT_TRUE(std::isfinite(lp));
    // Ratios are exact in log space; the log-normaliser, about η L in size, costs its own rounding.
    EXPECT_NEAR(p.log_prob(0) - p.log_prob(2), scale, 1e-15 * scale * 4 + 1e-12);
  }
}

TEST(Posterior, RefusesALossThatIsNotFinite) {
  const std::vector<double> losses = {1.0, std::numeric_limits<double>::quiet_NaN()};
  EXPECT_THROW(Posterior::gibbs(ids(2), losses, {}, 1.0), Error);
}

TEST(Posterior, DrawsFollowTheProbabilities) {
  const std::vector<double> losses = {0.0, 1.0, 2.0, 0.5, 3.0};
  const Posterior p = Posterior::gibbs(ids(5), losses, {}, 1.0);
  constexpr int kDraws = 100000;
  std::vector<double> count(5);
  Rng rng(4, Stream::kTest);
  for (int i = 0; i < kDraws; ++i) ++count[static_cast<size_t>(p.draw(rng))];
  double chi2 = 0;
  for (size_t i = 0; i < 5; ++i) {
    const double expected = kDraws * p.prob(static_cast<int64_t>(i));
    chi2 += (count[i] - expected) * (count[i] - expected) / expected;
  }
  EXPECT_LT(chi2, 18.47);  // 99.9 % point of chi-square with 4 degrees of freedom
}

TEST(Posterior, RestrictedKeepsLikelyPointsAndRenormalises) {
  const std::vector<double> losses = {0.0, 1.0, 2.0, 3.0};
  const Posterior p = Posterior::gibbs(ids(4), losses, {}, 1.0).restricted(0.25);
  EXPECT_EQ(p.lam_ids(), (std::vector<int64_t>{0}));  // 0.644, 0.237, 0.087, 0.032
  EXPECT_DOUBLE_EQ(p.prob(0), 1.0);
  EXPECT_EQ(Posterior::uniform(ids(7)).restricted(1.0 / 7).lam_ids().size(), 7U);
  EXPECT_EQ(Posterior::uniform(ids(7)).restricted(0.9).lam_ids().size(), 1U);
}

TEST(Posterior, ThinnedPointsStandForTheDistribution) {
  std::vector<double> losses;
  for (int i = 0; i < 1000; ++i) losses.push_back(std::abs(i - 300) * 0.01);
  const Posterior p = Posterior::gibbs(ids(1000), losses, {}, 1.0);
  const Posterior few = p.thinned(32);
  EXPECT_LE(few.lam_ids().size(), 32U);
  // Quantiles: no set {id < x} is off by more than one of the 32 steps.
  double all = 0.0, sample = 0.0;
  for (int64_t id = 0; id < 1000; ++id) {
    all += p.prob(id);
    sample += few.prob(id);
    EXPECT_LE(std::abs(all - sample), 1.0 / 32 + 1e-9) << id;
  }
  EXPECT_NEAR(sample, 1.0, 1e-12);
  EXPECT_EQ(p.thinned(1000).lam_ids(), p.lam_ids());
  EXPECT_EQ(p.thinned(1).lam_ids().size(), 1U);
}

TEST(Posterior, FrequenciesOfRecordedStates) {
  const Posterior p = Posterior::from_counts({{3, 1}, {9, 3}});
  EXPECT_DOUBLE_EQ(p.prob(3), 0.25);
  EXPECT_DOUBLE_EQ(p.prob(9), 0.75);
}

TEST(NormalizerRatio, MatchesItsDefinition) {
  const std::vector<double> losses = {0.5, 0.9, 1.4};
  const double eta = 3.0;
  double mean = 0, square = 0, mean_loss = 0;
  for (double l : losses) {
    mean += std::exp(-eta * l) / 3;
    square += std::exp(-2 * eta * l) / 3;
    mean_loss += l / 3;
  }
  const double want = (square - mean * mean) / (2 * mean * mean) / (-eta * mean_loss);
  EXPECT_NEAR(normalizer_ratio(losses, eta), want, 1e-12);
  const std::vector<double> far = {1e4, 1e4 + 1};
  EXPECT_TRUE(std::isfinite(normalizer_ratio(far, 10.0)));
  const std::vector<double> same = {0.7, 0.7};
  EXPECT_NEAR(normalizer_ratio(same, 5.0), 0.0, 1e-12);
}

}  // namespace
}  // namespace emgnn
