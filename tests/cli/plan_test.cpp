// SPDX-License-Identifier: Apache-2.0
// emgnn plan measures the beginning of a run and writes nothing.
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "cli/program.h"

namespace emgnn::cli_test {
namespace {

using Json = nlohmann::json;

std::vector<std::string> about(const std::string& command, const std::string& method) {
  return {command, "--dataset", "noisy-relations", "--method", method, "--json", "--quiet"};
}

// Memory of a process differs a little from run to run; LibTorch itself is most of it here.
TEST(Plan, TellsTheMemoryOfTheRunAndAllItsEpochs) {
  const Workplace place;
  for (const char* method : {"gcn", "em-gcn", "label-propagation"}) {
    const Outcome planned = run(place, about("plan", method));
    ASSERT_EQ(planned.status, 0) << planned.err;
    const Json plan = Json::parse(planned.out);
    const Outcome trained = run(place, about("train", method));
    ASSERT_EQ(trained.status, 0) << trained.err;
    const Json result = Json::parse(trained.out)["runs"][0];
    const double peak = result["peak_rss_mb"];
    EXPECT_NEAR(plan["peak_rss_mb"].get<double>(), peak, 0.25 * peak) << method;
    EXPECT_GE(plan["epochs"], result["epochs"]) << method;
    EXPECT_GT(plan["seconds"].get<double>(), 0.0);
  }
  for (const auto& entry : std::filesystem::directory_iterator(place.path()))
    EXPECT_FALSE(entry.is_directory()) << entry.path();
}

TEST(Plan, EnsemblesTakeTheirMembersTimes) {
  const Workplace place;
  const Json one = Json::parse(run(place, about("plan", "em-gcn")).out);
  const Outcome several = run(place, joined(about("plan", "em-gcn"), {"--set", "ensemble=3"}));
  ASSERT_EQ(several.status, 0) << several.err;
  const Json three = Json::parse(several.out);
  EXPECT_EQ(three["epochs"], 3 * one["epochs"].get<int64_t>());
  EXPECT_EQ(three["rounds"], 3 * one["rounds"].get<int64_t>());
}

TEST(Plan, WhatDoesNotFitIsOneLine) {
  const Workplace place;
  expect_one_line(
      run(place, joined(about("plan", "gcn"), {"--set", "model.hidden=65536", "--memory", "1G"})),
      1, "out of memory");
  expect_one_line(run(place, {"plan", "--method", "gcn"}), 2, "--dataset is required");
}

}  // namespace
}  // namespace emgnn::cli_test
