// SPDX-License-Identifier: Apache-2.0
#include <emgnn/report/graph_chart.h>

#include <gtest/gtest.h>

#include <cmath>
#include <regex>
#include <set>

#include <emgnn/report/plot.h>

namespace emgnn {
namespace {

struct Circle {
  double x = 0.0, y = 0.0;
  std::string style, title;
};

std::vector<Circle> circles(const std::string& svg) {
  static const std::regex kCircle(
      R"re(<circle cx="([0-9.]+)" cy="([0-9.]+)" r="[0-9.]+" class="([^"]*)"[^>]*><title>([^<]*))re");
  std::vector<Circle> out;
  for (std::sregex_iterator at(svg.begin(), svg.end(), kCircle), end; at != end; ++at)
    out.push_back({std::stod((*at)[1]), std::stod((*at)[2]), (*at)[3], (*at)[4]});
  return out;
}

std::vector<double> widths(const std::string& svg, const std::string& style) {
  std::vector<double> out;
  const std::regex line("class=\"" + style + "\" stroke-width=\"([0-9.]+)\"");
  for (std::sregex_iterator at(svg.begin(), svg.end(), line), end; at != end; ++at)
    out.push_back(std::stod((*at)[1]));
  return out;
}

RowNote note(const std::string& name, int32_t answer, double confidence) {
  return {.name = name,
          .predicted = "class " + std::to_string(answer),
          .answer = answer,
          .confidence = confidence};
}

Neighbourhood small() {
  return {.centre = "a<b>",
          .nodes = {"near", "wanted"},
          .edges = {{.source = "a<b>", .target = "near", .view = "reliable", .value = 1.0},
                    {.source = "wanted", .target = "a<b>", .candidate = true, .value = 0.5},
                    {.source = "near", .target = "wanted", .value = 0.0}},
          .left_out = 3};
}

TEST(NeighbourhoodChart, DrawsTheCentreItsNeighboursAndWhatJoinsThem) {
  const Chart chart = neighbourhood_chart(
      small(), {{"a<b>", note("a<b>", 0, 0.875)}, {"near", note("near", 1, 0.5)}}, true, 1.0);
  EXPECT_EQ(chart.caption, "a<b>: predicted class 0 (87.5 %); 3 further neighbours are left out");
  const std::vector<Circle> nodes = circles(chart.svg);
  ASSERT_EQ(nodes.size(), 3U);
  EXPECT_EQ(nodes[0].title, "near: predicted class 1 (50.0 %)");
  EXPECT_EQ(nodes[0].style, "node f2");
  EXPECT_EQ(nodes[1].style, "node f0");  // nothing is known of it
  EXPECT_EQ(nodes[2].style, "node f1");
  EXPECT_EQ(nodes[2].x, Plot::kWidth / 2.0);
  for (const size_t i : {0, 1})
    EXPECT_NEAR(std::hypot(nodes[i].x - nodes[2].x, nodes[i].y - nodes[2].y), 118.0, 0.2);
  // From 0.6 to 5 pixels.
  EXPECT_EQ(widths(chart.svg, "edge"), (std::vector<double>{5.0, 0.6}));
  EXPECT_EQ(widths(chart.svg, "edge wanted"), std::vector<double>{2.8});
  EXPECT_NE(chart.svg.find(">1.00</text>"), std::string::npos);
  EXPECT_NE(chart.svg.find(">0.50</text>"), std::string::npos);
  EXPECT_EQ(chart.svg.find(">0.00</text>"), std::string::npos);  // it does not touch the centre
  EXPECT_EQ(to_html(chart).find("<b>"), std::string::npos);
}

TEST(NeighbourhoodChart, TellsClassesKindsAndEachEdge) {
  const Chart chart = neighbourhood_chart(
      small(), {{"a<b>", note("a<b>", 1, 0.9)}, {"near", note("near", 9, 0.9)}}, true, 1.0);
  std::vector<std::string> legend;
  for (const LegendEntry& entry : chart.legend) legend.push_back(entry.style + ": " + entry.name);
  EXPECT_EQ(legend, (std::vector<std::string>{"m2: predicted class 1", "m2: predicted class 9",
                                              "l0: edge as given", "wanted: candidate"}));
  ASSERT_EQ(chart.table.rows.size(), 3U);
  EXPECT_EQ(chart.table.columns.back(), "probability");
  EXPECT_EQ(chart.table.rows[0][2].text, "reliable");
  EXPECT_EQ(chart.table.rows[1][2].text, "candidate");
  EXPECT_EQ(chart.table.rows[2][2].text, "as given");
  EXPECT_EQ(chart.table.rows[1][3].text, "0.5");
}

TEST(NeighbourhoodChart, OfWeightsIsAsWideAsTheLargestAllows) {
  const Chart chart = neighbourhood_chart(small(), {}, false, 2.0);
  EXPECT_EQ(widths(chart.svg, "edge"), (std::vector<double>{2.8, 0.6}));
  EXPECT_EQ(chart.table.columns.back(), "weight");
  EXPECT_EQ(neighbourhood_chart(small(), {}, false, 0.0).svg.find("nan"), std::string::npos);
}

TEST(NeighbourhoodChart, OfANodeWithoutEdgesIsThatNode) {
  const Chart chart = neighbourhood_chart({.centre = "alone"}, {}, true, 1.0);
  EXPECT_EQ(circles(chart.svg).size(), 1U);
  EXPECT_EQ(chart.caption, "alone; no edge of it is in the table");
  EXPECT_TRUE(chart.table.rows.empty());
}

// Else it would look like two edges of the centre.
TEST(NeighbourhoodChart, WhatJoinsNeighboursPassesByTheCentre) {
  for (size_t n = 2; n <= kNeighbours; ++n) {
    Neighbourhood around{.centre = "c"};
    for (size_t i = 0; i < n; ++i) around.nodes.push_back(std::to_string(i));
    const std::vector<Circle> at = circles(neighbourhood_chart(around, {}, true, 1.0).svg);
    for (size_t i = 0; i < n; ++i) {
      for (size_t k = 0; k < i; ++k) {
        const double dx = at[k].x - at[i].x, dy = at[k].y - at[i].y;
        const double cross = dx * (at[n].y - at[i].y) - dy * (at[n].x - at[i].x);
        EXPECT_GT(std::abs(cross) / std::hypot(dx, dy), 13.0) << n;  // the centre's radius
      }
    }
  }
}

// Neither nodes nor their names leave the drawing or lie upon each other.
TEST(NeighbourhoodChart, KeepsManyNeighboursApart) {
  Neighbourhood around{.centre = "centre"};
  for (size_t i = 0; i < kNeighbours; ++i) {
    around.nodes.push_back("a very long name " + std::to_string(i));
    around.edges.push_back({.source = "centre", .target = around.nodes.back(), .value = 0.9});
  }
  const std::vector<Circle> nodes = circles(neighbourhood_chart(around, {}, true, 1.0).svg);
  ASSERT_EQ(nodes.size(), kNeighbours + 1);
  for (size_t i = 0; i < nodes.size(); ++i) {
    EXPECT_GT(nodes[i].x, 70.0);  // room for nine letters
    EXPECT_LT(nodes[i].x, Plot::kWidth - 70.0);
    for (size_t k = 0; k < i; ++k)
      EXPECT_GT(std::hypot(nodes[i].x - nodes[k].x, nodes[i].y - nodes[k].y), 40.0);
  }
}

}  // namespace
}  // namespace emgnn
