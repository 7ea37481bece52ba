// SPDX-License-Identifier: Apache-2.0
#include <emgnn/learn/rank_correlation.h>

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace emgnn {
namespace {

using Values = std::vector<double>;

TEST(MeanRanks, EqualValuesShareTheMeanOfTheirRanks) {
  EXPECT_EQ(mean_ranks(Values{30, 10, 20}), (Values{3, 1, 2}));
  EXPECT_EQ(mean_ranks(Values{5, 1, 5, 0, 5}), (Values{4, 2, 4, 1, 4}));
  EXPECT_EQ(mean_ranks(Values{7, 7}), (Values{1.5, 1.5}));
  EXPECT_TRUE(mean_ranks(Values{}).empty());
}

TEST(Spearman, SeesTheOrderAndNothingElse) {
  const Values a = {0.1, 0.2, 0.3, 0.4};
  EXPECT_DOUBLE_EQ(*spearman(a, Values{-5, 0, 1, 1000}), 1.0);
  EXPECT_DOUBLE_EQ(*spearman(a, Values{9, 8, 7, -70}), -1.0);
  // Without ties ρ = 1 − 6 Σ d² / (n (n² − 1)): d = 1, 1, 1, 1.
  EXPECT_DOUBLE_EQ(*spearman(a, Values{2, 1, 4, 3}), 1.0 - 6.0 * 4.0 / 60.0);
}

TEST(Spearman, TiesByHand) {
  // Ranks 1, 2.5, 2.5, 4 and 1, 2, 3, 4: Σxy = 4.5, Σxx = 4.5, Σyy = 5 about their mean 2.5.
  EXPECT_NEAR(*spearman(Values{1, 2, 2, 3}, Values{1, 2, 3, 4}), 4.5 / std::sqrt(4.5 * 5.0), 1e-15);
  // Ranks 1.5, 1.5, 3.5, 3.5 and 1, 3, 2, 4: Σxy = 2, Σxx = 4, Σyy = 5.
  EXPECT_NEAR(*spearman(Values{0, 0, 1, 1}, Values{1, 3, 2, 4}), 2.0 / std::sqrt(4.0 * 5.0), 1e-15);
}

TEST(Spearman, IsNotAlwaysDefined) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_FALSE(spearman(Values{}, Values{}));
  EXPECT_FALSE(spearman(Values{1}, Values{2}));
  EXPECT_FALSE(spearman(Values{1, 2, 3}, Values{4, 4, 4}));
  EXPECT_FALSE(spearman(Values{1, 1}, Values{4, 5}));
  EXPECT_FALSE(spearman(Values{1, nan}, Values{4, 5}));
  EXPECT_FALSE(spearman(Values{1, 2}, Values{4, nan}));
}

}  // namespace
}  // namespace emgnn
