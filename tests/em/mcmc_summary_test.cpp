// SPDX-License-Identifier: Apache-2.0
#include <emgnn/em/mcmc_summary.h>

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "../space/small_graph.h"

#include <emgnn/space/mixture.h>

namespace emgnn {
namespace {

// Four chains of independent draws between two given points each.
McmcResult chains_between(const std::vector<std::pair<int64_t, int64_t>>& points, int length) {
  McmcResult mcmc;
  mcmc.acceptance = 0.41;
  mcmc.evaluated = 7;
  for (size_t c = 0; c < points.size(); ++c) {
    Rng rng(2, Stream::kTest, c);
    mcmc.draws.lam_ids.emplace_back();
    for (int i = 0; i < length; ++i)
      mcmc.draws.lam_ids.back().push_back(rng.below(2) == 0 ? points[c].first : points[c].second);
  }
  return mcmc;
}

class McmcSummaryTest : public testing::Test {
 protected:
  // Weights 0, 1/4, ... 1.
  const std::shared_ptr<const MixtureFamily> family_ =
      MixtureFamily::make(data_of(small_graph(8, 2, 10, 1)), {.step = 0.25});
};

TEST_F(McmcSummaryTest, ChainsThatAgreeConverge) {
  const McmcSummary summary =
      summarise(*family_, chains_between({{0, 4}, {0, 4}, {0, 4}, {1, 3}}, 0));
  EXPECT_FALSE(summary.converged());  // no draws at all
  const McmcSummary good =
      summarise(*family_, chains_between({{1, 4}, {1, 4}, {1, 4}, {1, 4}}, 2000));
  EXPECT_TRUE(good.converged()) << in_words(good);
  EXPECT_EQ(good.evaluated, 7);
}

TEST_F(McmcSummaryTest, ChainsThatAgreeOnTheMeanOnlyDoNot) {
  // Every coordinate has mean 1/2 in every chain; the spread differs.
  const McmcSummary summary =
      summarise(*family_, chains_between({{0, 4}, {0, 4}, {1, 3}, {1, 3}}, 2000));
  EXPECT_FALSE(summary.converged()) << in_words(summary);
}

TEST_F(McmcSummaryTest, EveryCoordinateHasItsFigures) {
  const McmcResult mcmc = chains_between({{1, 4}, {1, 4}, {1, 4}, {1, 4}}, 2000);
  const SampledPosterior sampled = describe_draws(*family_, mcmc.draws, {.acceptance = 0.41});
  ASSERT_EQ(sampled.coordinates.size(), family_->coordinate_names().size());
  for (size_t c = 0; c < sampled.coordinates.size(); ++c) {
    const CoordinateDiagnostics& one = sampled.coordinates[c];
    EXPECT_EQ(one.name, family_->coordinate_names()[c]);
    const double a = family_->point(1)[c], b = family_->point(4)[c];
    // 8000 coins: five standard errors.
    EXPECT_NEAR(one.mean, 0.5 * (a + b), 5.0 * 0.5 * std::abs(a - b) / std::sqrt(8000.0));
    EXPECT_NEAR(one.mcse, one.sd / std::sqrt(8000.0), 0.2 * one.mcse);
    EXPECT_LE(one.rhat, sampled.worst.rhat);
    EXPECT_GE(one.ess, sampled.worst.ess);
    EXPECT_GE(one.ess_tail, sampled.worst.ess_tail);
  }
  EXPECT_EQ(sampled.worst.acceptance, 0.41);
}

TEST_F(McmcSummaryTest, IsToldInWords) {
  McmcSummary summary{
      .rhat = 1.0 / 0.997, .ess = 2310.4, .acceptance = 0.41, .evaluated = 21, .ess_tail = 1870.0};
  EXPECT_EQ(in_words(summary),
            "R-hat 1.003, 2310 effective draws (tails 1870), acceptance 0.41: converged");
  EXPECT_EQ(warning(summary), "");
  summary.ess_tail = 399.0;
  EXPECT_EQ(warning(summary),
            "the sampled distribution over graphs has not converged: R-hat 1.003 (wanted: below "
            "1.01), 2310 effective draws in the bulk and 399 in the tails (wanted: above 400); "
            "raise mcmc.steps");
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_FALSE((McmcSummary{nan, nan, 0.0, 1}).converged());
}

TEST_F(McmcSummaryTest, AnUnknownFigureIsTheWorst) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const McmcSummary known{1.0, 1000.0, 0.5, 21, 0.0, 1.0, 1000.0};
  const McmcSummary unknown{nan, nan, 0.5, 21, 0.0, 1.0, nan};
  EXPECT_TRUE(std::isnan(worse(known, unknown).ess_tail));
  EXPECT_NE(warning(unknown).find("too few draws"), std::string::npos);
  EXPECT_TRUE(std::isnan(worse(known, unknown).rhat));
  EXPECT_TRUE(std::isnan(worse(unknown, known).ess));
}

}  // namespace
}  // namespace emgnn
