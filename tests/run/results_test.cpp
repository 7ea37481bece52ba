// SPDX-License-Identifier: Apache-2.0
#include <emgnn/run/results.h>

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include <emgnn/base/error.h>
#include <emgnn/run/config.h>
#include <emgnn/run/verdict.h>

namespace emgnn {
namespace {

using Json = nlohmann::ordered_json;

GraphDistribution two_types(std::vector<WeightedPoint> points) {
  const Marginal uniform = {{0.0, 0.5}, {1.0, 0.5}};
  return {.family = "mixture",
          .names = {"x", "y"},
          .num_shares = 2,
          .points = std::move(points),
          .prior = {uniform, uniform}};
}

RunRecord a_run(uint64_t seed, double accuracy) {
  return {
      .seed = seed,
      .seconds = 1.5,
      .prepare_seconds = 0.25,
      .peak_rss_mb = 100.0,
      .fit = {.epochs = 70,
              .stopped_early = true,
              .rounds = {{.round = 1,
                          .eta = 4.0,
                          .normalizer_ratio = std::numeric_limits<double>::quiet_NaN(),
                          .mean_loss = 0.9,
                          .mean_lambda = {0.5, 0.5}},
                         {.round = 2,
                          .eta = 4.5,
                          .normalizer_ratio = -0.1,
                          .mean_loss = 0.8,
                          .mean_lambda = {0.9, 0.1},
                          .mcmc = McmcSummary{1.003, 2310.0, 0.41, 21, 0.0, 1.0, 1870.0, 0.01}}}},
      .validation = {0.5, {{"accuracy", 0.75}, {"macro_f1", 0.7}}},
      .test = Scores{{"accuracy", accuracy}, {"macro_f1", 0.1 + 0.2}},
      .graphs = two_types({{{0.0, 1.0}, 0.1}, {{1.0, 0.0}, 0.9}}),
      .changed_by_graph = 0.125};
}

Results results_of(std::vector<RunRecord> runs) {
  return {.dataset = "d",
          .method = "m",
          .config = {},
          .scores = {{.name = "accuracy", .percent = true}, {.name = "macro_f1", .percent = true}},
          .runs = std::move(runs)};
}

TEST(Results, HaveTheKeysOfTheContract) {
  const Json json = to_json(results_of({a_run(3, 0.5)}));
  for (const char* key :
       {"dataset", "method", "config", "runs", "mean", "std", "posterior", "version"})
    EXPECT_TRUE(json.contains(key)) << key;
  for (const char* key : {"seed", "seconds", "prepare_seconds", "peak_rss_mb", "em_iterations",
                          "stopped_early", "validation", "test"})
    EXPECT_TRUE(json["runs"][0].contains(key)) << key;
  EXPECT_EQ(json["runs"][0]["em_iterations"], 2);
  EXPECT_EQ(json["runs"][0]["epochs"], 70);
  EXPECT_EQ(json["runs"][0]["validation"]["loss"], 0.5);
  EXPECT_EQ(json["runs"][0]["test"]["accuracy"], 0.5);
  EXPECT_EQ(json["posterior"][1]["lambda"], Json({1.0, 0.0}));
  EXPECT_EQ(json["posterior"][1]["p"], 0.9);
  EXPECT_EQ(json["lambda_names"], Json({"x", "y"}));
}

TEST(Results, OneRunSurvivesItsJsonByteForByte) {
  const std::string text = to_json(results_of({a_run(3, 1.0 / 3.0)})).dump();
  const RunRecord stored = parse_single_run(text, "results.json");
  EXPECT_EQ(stored.graphs->names, (std::vector<std::string>{"x", "y"}));
  EXPECT_TRUE(std::isnan(stored.fit.rounds[0].normalizer_ratio));
  EXPECT_EQ(to_json(results_of({stored})).dump(), text);
}

TEST(Results, OfAMethodWithoutADistributionSurviveTheirJsonToo) {
  RunRecord run = a_run(3, 0.0);
  run.graphs.reset();
  run.changed_by_graph.reset();
  run.fit.rounds.clear();
  const Json json = to_json(results_of({run}));
  EXPECT_TRUE(json["posterior"].empty());
  EXPECT_TRUE(json["importance"].empty());
  EXPECT_TRUE(json["verdict"].empty());
  EXPECT_EQ(json["posterior_informative"], false);
  EXPECT_EQ(json["runs"][0]["em_iterations"], 0);
  const RunRecord stored = parse_single_run(json.dump(), "results.json");
  EXPECT_FALSE(stored.graphs.has_value());
  EXPECT_EQ(to_json(results_of({stored})).dump(), json.dump());
}

TEST(Results, OfValuesSurviveTheirJsonToo) {
  RunRecord run = a_run(3, 0.0);
  run.validation = {0.3, {{"rmse", 1.5}, {"mae", 1.0}, {"r2", -0.25}}};
  run.test = Scores{{"rmse", 1.0 / 3.0}, {"mae", 0.1}, {"r2", 0.5}};
  Results results = results_of({run});
  results.scores = {{.name = "rmse", .higher_is_better = false}};
  const Json json = to_json(results);
  EXPECT_EQ(json["runs"][0]["validation"].dump(),
            R"({"loss":0.3,"rmse":1.5,"mae":1.0,"r2":-0.25})");
  EXPECT_EQ(json["mean"]["rmse"], 1.0 / 3.0);
  EXPECT_FALSE(json["mean"].contains("accuracy"));
  results.runs = {parse_single_run(json.dump(), "results.json")};
  EXPECT_EQ(to_json(results).dump(), json.dump());
}

TEST(Results, ScoresThatAreNotDefinedComeBackAsSuch) {
  RunRecord run = a_run(3, std::numeric_limits<double>::quiet_NaN());
  const std::string text = to_json(results_of({run})).dump();
  EXPECT_TRUE(std::isnan(parse_single_run(text, "f").test->at("accuracy")));
}

TEST(Results, SummariseTheTestScoresAndAverageTheDistribution) {
  RunRecord second = a_run(4, 0.5);
  second.graphs = two_types({{{1.0, 0.0}, 1.0}});
  const Json json = to_json(results_of({a_run(3, 0.7), second}));
  EXPECT_DOUBLE_EQ(json["mean"]["accuracy"].get<double>(), 0.6);
  EXPECT_DOUBLE_EQ(json["std"]["accuracy"].get<double>(), std::sqrt(0.02));
  ASSERT_EQ(json["posterior"].size(), 2U);
  EXPECT_DOUBLE_EQ(json["posterior"][0]["p"].get<double>(), 0.05);
  EXPECT_DOUBLE_EQ(json["posterior"][1]["p"].get<double>(), 0.95);
}

TEST(Results, AverageWhatAGraphWouldChangeWhereAllRunsSayIt) {
  RunRecord second = a_run(4, 0.5);
  second.changed_by_graph = 0.375;
  EXPECT_TRUE(in_words({a_run(3, 0.7), second}).back().ends_with("change 25.0 % of the answers"));
  second.changed_by_graph.reset();  // as an older program wrote it
  EXPECT_EQ(in_words({a_run(3, 0.7), second}).size(), 2U);
}

TEST(Results, WithAHiddenTestSummariseTheValidation) {
  RunRecord run = a_run(3, 0.0);
  run.test.reset();
  const Results results = results_of({run});
  EXPECT_TRUE(results.test_hidden());
  EXPECT_EQ(values_of(results, "accuracy"), (std::vector<double>{0.75}));
  const Json json = to_json(results);
  EXPECT_TRUE(json["runs"][0]["test"].is_null());
  EXPECT_EQ(json["mean"]["accuracy"], 0.75);
  EXPECT_FALSE(parse_single_run(json.dump(), "f").test.has_value());
}

TEST(Results, SayWhatTheDistributionTellsAboutTheEdgeTypes) {
  const Json json = to_json(results_of({a_run(3, 0.7)}));
  ASSERT_EQ(json["importance"].size(), 2U);
  EXPECT_EQ(json["importance"][0]["name"], "x");
  EXPECT_DOUBLE_EQ(json["importance"][0]["mean"].get<double>(), 0.9);
  EXPECT_EQ(json["importance"][0]["low"], 0.0);
  EXPECT_EQ(json["importance"][0]["high"], 1.0);
  EXPECT_EQ(json["posterior_informative"], true);
  EXPECT_EQ(json["runs"][0]["changed_by_graph"], 0.125);
  ASSERT_EQ(json["verdict"].size(), 3U);
  EXPECT_EQ(json["verdict"][1],
            "x carries more weight than y: mean 0.90, 90 % interval 0.00 to 1.00");
  EXPECT_EQ(json["verdict"][2],
            "one graph of this distribution, with one network, would on average change 12.5 % of "
            "the answers");
  EXPECT_EQ(json["runs"][0]["rounds"][1]["mcmc"]["converged"], true);
  EXPECT_FALSE(json["runs"][0]["rounds"][0].contains("mcmc"));
}

TEST(Results, ASampleThatHasNotConvergedIsAWarning) {
  RunRecord run = a_run(3, 0.5);
  EXPECT_FALSE(to_json(results_of({run})).contains("warnings"));
  run.fit.sampled = SampledPosterior{.worst = {1.2, 100.0, 0.4, 21, 0.0, 1.0, 90.0, 0.02},
                                     .coordinates = {{.name = "x",
                                                      .mean = 0.5,
                                                      .sd = 0.1,
                                                      .mcse = 0.02,
                                                      .rhat = 1.2,
                                                      .ess = 100.0,
                                                      .ess_tail = 90.0}}};
  const Results results = results_of({run});
  const Json json = to_json(results);
  ASSERT_EQ(json["warnings"].size(), 1U);
  EXPECT_NE(json["warnings"][0].get<std::string>().find("R-hat 1.200"), std::string::npos);
  EXPECT_EQ(json["runs"][0]["sampled"]["coordinates"][0]["ess_tail"], 90.0);
  const RunRecord back = parse_single_run(json.dump(), "f");
  ASSERT_TRUE(back.fit.sampled.has_value());
  EXPECT_EQ(to_json(results_of({back})).dump(), json.dump());
}

TEST(Results, ConfigurationKeepsItsTypes) {
  const Json json = to_json(RunConfig("em-gcn", "cora").entries());
  EXPECT_TRUE(json["em.rounds"].is_number_integer());
  EXPECT_TRUE(json["em.eta"].is_number_float());
  EXPECT_TRUE(json["em.variant"].is_string());
  EXPECT_TRUE(json["stop.rule"].is_string());
  EXPECT_TRUE(json["data.normalise_features"].is_boolean());
}

TEST(Results, DamageIsNamedWithItsFile) {
  const std::string good = to_json(results_of({a_run(3, 0.5)})).dump();
  std::vector<std::string> damaged = {"",
                                      "{",
                                      "[]",
                                      "{\"runs\": []}",
                                      R"({"format": 2})",
                                      R"({"format": 2, "runs": []})",
                                      R"({"format": 2, "runs": [{}], "lambda_names": []})",
                                      R"({"format": 1, "runs": [{}]})"};
  for (size_t n = 0; n < good.size(); n += 11) damaged.push_back(good.substr(0, n));
  for (const std::string& text : damaged) {
    try {
      parse_single_run(text, "dir/results.json");
      FAIL() << text;
    } catch (const DataError& error) {
      EXPECT_NE(std::string(error.what()).find("dir/results.json"), std::string::npos);
    }
  }
}

}  // namespace
}  // namespace emgnn
