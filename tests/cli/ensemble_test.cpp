// SPDX-License-Identifier: Apache-2.0
// The setting `ensemble` from training to prediction.
#include <gtest/gtest.h>

#include <csignal>
#include <nlohmann/json.hpp>
#include <sstream>

#include "cli/program.h"

namespace emgnn::cli_test {
namespace {

using Json = nlohmann::ordered_json;

// Without `members` the setting is not given.
std::vector<std::string> training(const std::string& method, const std::string& members,
                                  std::vector<std::string> more = {}) {
  if (!members.empty()) more = joined(more, {"--set", "ensemble=" + members});
  const std::vector<std::string> length =
      method == "em-gcn" ? std::vector<std::string>{"--set",      "em.rounds=4", "--set",
                                                    "em.steps=5", "--set",       "em.warmup=2"}
                         : std::vector<std::string>{"--set", "fit.epochs=20"};
  return joined(
      joined({"train", "--dataset", "noisy-relations", "--method", method, "--quiet", "--json",
              "--out", "run", "--set", "model.hidden=8", "--set", "stop.rule=never"},
             length),
      more);
}

std::string file(const Workplace& place, const std::string& name) {
  return read(place.path() / name);
}

Json results(const Workplace& place) { return Json::parse(file(place, "run/results.json")); }

TEST(Ensemble, StoredModelRepeatsThePredictionsAndScoresOfTheRun) {
  const Workplace place;
  const Outcome trained = run(place, training("em-gcn", "3"));
  ASSERT_EQ(trained.status, 0) << trained.err;
  ASSERT_EQ(run(place, {"predict", "--run", "run", "--out", "again.csv", "--quiet"}).status, 0);
  EXPECT_EQ(file(place, "again.csv"), file(place, "run/predictions.csv"));
  const Outcome scored = run(place, {"evaluate", "--run", "run", "--json", "--quiet"});
  ASSERT_EQ(scored.status, 0) << scored.err;
  const Json one = results(place)["runs"][0];
  EXPECT_NE(scored.out.find(one["test"]["accuracy"].dump()), std::string::npos) << scored.out;
  EXPECT_EQ(one["epochs"], 3 * (2 + 4 * 5));
  EXPECT_EQ(one["em_iterations"], 3 * 4);
  EXPECT_EQ(one["rounds"][11]["member"], 2);
  EXPECT_EQ(run(place, training("em-gcn", "3")).out, trained.out);  // read back, even the times
}

TEST(Ensemble, OfOneIsTheMethodItself) {
  const Workplace one, plain;
  ASSERT_EQ(run(one, training("gcn", "1")).status, 0);
  ASSERT_EQ(run(plain, training("gcn", "")).status, 0);
  for (const char* name : {"run/model.safetensors", "run/predictions.csv", "run/metrics.jsonl"})
    EXPECT_EQ(file(one, name) == file(plain, name), true) << name;
  const Workplace three;
  ASSERT_EQ(run(three, training("gcn", "3")).status, 0);
  EXPECT_NE(file(three, "run/predictions.csv"), file(one, "run/predictions.csv"));
}

TEST(Ensemble, MetricsCountEpochsOverMembersOfWhichTheFirstIsThePlainRun) {
  const Workplace one, three;
  ASSERT_EQ(run(one, training("gcn", "1")).status, 0);
  ASSERT_EQ(run(three, training("gcn", "3")).status, 0);
  std::istringstream plain(file(one, "run/metrics.jsonl")), all(file(three, "run/metrics.jsonl"));
  int64_t count = 0;
  for (std::string line, other; std::getline(all, line); ++count) {
    const Json epoch = Json::parse(line);
    EXPECT_EQ(epoch["epoch"], count + 1);
    EXPECT_EQ(epoch["member"], count / 20);
    if (std::getline(plain, other)) {
      EXPECT_EQ(epoch["train_loss"], Json::parse(other)["train_loss"]);
    }
  }
  EXPECT_EQ(count, 3 * 20);
}

TEST(Ensemble, GoesOnAfterAKillAndAfterCtrlCToTheSameBytes) {
  const std::vector<std::string> call = training("em-gcn", "3", {"--set", "em.rounds=8"});
  const Workplace whole;
  ASSERT_EQ(run(whole, call).status, 0);
  const size_t size = file(whole, "run/metrics.jsonl").size();
  for (const int signal : {SIGKILL, SIGINT}) {
    const Workplace place;
    Program program(place, call);
    // In the middle of the second member.
    program.wait_until_written(place.path() / "run/metrics.jsonl", size / 2);
    program.send(signal);
    const Outcome stopped = program.wait();
    EXPECT_EQ(stopped.status, signal == SIGKILL ? 128 + SIGKILL : 4) << stopped.err;
    if (signal == SIGINT) {
      EXPECT_NE(stopped.err.find("member 2 of 3: interrupted after "), std::string::npos)
          << stopped.err;
    }
    const Outcome resumed = run(place, call);
    ASSERT_EQ(resumed.status, 0) << resumed.err;
    for (const char* name :
         {"run/model.safetensors", "run/predictions.csv", "run/metrics.jsonl", "run/posterior.csv"})
      EXPECT_EQ(file(place, name) == file(whole, name), true) << name;
    EXPECT_EQ(results(place)["runs"][0]["rounds"], results(whole)["runs"][0]["rounds"]);
  }
}

TEST(Ensemble, EveryMemberOfLabelPropagationSaysTheSame) {
  const auto train = [](const Workplace& place, const std::string& members) {
    return run(place, {"train", "--dataset", "noisy-relations", "--method", "label-propagation",
                       "--quiet", "--json", "--out", "run", "--set", "ensemble=" + members});
  };
  const Workplace one, four;
  ASSERT_EQ(train(one, "1").status, 0);
  ASSERT_EQ(train(four, "4").status, 0);
  // The mean of four equal numbers has no rounding.
  EXPECT_EQ(results(four)["mean"], results(one)["mean"]);
}

TEST(Ensemble, AnotherNumberOfMembersIsAnotherRun) {
  const Workplace place;
  ASSERT_EQ(run(place, training("gcn", "2")).status, 0);
  expect_one_line(run(place, training("gcn", "3")), 2, "ensemble is 2 there and 3 here");
  expect_one_line(run(place, training("gcn", "0")), 2, "ensemble");
}

}  // namespace
}  // namespace emgnn::cli_test
