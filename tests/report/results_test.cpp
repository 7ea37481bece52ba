// SPDX-License-Identifier: Apache-2.0
#include <emgnn/report/results.h>

#include <gtest/gtest.h>

#include <limits>
#include <nlohmann/json.hpp>

#include <emgnn/base/error.h>

namespace emgnn {
namespace {

RunRecord a_run(uint64_t seed, double accuracy) {
  return {.seed = seed,
          .seconds = 1.5,
          .prepare_seconds = 0.25,
          .peak_rss_mb = 100.0,
          .em_iterations = 2,
          .stopped_early = true,
          .validation = {.loss = 0.5, .accuracy = 0.75, .micro_f1 = 0.75, .macro_f1 = 0.7},
          .test = {.loss = 0.0, .accuracy = accuracy, .micro_f1 = accuracy, .macro_f1 = 0.1 + 0.2},
          .rounds = {{1, 4.0, std::numeric_limits<double>::quiet_NaN(), 0.9, std::nullopt},
                     {2, 4.5, -0.1, 0.8, McmcSummary{1.003, 2310.0, 0.41, 21}}},
          .posterior = {{{0.0, 1.0}, 0.1}, {{1.0, 0.0}, 0.9}}};
}

Results results_of(std::vector<RunRecord> runs) {
  return {.dataset = "d",
          .method = "m",
          .config = {},
          .lambda_names = {"x", "y"},
          .runs = std::move(runs)};
}

TEST(Results, OneRunSurvivesItsJsonByteForByte) {
  const std::string text = to_json(results_of({a_run(3, 1.0 / 3.0)})).dump();
  const StoredRun stored = parse_single_run(text, "results.json");
  EXPECT_EQ(stored.lambda_names, (std::vector<std::string>{"x", "y"}));
  EXPECT_EQ(to_json(results_of({stored.run})).dump(), text);
}

TEST(Results, OfARegressionSurviveTheirJsonToo) {
  RunRecord run = a_run(3, 0.0);
  run.validation = {.task = Task::kRegression, .loss = 0.3, .rmse = 1.5, .mae = 1.0, .r2 = -0.25};
  run.test = {.task = Task::kRegression, .rmse = 1.0 / 3.0, .mae = 0.1, .r2 = 0.5};
  const auto json = to_json(results_of({run}));
  EXPECT_EQ(json["runs"][0]["validation"].dump(),
            R"({"loss":0.3,"rmse":1.5,"mae":1.0,"r2":-0.25})");
  EXPECT_EQ(json["mean"]["rmse"], 1.0 / 3.0);
  EXPECT_FALSE(json["mean"].contains("accuracy"));
  const StoredRun stored = parse_single_run(json.dump(), "results.json");
  EXPECT_EQ(to_json(results_of({stored.run})).dump(), json.dump());
}

TEST(Results, SummariseTheTestScoresAndAverageThePosterior) {
  RunRecord second = a_run(4, 0.5);
  second.posterior = {{{1.0, 0.0}, 1.0}};
  const auto json = to_json(results_of({a_run(3, 0.7), second}));
  EXPECT_DOUBLE_EQ(json["mean"]["accuracy"].get<double>(), 0.6);
  EXPECT_DOUBLE_EQ(json["std"]["accuracy"].get<double>(), std::sqrt(0.02));
  ASSERT_EQ(json["posterior"].size(), 2U);
  EXPECT_DOUBLE_EQ(json["posterior"][0]["p"].get<double>(), 0.05);
  EXPECT_DOUBLE_EQ(json["posterior"][1]["p"].get<double>(), 0.95);
}

TEST(Results, SayWhatTheDistributionTellsAboutTheEdgeTypes) {
  const auto json = to_json(results_of({a_run(3, 0.7)}));
  ASSERT_EQ(json["importance"].size(), 2U);
  EXPECT_EQ(json["importance"][0]["name"], "x");
  EXPECT_DOUBLE_EQ(json["importance"][0]["mean"].get<double>(), 0.9);
  EXPECT_EQ(json["importance"][0]["low"], 0.0);
  EXPECT_EQ(json["importance"][0]["high"], 1.0);
  EXPECT_EQ(json["posterior_informative"], true);
  EXPECT_EQ(json["runs"][0]["rounds"][1]["mcmc"]["converged"], true);
  EXPECT_FALSE(json["runs"][0]["rounds"][0].contains("mcmc"));
}

TEST(Results, ConfigurationKeepsItsTypes) {
  const auto json = to_json(RunConfig{});
  EXPECT_TRUE(json["em.rounds"].is_number_integer());
  EXPECT_TRUE(json["em.eta"].is_number_float());
  EXPECT_TRUE(json["em.variant"].is_string());
  EXPECT_TRUE(json["data.normalise_features"].is_boolean());
}

TEST(Results, DamageIsNamedWithItsFile) {
  for (const char* text :
       {"", "{", "[]", "{\"runs\": []}", "{\"runs\": [{}], \"lambda_names\": []}"}) {
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
