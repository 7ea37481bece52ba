// SPDX-License-Identifier: Apache-2.0
// The setting `calibrate` from training to prediction.
#include <gtest/gtest.h>

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

TEST(Calibrate, ValuesHaveNoProbabilities) {
  const Workplace place;
  const Outcome refused = run(place, training("validation", "noisy-values"));
  EXPECT_EQ(refused.status, 2);
  EXPECT_NE(refused.err.find("calibrate"), std::string::npos) << refused.err;
  EXPECT_EQ(std::count(refused.err.begin(), refused.err.end(), '\n'), 1) << refused.err;
}

}  // namespace
}  // namespace emgnn::cli_test
