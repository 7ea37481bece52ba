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
    mcmc.chains.emplace_back();
    for (int i = 0; i < length; ++i)
      mcmc.chains.back().push_back(rng.below(2) == 0 ? points[c].first : points[c].second);
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

TEST_F(McmcSummaryTest, IsToldInWords) {
  const McmcSummary summary{
      .rhat = 1.0 / 0.997, .ess = 2310.4, .acceptance = 0.41, .evaluated = 21};
  EXPECT_EQ(in_words(summary), "R-hat 1.003, 2310 effective draws, acceptance 0.41: converged");
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_FALSE((McmcSummary{nan, nan, 0.0, 1}).converged());
}

TEST_F(McmcSummaryTest, AnUnknownFigureIsTheWorst) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const McmcSummary known{1.0, 1000.0, 0.5, 21}, unknown{nan, nan, 0.5, 21};
  EXPECT_TRUE(std::isnan(worse(known, unknown).rhat));
  EXPECT_TRUE(std::isnan(worse(unknown, known).ess));
}

}  // namespace
}  // namespace emgnn
