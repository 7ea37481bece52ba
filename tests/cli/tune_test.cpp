// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <csignal>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "cli/program.h"

namespace emgnn::cli_test {
namespace {

using Json = nlohmann::json;

constexpr const char* kSpace =
    "[model]\nhidden = [2, 32]\n[optim]\nlearning_rate = [0.0001, 0.05]\n";

std::vector<std::string> tune(std::vector<std::string> more) {
  std::vector<std::string> call = {"tune",          "--dataset", "noisy-citations", "--method",
                                   "gcn",           "--space",   "space.toml",      "--set",
                                   "fit.epochs=30", "--out",     "search"};
  call.insert(call.end(), more.begin(), more.end());
  return call;
}

TEST(Tune, SearchesAGridWithoutTheTestAndLeavesTheBest) {
  const Workplace place;
  write(place, "space.toml", kSpace);
  const std::vector<std::string> call =
      tune({"--search", "grid", "--jobs", "2", "--threads", "2", "--json"});
  const Outcome outcome = run(place, call);
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const Json json = Json::parse(outcome.out);
  ASSERT_EQ(json["trials"].size(), 4U);
  EXPECT_EQ(json["trials"][0]["settings"]["optim.learning_rate"], "0.05");
  for (const char* trial : {"trial-0001", "trial-0002", "trial-0003", "trial-0004"}) {
    const std::string folder = std::string("search/") + trial;
    EXPECT_TRUE(
        Json::parse(read(place.path() / (folder + "/results.json")))["runs"][0]["test"].is_null());
  }
  // The same command again reads everything back.
  const Outcome again = run(place, call);
  EXPECT_EQ(again.out, outcome.out) << again.err;
  const Outcome trained =
      run(place, {"train", "--config", "search/best.toml", "--quiet", "--json"});
  ASSERT_EQ(trained.status, 0) << trained.err;
  const Json best = Json::parse(trained.out);
  EXPECT_EQ(best["config"]["optim.learning_rate"], 0.05);
  EXPECT_EQ(best["runs"][0]["validation"]["micro_f1"], json["trials"][0]["validation"]);
}

// Finished trials are read back, the one that was being trained goes on from its checkpoint.
TEST(Tune, KilledInTheMiddleEndsAsIfItHadNotBeen) {
  const Workplace whole, place;
  const std::vector<std::string> call =
      tune({"--search", "grid", "--threads", "1", "--quiet", "--set", "fit.epochs=300", "--set",
            "stop.rule=never"});
  for (const Workplace* each : {&whole, &place})
    write(*each, "space.toml", "[model]\nhidden = [2, 256, 8]\n");
  ASSERT_EQ(run(whole, call).status, 0);

  const std::filesystem::path search = place.path() / "search";
  Program program(place, call);
  program.wait_until_written(search / "trial-0002/checkpoint/state.safetensors", 1);
  ASSERT_TRUE(program.running()) << program.wait().err;
  program.send(SIGKILL);
  ASSERT_EQ(program.wait().status, 128 + SIGKILL);
  const auto finished = search / "trial-0001/results.json";
  const std::string results = read(finished), log = read(search / "trial-0001/metrics.jsonl");
  ASSERT_NE(results, "");
  EXPECT_FALSE(std::filesystem::exists(search / "trials.json"));
  EXPECT_FALSE(std::filesystem::exists(search / "trial-0003"));
  const auto written = std::filesystem::last_write_time(finished);

  ASSERT_EQ(run(place, call).status, 0);
  EXPECT_EQ(read(finished), results);  // with its times
  EXPECT_EQ(std::filesystem::last_write_time(finished), written);
  EXPECT_EQ(read(search / "trial-0001/metrics.jsonl"), log);
  for (const char* file : {"search/trials.json", "search/best.toml"}) {
    EXPECT_NE(read(place.path() / file), "") << file;
    EXPECT_EQ(read(place.path() / file), read_moved(whole, file, place)) << file;
  }
}

TEST(Tune, HalvingPrintsATable) {
  const Workplace place;
  write(place, "space.toml", "[model]\ndropout = { from = 0.0, to = 0.9 }\n");
  const Outcome outcome = run(place, tune({"--search", "halving", "--trials", "3", "--quiet"}));
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("model.dropout="), std::string::npos);
  EXPECT_NE(outcome.out.find("search/best.toml"), std::string::npos);
  const std::string config = read(place.path() / ("search/best.toml"));
  EXPECT_NE(config.find("epochs = 30"), std::string::npos) << config;
}

TEST(Tune, RefusesWhatCannotBeSearched) {
  const Workplace place;
  write(place, "space.toml", "[model]\nhidden = 16\n");
  expect_one_line(run(place, tune({})), 2,
                  "space.toml:2: model.hidden: expected a list or a range");
  write(place, "space.toml", "[model]\nhiden = [16]\n");
  expect_one_line(run(place, tune({})), 2, "space.toml:2: unknown key \"model.hiden\"");
  write(place, "space.toml", "[model]\nhidden = [0]\n");
  expect_one_line(run(place, tune({"--quiet"})), 2, "trial 1: ");
  write(place, "space.toml", kSpace);
  expect_one_line(run(place, tune({"--search", "clever"})), 2, "--search");
  expect_one_line(run(place, tune({"--jobs", "0"})), 2, "--jobs");
  expect_one_line(run(place, tune({"--config", "nofile"})), 2, "--config: nofile");
  expect_one_line(run(place, tune({"--score", "nonsense", "--quiet"})), 2, "--score");
  expect_one_line(run(place, tune({"--score", "rmse", "--quiet"})), 2, "accuracy");
  expect_one_line(
      run(place, tune({"--threads", "2", "--jobs", "2", "--memory", "900M", "--quiet"})), 2,
      "--jobs: 900 MB are enough for 1 at a time");
  EXPECT_FALSE(std::filesystem::exists(place.path() / "search"));
}

// Its settings are allowed, and only this trial shows that they are no good.
TEST(Tune, ATrialThatDivergesIsOneThatFails) {
  const Workplace place;
  write(place, "space.toml", "[optim]\nlearning_rate = [0.01, 1000]\n");
  const Outcome outcome =
      run(place, {"tune", "--dataset", "noisy-relations", "--method", "em-gcn", "--space",
                  "space.toml", "--search", "grid", "--set", "em.rounds=2", "--set", "em.steps=5",
                  "--set", "model.layers=12", "--out", "search", "--json"});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_NE(outcome.err.find("trial 2 failed: "), std::string::npos) << outcome.err;
  EXPECT_NE(outcome.err.find("training has diverged"), std::string::npos) << outcome.err;
  const Json json = Json::parse(outcome.out);
  EXPECT_EQ(json["trials"][0]["trial"], 1);
  EXPECT_TRUE(json["trials"][1]["validation"].is_null());
}

TEST(Tune, ACorrectedSpaceIsSearchedInTheSameFolder) {
  const Workplace place;
  write(place, "space.toml", "[model]\nhidden = [8, 0]\n");
  expect_one_line(run(place, tune({"--search", "grid", "--quiet"})), 2, "trial 2: ");
  write(place, "space.toml", "[model]\nhidden = [8]\n");
  const Outcome corrected = run(place, tune({"--search", "grid", "--quiet"}));
  EXPECT_EQ(corrected.status, 0) << corrected.err;
}

TEST(Tune, TrialsThatNeedTooMuchMemoryAreNoBadUsage) {
  const Workplace place;
  write(place, "space.toml", "[model]\nhidden = [65536]\n");
  expect_one_line(run(place, tune({"--memory", "1G", "--quiet"})), 1, "no trial succeeded");
}

}  // namespace
}  // namespace emgnn::cli_test
