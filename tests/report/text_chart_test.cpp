// SPDX-License-Identifier: Apache-2.0
#include <emgnn/report/text_chart.h>

#include <gtest/gtest.h>

#include <algorithm>

namespace emgnn {
namespace {

TEST(TextChart, DrawsTwoWeightsOfOneWholeAsBars) {
  const std::string chart =
      posterior_chart({"good", "bad"}, {{{0.0, 1.0}, 0.25}, {{0.5, 0.5}, 0.25}, {{1.0, 0.0}, 0.5}});
  EXPECT_EQ(chart,
            "weight of good (the rest is bad)\n"
            "   0.00 0.250 ████████████████████\n"
            "   0.50 0.250 ████████████████████\n"
            "   1.00 0.500 ████████████████████████████████████████\n");
}

TEST(TextChart, GathersManyValuesIntoFewRows) {
  std::vector<WeightedPoint> posterior;
  for (int i = 0; i < 181; ++i) posterior.push_back({{1.0 + 0.05 * i}, 1.0 / 181.0});
  const std::string chart = posterior_chart({"radius"}, posterior);
  EXPECT_LE(std::count(chart.begin(), chart.end(), '\n'), 26);
}

TEST(TextChart, ShowsMeanAndIntervalOfEachOfSeveralWeights) {
  const std::string chart = posterior_chart(
      {"a", "b", "c"},
      {{{0.0, 0.5, 0.5}, 0.02}, {{0.5, 0.25, 0.25}, 0.49}, {{1.0, 0.0, 0.0}, 0.49}});
  EXPECT_NE(chart.find("weight of"), std::string::npos);
  EXPECT_NE(chart.find("a          0.735   0.50 to 1.00"), std::string::npos) << chart;
}

TEST(TextChart, RanksWeights) {
  const std::string chart =
      posterior_chart({"a", "b", "c"}, {{{0.25, 0.5, 0.25}, 0.5}, {{0.0, 0.5, 0.5}, 0.5}});
  EXPECT_LT(chart.find("\n  b "), chart.find("\n  c ")) << chart;
  EXPECT_LT(chart.find("\n  c "), chart.find("\n  a ")) << chart;
}

TEST(TextChart, IsEmptyForOnePoint) {
  EXPECT_EQ(posterior_chart({"a", "b"}, {{{1.0, 1.0}, 1.0}}), "");
}

}  // namespace
}  // namespace emgnn
