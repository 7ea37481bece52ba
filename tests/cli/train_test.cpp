// SPDX-License-Identifier: Apache-2.0
// The contract of emgnn train: its JSON, its repeatability, and going on after an interruption.
#include <gtest/gtest.h>

#include <algorithm>
#include <csignal>
#include <nlohmann/json.hpp>
#include <regex>

#include "cli/program.h"
#include "data/real_data.h"

namespace emgnn::cli_test {
namespace {

using Json = nlohmann::ordered_json;

// Long enough to be interrupted, small enough to be quick.
const std::vector<std::string> kTrain = {
    "train",        "--dataset",      "noisy-relations", "--method",    "em-gcn",
    "--quiet",      "--json",         "--runs",          "2",           "--set",
    "em.rounds=20", "--set",          "em.steps=5",      "--set",       "stop.rule=never",
    "--set",        "model.hidden=8", "--set",           "stop.every=2"};

std::vector<std::string> with(std::vector<std::string> more) {
  more.insert(more.begin(), kTrain.begin(), kTrain.end());
  return more;
}

const std::string& reference() {
  static const std::string text = [] {
    const Workplace place;
    return timeless(run(place, kTrain));
  }();
  return text;
}

TEST(Train, PrintsOneJsonObjectWithEveryFieldOfTheContract) {
  const Workplace place;
  const Outcome outcome = run(place, with({"--seed", "5", "--set", "em.rounds=3"}));
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(outcome.err, "");
  const Json json = Json::parse(outcome.out);
  EXPECT_EQ(json["dataset"], "noisy-relations");
  EXPECT_EQ(json["method"], "em-gcn");
  EXPECT_EQ(json["config"]["em.rounds"], 3);
  ASSERT_EQ(json["runs"].size(), 2U);
  for (size_t r = 0; r < 2; ++r) {
    const Json& one = json["runs"][r];
    EXPECT_EQ(one["seed"], 5 + r);
    EXPECT_EQ(one["em_iterations"], 3);
    EXPECT_EQ(one["epochs"], 10 + 3 * 5);  // the warm-up and the rounds
    EXPECT_TRUE(one["stopped_early"].is_boolean());
    for (const char* key : {"seconds", "prepare_seconds", "peak_rss_mb"})
      EXPECT_GT(one[key].get<double>(), 0.0) << key;
    for (const char* key : {"micro_f1", "macro_f1", "accuracy"}) {
      EXPECT_TRUE(one["test"][key].is_number()) << key;
      EXPECT_TRUE(one["validation"][key].is_number()) << key;
      EXPECT_TRUE(json["mean"][key].is_number()) << key;
      EXPECT_TRUE(json["std"][key].is_number()) << key;
    }
  }
  double total = 0.0;
  for (const Json& point : json["posterior"]) {
    EXPECT_EQ(point["lambda"].size(), 2U);
    total += point["p"].get<double>();
  }
  EXPECT_NEAR(total, 1.0, 1e-9);
  ASSERT_EQ(json["importance"].size(), 2U);
  EXPECT_TRUE(json["posterior_informative"].is_boolean());
  ASSERT_FALSE(json["verdict"].empty());
  for (const Json& line : json["verdict"]) EXPECT_TRUE(line.is_string());
  const double changed = json["runs"][0]["changed_by_graph"].get<double>();
  EXPECT_GE(changed, 0.0);
  EXPECT_LE(changed, 1.0);
  EXPECT_TRUE(json["version"].is_string());
  EXPECT_TRUE(json["format"].is_number_integer());
  EXPECT_EQ(json["graphs"]["family"], "mixture");
  EXPECT_EQ(json["graphs"]["shares"], json["lambda_names"].size());
  ASSERT_EQ(json["graphs"]["prior"].size(), 2U);  // a marginal for each edge type
}

TEST(Train, APlainNetworkHasNoRoundsAndNoDistribution) {
  const Workplace place;
  const Outcome outcome =
      run(place, {"train", "--dataset", "noisy-relations", "--method", "gcn", "--quiet", "--json",
                  "--set", "fit.epochs=5", "--out", "run"});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const Json json = Json::parse(outcome.out);
  EXPECT_EQ(json["runs"][0]["em_iterations"], 0);
  EXPECT_EQ(json["runs"][0]["rounds"], Json::array());
  EXPECT_EQ(json["runs"][0]["epochs"], 5);
  for (const char* key : {"posterior", "lambda_names", "importance", "verdict"})
    EXPECT_EQ(json[key], Json::array()) << key;
  EXPECT_FALSE(json["runs"][0].contains("changed_by_graph"));
  EXPECT_EQ(json["posterior_informative"], false);
  EXPECT_FALSE(json.contains("graphs"));
  EXPECT_FALSE(json["config"].contains("em.rounds"));
  EXPECT_FALSE(std::filesystem::exists(place.path() / "run/posterior.csv"));
  EXPECT_EQ(Json::parse(read(place.path() / "run/results.json")), json);
}

TEST(Train, EveryBackboneTrainsOverTheFamilyOfGraphs) {
  const Workplace place;
  std::vector<std::string> call = with({"--set", "em.rounds=3"});
  std::replace(call.begin(), call.end(), std::string("em-gcn"), std::string("em-acm"));
  const Outcome outcome = run(place, call);
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const Json json = Json::parse(outcome.out);
  EXPECT_EQ(json["method"], "em-acm");
  EXPECT_EQ(json["posterior"].size(), 21U);  // two edge types in steps of 0.05
}

TEST(Train, AcmLearnsAGraphWhoseNeighboursDiffer) {
  EMGNN_NEEDS_REAL_DATA();
  const Workplace place;
  const Outcome outcome =
      run(place, {"train", "--dataset", "texas", "--method", "acm-gcn+", "--json", "--quiet",
                  "--data-dir", emgnn::testing::real_data_dir().string()});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const Json json = Json::parse(outcome.out);
  EXPECT_EQ(json["config"]["model.structure"], true);
  // 101 of the 183 nodes are of the largest class; networks without the channels reach 0.6.
  EXPECT_GT(json["mean"]["accuracy"].get<double>(), 0.75);
}

TEST(Train, RepeatsItselfByteForByteOnAnyNumberOfThreads) {
  const Workplace place;
  EXPECT_EQ(timeless(run(place, with({"--threads", "1"}))), reference());
  EXPECT_EQ(timeless(run(place, with({"--threads", "2"}))), reference());
}

TEST(Train, WritesAFolderThatExplainsItself) {
  const Workplace place;
  EXPECT_EQ(timeless(run(place, with({"--out", "a/b"}))), reference());
  const std::filesystem::path folder = place.path() / "a/b";
  for (const char* file : {"config.toml", "manifest.json", "results.json", "seed-0/config.toml",
                           "seed-0/manifest.json", "seed-0/results.json", "seed-0/metrics.jsonl",
                           "seed-0/posterior.csv", "seed-0/predictions.csv",
                           "seed-0/model.safetensors", "seed-1/results.json"}) {
    EXPECT_TRUE(std::filesystem::exists(folder / file)) << file;
  }
  const Outcome again = run(place, with({"--config", "a/b/config.toml", "--out", "other"}));
  EXPECT_EQ(timeless(again), reference());
}

TEST(Train, AFinishedFolderIsReadBack) {
  const Workplace place;
  const Outcome first = run(place, with({"--out", "run"}));
  const Outcome second = run(place, with({"--out", "run"}));
  EXPECT_EQ(second.status, 0);
  EXPECT_EQ(second.out, first.out);  // even the times
}

TEST(Train, GoesOnAfterCtrlCAsIfNothingHadHappened) {
  const Workplace place;
  const std::vector<std::string> call = with({"--out", "run"});
  Program program(place, call);
  // In the middle of the second run.
  program.wait_until_written(place.path() / "run/seed-1/metrics.jsonl", 3000);
  program.send(SIGINT);
  const Outcome stopped = program.wait();
  EXPECT_EQ(stopped.status, 4) << stopped.err;
  EXPECT_EQ(stopped.out, "");
  EXPECT_NE(stopped.err.find("the checkpoint is in run; to resume: "), std::string::npos)
      << stopped.err;
  EXPECT_FALSE(std::filesystem::exists(place.path() / "run/seed-1/results.json"));

  EXPECT_EQ(timeless(run(place, call)), reference());
  const Workplace other;
  run(other, call);
  const auto metrics = [](const Workplace& w) {
    return read(w.path() / "run/seed-1/metrics.jsonl");
  };
  EXPECT_EQ(metrics(place), metrics(other));
}

// Interrupted in one place and called again, a training into `run` ends as in the other, where it is
// left alone.
void expect_resumable(const Workplace& place, const Workplace& other,
                      const std::vector<std::string>& call) {
  Program program(place, call);
  program.wait_until_written(place.path() / "run/seed-0/metrics.jsonl", 3000);
  program.send(SIGINT);
  EXPECT_EQ(program.wait().status, 4);
  const std::string resumed = timeless(run(place, call));
  EXPECT_EQ(resumed, timeless(run(other, call)));
}

TEST(Train, JudgesGraphsByTheLastLayerAndGoesOnAfterCtrlC) {
  const Workplace place, other;
  const std::vector<std::string> call =
      with({"--out", "run", "--set", "em.recipe=held-out", "--set", "em.evidence=last-layer",
            "--set", "stop.rule=never"});
  expect_resumable(place, other, call);
  const Json json = Json::parse(read(other.path() / "run/results.json"));
  EXPECT_EQ(json["config"]["em.evidence"], "last-layer");
  EXPECT_GT(json["importance"][0]["mean"], json["importance"][1]["mean"]);  // misleading
}

TEST(Train, ASampledPosteriorKeepsItsVerdictsWhenTheRunGoesOn) {
  const Workplace place, other;
  const std::vector<std::string> call = with({"--out", "run", "--set", "em.posterior=mcmc", "--set",
                                              "mcmc.steps=2000", "--set", "mcmc.burn_in=100"});
  expect_resumable(place, other, call);
  const Json rounds =
      Json::parse(read(other.path() / "run/seed-0/results.json"))["runs"][0]["rounds"];
  ASSERT_EQ(rounds.size(), 20U);
  for (const Json& round : rounds) {
    EXPECT_TRUE(round["normalizer_ratio"].is_number());
    EXPECT_LE(round["mcmc"]["evaluated"], 21);
    EXPECT_TRUE(round["mcmc"]["rhat"].is_number() && round["mcmc"]["ess"].is_number());
    EXPECT_TRUE(round["mcmc"]["converged"].is_boolean());
  }
}

TEST(Train, TellsAPersonWhatWasLearned) {
  const Workplace place;
  const std::vector<std::string> call = {
      "train",   "--dataset",       "noisy-relations", "--method",        "em-gcn",
      "--quiet", "--set",           "em.steps=5",      "--set",           "em.posterior=mcmc",
      "--set",   "mcmc.steps=2000", "--set",           "mcmc.burn_in=100"};
  const Outcome outcome = run(place, call);
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_TRUE(std::regex_search(
      outcome.out, std::regex("^em-gcn on noisy-relations, test scores in %\n\n"
                              " +seed +micro_f1 +macro_f1 +accuracy +epochs +seconds\n")))
      << outcome.out;
  EXPECT_TRUE(std::regex_search(
      outcome.out,
      std::regex("\\n\\w+ carries more weight than \\w+: mean 0\\.\\d\\d, 90 % interval ")))
      << outcome.out;
  EXPECT_TRUE(std::regex_search(
      outcome.out,
      std::regex("\\nsampled: R-hat \\S+, \\d+ effective draws \\(tails \\d+\\), acceptance \\S+: "
                 "(not )?converged\\n")))
      << outcome.out;
}

TEST(Train, GoesOnFromTheLastRoundAfterAKill) {
  const Workplace place;
  const std::vector<std::string> call = with({"--out", "run"});
  Program program(place, call);
  program.wait_until_written(place.path() / "run/seed-0/metrics.jsonl", 3000);
  program.send(SIGKILL);
  EXPECT_EQ(program.wait().status, 128 + SIGKILL);
  EXPECT_EQ(timeless(run(place, call)), reference());
}

TEST(Train, WithoutAFolderCtrlCLeavesOneToGoOnFrom) {
  const Workplace place;
  Program program(place, kTrain);
  program.wait_until_it_catches_interrupts();
  program.send(SIGTERM);
  const Outcome stopped = program.wait();
  EXPECT_EQ(stopped.status, 4) << stopped.err;
  const std::string folder = "emgnn-noisy-relations-em-gcn.checkpoint";
  EXPECT_NE(stopped.err.find("train --resume " + folder), std::string::npos) << stopped.err;
  EXPECT_EQ(timeless(run(place, {"train", "--resume", folder, "--json", "--quiet"})), reference());
}

// A folder for the checkpoint is named after the data, here with a name that is too long.
TEST(Train, ARunThatCannotBeKeptIsSaidToBeLost) {
  const Workplace place;
  const std::string name(250, 'g');
  std::filesystem::create_directory(place.path() / name);
  write(place, name + "/nodes.csv",
        "id,label,split\na,x,train\nb,x,val\nc,x,test\nd,y,train\ne,y,val\nf,y,test\n");
  write(place, name + "/edges.csv", "source,target\na,b\nb,c\nd,e\ne,f\n");
  Program program(place, {"train", "--dataset", name, "--method", "gcn", "--quiet", "--set",
                          "fit.epochs=1000000000", "--set", "stop.rule=never", "--preset", "none"});
  program.wait_until_it_catches_interrupts();
  program.send(SIGTERM);
  const Outcome stopped = program.wait();
  expect_one_line(stopped, 4, "; the run is lost: emgnn-ggg");
  EXPECT_NE(stopped.err.find("File name too long; to start again: "), std::string::npos)
      << stopped.err;
}

TEST(Train, ASecondCtrlCEndsAtOnce) {
  const Workplace place;
  Program program(place, with({"--set", "em.rounds=1000000"}));
  program.wait_until_it_catches_interrupts();
  program.send(SIGINT);
  program.send(SIGTERM);
  EXPECT_EQ(program.wait().status, 4);
}

}  // namespace
}  // namespace emgnn::cli_test
