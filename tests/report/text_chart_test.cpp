// SPDX-License-Identifier: Apache-2.0
#include <emgnn/report/text_chart.h>

#include <gtest/gtest.h>

#include <algorithm>

namespace emgnn {
namespace {

GraphDistribution mixture(std::vector<std::string> names, std::vector<WeightedPoint> points) {
  const size_t shares = names.size();
  return {.family = "mixture",
          .names = std::move(names),
          .num_shares = shares,
          .points = std::move(points)};
}

TEST(TextChart, DrawsTwoWeightsOfOneWholeAsBars) {
  const std::string chart = posterior_chart(
      mixture({"good", "bad"}, {{{0.0, 1.0}, 0.25}, {{0.5, 0.5}, 0.25}, {{1.0, 0.0}, 0.5}}));
  EXPECT_EQ(chart,
            "weight of good (the rest is bad)\n"
            "   0.00 0.250 ████████████████████\n"
            "   0.50 0.250 ████████████████████\n"
            "   1.00 0.500 ████████████████████████████████████████\n");
}

TEST(TextChart, GathersManyValuesIntoFewRows) {
  GraphDistribution graphs{.family = "distance", .names = {"radius"}};
  for (int i = 0; i < 181; ++i) graphs.points.push_back({{1.0 + 0.05 * i}, 1.0 / 181.0});
  const std::string chart = posterior_chart(graphs);
  EXPECT_TRUE(chart.starts_with("radius\n")) << chart;
  EXPECT_LE(std::count(chart.begin(), chart.end(), '\n'), 26);
}

TEST(TextChart, ShowsMeanAndIntervalOfEachOfSeveralWeights) {
  const std::string chart = posterior_chart(
      mixture({"a", "b", "c"},
              {{{0.0, 0.5, 0.5}, 0.02}, {{0.5, 0.25, 0.25}, 0.49}, {{1.0, 0.0, 0.0}, 0.49}}));
  EXPECT_NE(chart.find("weight of"), std::string::npos);
  EXPECT_NE(chart.find("a          0.735   0.50 to 1.00"), std::string::npos) << chart;
}

TEST(TextChart, RanksWeights) {
  const std::string chart =
      posterior_chart(mixture({"a", "b", "c"}, {{{0.25, 0.5, 0.25}, 0.5}, {{0.0, 0.5, 0.5}, 0.5}}));
  EXPECT_LT(chart.find("\n  b "), chart.find("\n  c ")) << chart;
  EXPECT_LT(chart.find("\n  c "), chart.find("\n  a ")) << chart;
}

// Two coordinates that are no shares are no whole either, whatever they add up to.
TEST(TextChart, ShowsParametersThatAreNoSharesInTheirOrder) {
  const std::string chart = posterior_chart({.family = "rewire",
                                             .names = {"drop", "add"},
                                             .num_shares = 0,
                                             .points = {{{0.1, 0.9}, 0.5}, {{0.2, 0.8}, 0.5}}});
  EXPECT_TRUE(chart.starts_with("  parameter   mean   central 90 %\n")) << chart;
  EXPECT_LT(chart.find("\n  drop "), chart.find("\n  add ")) << chart;
  EXPECT_NE(chart.find("0.150   0.10 to 0.20"), std::string::npos) << chart;
}

TEST(TextChart, IsEmptyForOnePoint) {
  EXPECT_EQ(posterior_chart(mixture({"a", "b"}, {{{1.0, 1.0}, 1.0}})), "");
}

}  // namespace
}  // namespace emgnn
