// SPDX-License-Identifier: Apache-2.0
// The setting `calibrate` from training to prediction.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "cli/program.h"

namespace emgnn::cli_test {
namespace {

std::vector<std::string> training(const std::string& calibrate, const std::string& data) {
  return {"train",   "--dataset",     data,      "--method",      "gcn",
          "--quiet", "--out",         calibrate, "--set",         "calibrate=" + calibrate,
          "--set",   "fit.epochs=20", "--set",   "model.hidden=8"};
}

TEST(Calibrate, MakesValidationLabelsLikelierAndChangesNoAnswer) {
  const Workplace place;
  for (const char* by : {"none", "validation"})
    ASSERT_EQ(run(place, training(by, "noisy-relations")).status, 0) << by;
  const auto results = [&](const std::string& folder) {
    return nlohmann::json::parse(read(place.path() / folder / "results.json"))["runs"][0];
  };
  const auto none = results("none"), calibrated = results("validation");
  EXPECT_EQ(none["test"]["accuracy"], calibrated["test"]["accuracy"]);
  EXPECT_LT(calibrated["validation"]["nll"], none["validation"]["nll"]);
  EXPECT_NE(calibrated["test"]["nll"], none["test"]["nll"]);
}

TEST(Calibrate, StoredModelRepeatsThePredictionsOfTheRun) {
  const Workplace place;
  ASSERT_EQ(run(place, training("validation", "noisy-relations")).status, 0);
  const Outcome again =
      run(place, {"predict", "--run", "validation", "--out", "again.csv", "--quiet"});
  ASSERT_EQ(again.status, 0) << again.err;
  EXPECT_EQ(read(place.path() / "again.csv"), read(place.path() / "validation/predictions.csv"));
}

using Json = nlohmann::json;

const std::vector<std::string> kSpread = {"nll", "calibration_error", "coverage_90"};

TEST(Calibrate, OfValuesGivesANoiseAndChangesNoValue) {
  const Workplace place;
  for (const char* by : {"none", "validation"})
    ASSERT_EQ(run(place, training(by, "noisy-values")).status, 0) << by;
  const auto read_json = [&](const std::string& folder) {
    return Json::parse(read(place.path() / folder / "results.json"));
  };
  const Json none = read_json("none"), calibrated = read_json("validation");
  for (const char* name : {"rmse", "mae", "r2"})
    EXPECT_EQ(none["runs"][0]["test"][name], calibrated["runs"][0]["test"][name]) << name;
  for (const std::string& name : kSpread) {
    EXPECT_FALSE(none["runs"][0]["test"].contains(name)) << name;
    EXPECT_FALSE(none["mean"].contains(name)) << name;
    EXPECT_TRUE(calibrated["mean"][name].is_number()) << name;
  }
  // One network on one graph: the same std everywhere, which has no rank.
  EXPECT_FALSE(calibrated["mean"].contains("spread_error_correlation"));
  EXPECT_EQ(read(place.path() / "validation/results.json").find("null"), std::string::npos);
  const std::string table = read(place.path() / "validation/predictions.csv");
  EXPECT_TRUE(table.starts_with("node,split,target,value,graph_std,network_std,noise_std,std\n"))
      << table;
  ASSERT_EQ(run(place, {"predict", "--run", "validation", "--out", "again.csv", "--quiet"}).status,
            0);
  EXPECT_EQ(read(place.path() / "again.csv"), table);
}

// Two targets, some entries not known, several networks, each with a predicted variance.
TEST(Calibrate, OfMoleculesWithSeveralTargetsAndAPredictedVariance) {
  const Workplace place;
  std::string molecules = "smiles,size,polar\n";
  for (int row = 1; row <= 48; ++row) {
    const int length = (row + 3) / 4;
    const char* end = std::array{"", "O", "N", "Cl"}[static_cast<size_t>(row % 4)];
    molecules += std::string(static_cast<size_t>(length), 'C') + end + "," +
                 (row % 3 == 0 ? "" : std::to_string(1.5 * length)) + "," +
                 (row % 5 == 0 ? "" : std::to_string(100 - 7 * length)) + "\n";
  }
  write(place, "mine.csv", molecules);
  const Outcome trained = run(place, {"train",
                                      "--dataset",
                                      "mine.csv",
                                      "--method",
                                      "em-gcn-star",
                                      "--quiet",
                                      "--json",
                                      "--out",
                                      "run",
                                      "--set",
                                      "data.target=size,polar",
                                      "--set",
                                      "task.loss=gaussian",
                                      "--set",
                                      "task.variance_weight=0.25",
                                      "--set",
                                      "stop.rule=nll",
                                      "--set",
                                      "ensemble=2",
                                      "--set",
                                      "calibrate=validation",
                                      "--set",
                                      "model.hidden=8",
                                      "--set",
                                      "optim.batch=8",
                                      "--set",
                                      "em.rounds=2",
                                      "--set",
                                      "em.steps=4",
                                      "--set",
                                      "em.warmup=4"});
  ASSERT_EQ(trained.status, 0) << trained.err;
  EXPECT_EQ(trained.out.find("null"), std::string::npos) << trained.out;
  const Json json = Json::parse(trained.out);
  for (const std::string& name : kSpread) EXPECT_TRUE(json["mean"][name].is_number()) << name;
  const std::string table = read(place.path() / "run/predictions.csv");
  EXPECT_TRUE(table.starts_with(
      "row,smiles,split,target(size),value(size),graph_std(size),network_std(size),"
      "noise_std(size),std(size),target(polar),value(polar),"
      "graph_std(polar),network_std(polar),noise_std(polar),std(polar)\n"))
      << table;
  const Outcome scored = run(place, {"evaluate", "--run", "run", "--json", "--quiet"});
  ASSERT_EQ(scored.status, 0) << scored.err;
  for (const auto& [name, value] : json["runs"][0]["test"].items())
    EXPECT_EQ(Json::parse(scored.out)["parts"]["test"][name], value) << name;
  const Outcome shown = run(place, {"evaluate", "--run", "run", "--quiet"});
  EXPECT_NE(shown.out.find("coverage_90 %"), std::string::npos) << shown.out;
}

TEST(Calibrate, AVarianceWeightWithoutAVarianceIsRefused) {
  const Workplace place;
  std::vector<std::string> call = training("none", "noisy-values");
  call.insert(call.end(), {"--set", "task.variance_weight=1"});
  const Outcome refused = run(place, call);
  EXPECT_EQ(refused.status, 2);
  EXPECT_NE(refused.err.find("task.variance_weight is not read"), std::string::npos) << refused.err;
  EXPECT_EQ(std::count(refused.err.begin(), refused.err.end(), '\n'), 1) << refused.err;
  std::vector<std::string> stopping = training("none", "noisy-values");
  stopping.insert(stopping.end(), {"--set", "stop.rule=nll"});
  EXPECT_EQ(run(place, stopping).status, 2);
}

}  // namespace
}  // namespace emgnn::cli_test
