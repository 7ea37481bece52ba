// SPDX-License-Identifier: Apache-2.0
#include <emgnn/report/charts.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <regex>

#include <emgnn/report/plot.h>

namespace emgnn {
namespace {

size_t count(const std::string& text, const std::string& what) {
  size_t out = 0;
  for (size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++out;
  return out;
}

// The values of an attribute in all elements that match.
std::vector<double> numbers(const std::string& svg, const std::string& pattern) {
  std::vector<double> out;
  const std::regex regex(pattern);
  for (std::sregex_iterator at(svg.begin(), svg.end(), regex), end; at != end; ++at)
    out.push_back(std::stod((*at)[1]));
  return out;
}

TEST(Ticks, AreRoundAndInside) {
  EXPECT_EQ(round_ticks(0.0, 1.0, 5),
            (std::vector<double>{0.0, 0.2, 0.4, 0.6000000000000001, 0.8, 1.0}));
  for (const double v : round_ticks(-3.7, 11.2, 6)) {
    EXPECT_GE(v, -3.7);
    EXPECT_LE(v, 11.2);
    EXPECT_EQ(std::fmod(v, 5.0), 0.0);
  }
  EXPECT_EQ(round_ticks(2.0, 2.0, 5), std::vector<double>{2.0});
  EXPECT_EQ(tick_text(0.5, 0.1), "0.5");
  EXPECT_EQ(tick_text(-20.0, 10.0), "−20");
  EXPECT_EQ(tick_text(-1e-17, 0.1), "0.0");
  EXPECT_EQ(tick_text(20000.0, 10000.0), "20,000");
}

TEST(Axes, CoverTheValuesAndSurviveNone) {
  const Axis axis = axis_of("x", {5.0, 7.0, NAN});
  EXPECT_LT(axis.low, 5.0);
  EXPECT_GT(axis.high, 7.0);
  EXPECT_EQ(axis_of("x", {0.1, 7.0}).low, 0.0);
  const Axis same = axis_of("x", {3.0, 3.0});
  EXPECT_LT(same.low, same.high);
  const Axis none = axis_of("x", {NAN});
  EXPECT_LT(none.low, none.high);
  EXPECT_TRUE(axis_of("x", {0.001, 7.0}, true).logarithmic);
  EXPECT_FALSE(axis_of("x", {-0.001, 7.0}, true).logarithmic);
}

TEST(Plot, PlacesValuesLinearly) {
  const Plot plot({.label = "", .low = 0.0, .high = 10.0}, {.label = "", .low = 0.0, .high = 1.0});
  EXPECT_DOUBLE_EQ(plot.x(0.0), plot.left());
  EXPECT_DOUBLE_EQ(plot.x(10.0), plot.right());
  EXPECT_DOUBLE_EQ(plot.x(5.0), (plot.left() + plot.right()) / 2.0);
  EXPECT_DOUBLE_EQ(plot.y(0.0), plot.bottom());
  EXPECT_DOUBLE_EQ(plot.y(1.0), plot.top());
}

TEST(BarChart, BarsAreAsHighAsTheirProbability) {
  const Chart chart = bar_chart("c", "x", {{0.0, 0.25, 0.5}, {1.0, 0.75, 0.5}});
  const std::vector<double> heights = numbers(chart.svg, "height=\"([0-9.]+)\" class=\"f1\"");
  ASSERT_EQ(heights.size(), 2U);
  EXPECT_NEAR(heights[1] / heights[0], 3.0, 0.01);  // pixels have one digit
  EXPECT_EQ(chart.table.rows.size(), 2U);
  EXPECT_EQ(count(chart.svg, "class=\"prior\""), 1U);
}

TEST(BarChart, ManyValuesShareBarsAndKeepTheirMass) {
  std::vector<Bar> bars;
  for (int i = 0; i < 1000; ++i) bars.push_back({1.0 + 0.05 * i, 1e-3, 1e-3});
  const Chart chart = bar_chart("c", "radius", bars);
  EXPECT_EQ(count(chart.svg, "class=\"f1\""), 200U);
  EXPECT_EQ(chart.table.rows.size(), 40U);
  for (const auto& row : chart.table.rows) EXPECT_EQ(row[1].text, "0.005");
}

TEST(BarChart, FewValuesStandBesideEachOtherWithTheirNames) {
  const Chart chart = bar_chart("c", "trust", {{0.0, 0.2, 0.5}, {2.0, 0.3, 0.5}, {5.0, 0.5, 0.5}});
  const std::vector<double> x = numbers(chart.svg, "x=\"([0-9.]+)\" y=\"[0-9.]+\" width");
  ASSERT_EQ(x.size(), 3U);
  EXPECT_NEAR(x[1] - x[0], x[2] - x[1], 0.2);
  EXPECT_NE(chart.svg.find(">5</text>"), std::string::npos);
}

TEST(LineChart, LongLinesKeepTheirExtremes) {
  Series series{.name = "loss", .x = {}, .y = {}};
  for (int i = 0; i < 10000; ++i) {
    series.x.push_back(i);
    series.y.push_back(i == 4321 ? 100.0 : 1.0);
  }
  const Chart chart =
      line_chart({.caption = "c", .x_label = "epoch", .y_label = "y", .series = {series}});
  EXPECT_LE(count(chart.svg.substr(chart.svg.find("<polyline")), ","), 320U);
  EXPECT_LE(chart.table.rows.size(), 42U);
  double top = INFINITY;
  const std::string points = chart.svg.substr(chart.svg.find("<polyline"));
  for (const double y : numbers(points, ",([0-9.]+)")) top = std::min(top, y);
  EXPECT_LT(top, 30.0);  // near the upper edge
}

TEST(LineChart, IsInterruptedWhereAnotherLineBegins) {
  Series series{
      .name = "loss", .x = {1, 2, 3, 4, 5}, .y = {3, 2, 9, 1, 4}, .part = {0, 0, 1, 1, 1}};
  const LinePlot plot{.caption = "c", .x_label = "epoch", .y_label = "y", .series = {series}};
  const Chart chart = line_chart(plot);
  EXPECT_EQ(count(chart.svg, "<polyline"), 2U);
  EXPECT_EQ(chart.legend.size(), 1U);
  EXPECT_EQ(chart.table.rows.size(), 5U);
}

TEST(LineChart, MarksRoundsAndNamesLines) {
  const Chart chart =
      line_chart({.caption = "c",
                  .x_label = "epoch",
                  .y_label = "y",
                  .series = {{.name = "<one>", .x = {1, 2}, .y = {1, 2}},
                             {.name = "two", .thin = true, .x = {1, 2}, .y = {2, 1}}},
                  .marks = {{1.0, "round 1"}, {2.0, "round 2"}},
                  .mark_name = "rounds"});
  EXPECT_EQ(count(chart.svg, "class=\"mark\""), 2U);
  const std::string html = to_html(chart);
  EXPECT_NE(html.find("&lt;one&gt;"), std::string::npos);
  EXPECT_EQ(html.find("two"), std::string::npos);  // thin lines are in no legend
  EXPECT_NE(html.find("role=\"img\" aria-label="), std::string::npos);
  EXPECT_NE(html.find("<table>"), std::string::npos);
}

TEST(HeatMap, TheMostProbableCellIsTheDarkest) {
  const Chart chart = heat_map({.caption = "c",
                                .x_label = "drop",
                                .y_label = "add",
                                .x = {0, 1},
                                .y = {0, 1, 2},
                                .p = {0.1, 0.1, 0.0, 0.2, 0.5, 0.1}});
  EXPECT_EQ(count(chart.svg, "class=\"f1\""), 5U);  // nothing where there is no mass
  EXPECT_EQ(count(chart.svg, "fill-opacity"), 4U);
  EXPECT_EQ(chart.table.rows[0][2].text, "0.5");
  EXPECT_NE(chart.svg.find("most probable at 0 and 2"), std::string::npos) << chart.svg;
}

TEST(ConfusionChart, CountsAndShares) {
  const Chart chart = confusion_chart("c", {"a", "b<"}, {8, 2, 0, 10});
  EXPECT_NE(chart.svg.find("90.0 % of the rows on the diagonal"), std::string::npos);
  EXPECT_NE(chart.svg.find("true a, predicted b&lt;: 2"), std::string::npos);
  EXPECT_EQ(chart.table.rows[0][2].text, "2");
}

TEST(TernaryChart, CornersAndMeans) {
  const Chart chart =
      ternary_chart("c", {"a", "b", "c"}, {{{1, 0, 0}, 0.5}, {{0, 1, 0}, 0.25}, {{0, 0, 1}, 0.25}});
  EXPECT_NE(chart.svg.find("their means are 0.5, 0.25 and 0.25"), std::string::npos) << chart.svg;
  const std::vector<double> radii = numbers(chart.svg, " r=\"([0-9.]+)\" class=\"f1\"");
  ASSERT_EQ(radii.size(), 3U);
  EXPECT_NEAR(radii[0] * radii[0] / (radii[1] * radii[1]), 2.0, 0.05);  // area: probability
}

TEST(IntervalChart, PlacesMeansAndIntervalsOnOneAxis) {
  const std::string name = "a view with <a> long name";
  const Chart chart = interval_chart(
      "c", "weight",
      {{name, {0.5, 0.25, 1.0}, {0.25, 0.0, 0.5}}, {"b", {0.75, 0.75, 0.75}, {0.5, 0.0, 1.0}}});
  // v is at 118 + v/(high − low) · (386 − 118): differences tell, wherever the axis begins.
  const std::vector<double> means =
      numbers(chart.svg, "cx=\"([0-9.]+)\" cy=\"[0-9.]+\" r=\"4.5\" class=\"f1\"");
  const std::vector<double> prior =
      numbers(chart.svg, "cx=\"([0-9.]+)\" cy=\"[0-9.]+\" r=\"4.5\" class=\"f0\"");
  const std::vector<double> low = numbers(chart.svg, "x1=\"([0-9.]+)\"[^>]*class=\"l1 wide\"");
  const std::vector<double> high = numbers(chart.svg, "x2=\"([0-9.]+)\"[^>]*class=\"l1 wide\"");
  ASSERT_EQ(means.size(), 2U);
  ASSERT_EQ(prior.size(), 2U);
  ASSERT_EQ(low.size(), 2U);
  ASSERT_EQ(high.size(), 2U);
  const double unit = high[0] - low[0];  // 0.75 of the axis
  EXPECT_NEAR(means[0] - low[0], unit / 3.0, 0.2);
  EXPECT_NEAR(means[1] - means[0], unit / 3.0, 0.2);
  EXPECT_NEAR(prior[0], low[0], 0.2);
  EXPECT_NEAR(high[1] - low[1], 0.0, 0.2);
  EXPECT_GE(*std::min_element(low.begin(), low.end()), 118.0);
  EXPECT_LE(high[0], Plot::kWidth);
  const std::string html = to_html(chart);
  EXPECT_EQ(html.find("<a>"), std::string::npos);
  EXPECT_NE(chart.svg.find("b 0.75, 0.75 to 0.75"), std::string::npos) << chart.svg;
  ASSERT_EQ(chart.table.rows.size(), 2U);
  EXPECT_EQ(chart.table.rows[0][0].text, name);  // whole
  EXPECT_EQ(chart.table.rows[0][6].text, "0.5");
}

TEST(ValueChart, ManyPointsBecomeCells) {
  std::vector<ValuePoint> points;
  for (int i = 0; i < 100000; ++i)
    points.push_back({std::sin(i), std::sin(i + 0.1 * std::cos(7 * i)), 0.1});
  const Chart chart = value_chart("c", "x", "interval", points);
  EXPECT_LT(chart.svg.size(), 200000U);
  EXPECT_EQ(count(chart.svg, "<circle"), 0U);
  points.resize(10);
  const Chart few = value_chart("c", "x", "interval", points);
  EXPECT_EQ(count(few.svg, "<circle"), 10U);
  EXPECT_EQ(count(few.svg, "l1 faint"), 10U);
}

TEST(ReliabilityChart, TellsTheCalibrationError) {
  const Chart chart = reliability_chart(
      "c", {{"before", {{0.9, 0.5, 100}}}, {"after", {{0.55, 0.5, 80}, {0.9, 0.9, 20}}}});
  EXPECT_EQ(chart.legend[0].name, "before: calibration error 40.0 %");
  EXPECT_EQ(chart.legend[1].name, "after: calibration error 4.0 %");
}

}  // namespace
}  // namespace emgnn
