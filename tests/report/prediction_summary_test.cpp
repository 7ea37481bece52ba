// SPDX-License-Identifier: Apache-2.0
#include <emgnn/report/prediction_summary.h>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include <emgnn/base/rng.h>
#include <emgnn/learn/calibration.h>
#include <emgnn/learn/metrics.h>
#include <emgnn/report/edge_summary.h>

namespace emgnn {
namespace {

struct Calibrated {
  std::vector<double> before, after;  // log probabilities [rows, 3]
  std::vector<int32_t> cls;
  std::string csv = "node,split,label,predicted,p(a),p(b),p(c),entropy,graph_information\n";
};

// Random rows of three classes whose probabilities were made less sure by a temperature.
Calibrated random_rows(double temperature) {
  Calibrated out;
  Rng rng(1, Stream::kDraw, 0);
  for (int i = 0; i < 500; ++i) {
    std::array<double, 3> logit{};
    double total = 0.0;
    for (double& l : logit) total += std::exp(l = 4.0 * rng.uniform());
    for (const double l : logit) out.before.push_back(l - std::log(total));
    out.cls.push_back(static_cast<int32_t>(rng.below(3)));
  }
  out.after = out.before;
  apply_temperature(out.after, 3, temperature);
  for (size_t i = 0; i < out.cls.size(); ++i) {
    const double* p = &out.after[3 * i];
    const auto answer = std::max_element(p, p + 3) - p;
    out.csv += fmt::format("n{},test,{},{},{:.6g},{:.6g},{:.6g},0.5,0\n", i, "abc"[out.cls[i]],
                           "abc"[answer], std::exp(p[0]), std::exp(p[1]), std::exp(p[2]));
  }
  return out;
}

double calibration_error(const std::vector<ReliabilityBin>& bins) {
  double error = 0.0, rows = 0.0;
  for (const ReliabilityBin& bin : bins) {
    rows += static_cast<double>(bin.rows);
    error += static_cast<double>(bin.rows) * std::abs(bin.correct - bin.confidence);
  }
  return error / rows;
}

// The calibration errors of both are those that class_scores computes. p has six digits, so that a
// row may change its bin, but hardly any does: 1/500 of the rows is worth 0.002.
TEST(PredictionSummary, UndoesTheTemperature) {
  const Calibrated rows = random_rows(2.5);
  PredictionCollector collector(LabelKind::kClasses, "test");
  collector.add(rows.csv, "predictions.csv", 2.5);
  const PredictionSummary summary = collector.summary();
  EXPECT_NEAR(calibration_error(summary.after), class_scores(rows.after, rows.cls, 3).at("ece"),
              2e-3);
  EXPECT_NEAR(calibration_error(summary.before), class_scores(rows.before, rows.cls, 3).at("ece"),
              2e-3);
  EXPECT_GT(calibration_error(summary.before), calibration_error(summary.after) + 0.05);
  EXPECT_EQ(summary.scored, 500);
  double right = 0.0;
  for (size_t c = 0; c < 3; ++c) right += summary.confusion[4 * c];
  EXPECT_NEAR(right / 500.0, class_scores(rows.after, rows.cls, 3).at("accuracy"), 1e-12);
}

TEST(PredictionSummary, CountsSeveralRunsAndTheMostFrequentTrainingClass) {
  const std::string head = "node,split,label,predicted,p(a),p(b),entropy,graph_information\n";
  PredictionCollector collector(LabelKind::kClasses, "test");
  collector.add(head +
                    "1,train,a,a,.9,.1,.3,0\n2,train,a,a,.9,.1,.3,0\n3,train,b,a,.9,.1,.3,0\n"
                    "4,test,a,b,.4,.6,.6,.2\n5,test,b,b,.1,.9,.3,.1\n6,,,b,.1,.9,.3,0\n",
                "one", {});
  collector.add(head +
                    "1,train,b,b,.2,.8,.5,0\n4,test,a,a,.8,.2,.5,0\n5,test,b,b,.1,.9,.3,0\n"
                    "6,test,b,b,.1,.9,.3,0\n",
                "two", {});
  const PredictionSummary summary = collector.summary();
  EXPECT_DOUBLE_EQ(*summary.baseline, (0.5 + 2.0 / 3.0) / 2.0);
  EXPECT_EQ(summary.confusion, (std::vector<double>{0.5, 0.5, 0.0, 1.5}));
  EXPECT_EQ(summary.rows, 6);
  EXPECT_TRUE(summary.before.empty());
  ASSERT_EQ(summary.wrong.size(), 1U);
  EXPECT_EQ(summary.wrong[0].name, "4");
  EXPECT_EQ(summary.unsure[0].name, "4");
  ASSERT_EQ(summary.by_graph.size(), 2U);
  EXPECT_EQ(summary.by_graph[1].name, "5");
}

TEST(PredictionSummary, OfValuesKnowsTheMeanOfTheTrainingRows) {
  PredictionCollector collector(LabelKind::kValues, "test");
  collector.add(
      "row,smiles,split,target,value,graph_std,noise_std,std\n"
      "1,C,train,1,1,0.1,0.1,0.2\n2,CC,train,3,1,0.1,0.1,0.2\n"
      "3,CCC,test,5,4,0.1,0.1,2\n4,CN,test,1,1.5,0.3,0.1,0.4\n5,CO,test,,1.5,0.3,0.1,0.4\n",
      "p.csv", {});
  const PredictionSummary summary = collector.summary();
  EXPECT_NEAR(*summary.baseline, std::sqrt((9.0 + 1.0) / 2.0), 1e-12);  // the mean is 2
  ASSERT_EQ(summary.points[0].size(), 2U);
  EXPECT_NEAR(summary.points[0][0].spread, 2.0 * 1.6448536, 1e-6);
  EXPECT_TRUE(summary.whole_spread);
  EXPECT_EQ(summary.unsure[0].name, "3");
  EXPECT_EQ(summary.by_graph[0].name, "4");
  EXPECT_EQ(summary.scored, 2);
  EXPECT_TRUE(summary.molecules);
  ASSERT_EQ(summary.wrong.size(), 2U);  // of the test rows whose value is known
  EXPECT_EQ(summary.wrong[0].name, "3");
  EXPECT_EQ(summary.wrong[1].name, "4");
}

// Without a spread no row is less sure than another.
TEST(PredictionSummary, OfValuesFromOneGraphKnowsNoLeastSureRow) {
  PredictionCollector collector(LabelKind::kValues, "test");
  collector.add("node,split,target,value,graph_std,network_std\n1,train,1,1,0,0\n2,test,3,1,0,0\n",
                "p.csv", {});
  const PredictionSummary summary = collector.summary();
  EXPECT_TRUE(summary.unsure.empty());
  EXPECT_TRUE(summary.by_graph.empty());
  EXPECT_FALSE(summary.over_graphs || summary.over_networks || summary.molecules);
  EXPECT_EQ(summary.wrong.size(), 1U);
}

TEST(EdgeSummary, FindsDoubtfulWantedAndNeighbours) {
  std::string csv = "source,target,kind,cosine,p,p_rate\n";
  for (int i = 0; i < 20; ++i) csv += fmt::format("hub,n{},observed,,{},0.5\n", i, 0.04 * i + 0.1);
  csv += "n0,n1,candidate,0.9,0.3,0.1\nn19,n18,candidate,0.8,0.6,0.1\nhub,hub,observed,,0.01,0\n";
  const EdgeSummary summary = summarise_edges(csv, "edges.csv");
  EXPECT_EQ(summary.observed, 20);
  EXPECT_EQ(summary.candidates, 2);
  ASSERT_EQ(summary.doubtful.size(), kShownRows);
  EXPECT_EQ(summary.doubtful[0].target, "n0");
  EXPECT_EQ(summary.wanted[0].source, "n19");
  EXPECT_NEAR(summary.wanted[0].similarity, 0.8, 1e-12);
  const std::vector<Neighbourhood> around =
      neighbourhoods(csv, "edges.csv", {}, {"nobody", "hub", "n0", "hub"}, 5);
  ASSERT_EQ(around.size(), 2U);
  EXPECT_EQ(around[0].centre, "hub");
  EXPECT_EQ(around[0].nodes.size(), kNeighbours);
  EXPECT_EQ(around[0].nodes[0], "n19");  // the most probable first
  EXPECT_EQ(around[0].left_out, 8);
  EXPECT_EQ(around[0].edges.size(), kNeighbours + 1);  // and the candidate n19–n18
  EXPECT_EQ(around[1].nodes, (std::vector<std::string>{"hub", "n1"}));
  EXPECT_EQ(around[1].edges.size(), 3U);
}

// Beside as many others as without them, and also where they have no edge.
TEST(EdgeSummary, NodesThatWereAskedForComeFirst) {
  const std::string csv =
      "source,target,kind,weight\na,b,observed,2\nc,d,observed,1\ne,f,candidate,3\n";
  const std::vector<Neighbourhood> around =
      neighbourhoods(csv, "edges.csv", {"lonely", "d", "lonely"}, {"a", "d", "e"}, 1);
  ASSERT_EQ(around.size(), 3U);
  EXPECT_EQ(around[0].centre, "lonely");
  EXPECT_TRUE(around[0].nodes.empty());
  EXPECT_EQ(around[1].centre, "d");
  EXPECT_EQ(around[1].nodes, std::vector<std::string>{"c"});
  EXPECT_EQ(around[2].centre, "a");
}

}  // namespace
}  // namespace emgnn
