// SPDX-License-Identifier: Apache-2.0
// Presets, and the one that auto chooses for a graph of one's own.
#include <gtest/gtest.h>

#include <algorithm>
#include <csignal>
#include <nlohmann/json.hpp>

#include "cli/program.h"
#include "cli/small_graph.h"

namespace emgnn::cli_test {
namespace {

using Json = nlohmann::json;

std::vector<std::string> train(const std::string& method, const std::string& out,
                               std::vector<std::string> more = {}) {
  std::vector<std::string> call = {"train", "--dataset", "mine",  "--method",      method,
                                   "--out", out,         "--set", "fit.epochs=400"};
  if (method.starts_with("em-")) call.resize(call.size() - 2);
  if (std::find(more.begin(), more.end(), "--preset") == more.end())
    call.insert(call.end(), {"--preset", "auto"});
  call.insert(call.end(), more.begin(), more.end());
  return call;
}

Json record(const Workplace& place, const std::string& run) {
  return Json::parse(read(place.path() / (run + "/preset.json")));
}

std::string preset_line(const Workplace& place, const std::string& run) {
  const std::string config = read(place.path() / (run + "/config.toml"));
  const size_t at = config.find("\npreset = ") + 1;
  return config.substr(at, config.find(' ', at + 9) - at);
}

TEST(Presets, AutoChoosesOnceSaysWhyAndIsKept) {
  const Workplace place;
  SmallGraph().write(place, "mine");
  const Outcome first = run(place, train("gcn", "a", {"--runs", "2", "--hide-test"}));
  ASSERT_EQ(first.status, 0) << first.err;
  const Json chosen = record(place, "a");
  const std::string name = chosen["preset"];
  EXPECT_NE(first.err.find("preset " + name + " (auto): 60 nodes"), std::string::npos) << first.err;
  EXPECT_GE(chosen["rungs"].size(), 1U);
  EXPECT_EQ(preset_line(place, "a"), "preset = \"" + name + "\"");
  // Whatever the seed of the runs and the threads.
  const Outcome other = run(place, train("gcn", "b", {"--seed", "5", "--threads", "3"}));
  ASSERT_EQ(other.status, 0) << other.err;
  EXPECT_EQ(record(place, "b"), chosen);
  // A finished folder is read back, and its configuration needs no comparison.
  EXPECT_EQ(run(place, train("gcn", "a", {"--runs", "2", "--hide-test"})).status, 0);
  const Outcome again = run(
      place, {"train", "--config", "a/config.toml", "--runs", "2", "--out", "c", "--hide-test"});
  ASSERT_EQ(again.status, 0) << again.err;
  EXPECT_EQ(again.err.find("(auto)"), std::string::npos);
  EXPECT_EQ(read(place.path() / ("c/seed-1/predictions.csv")),
            read(place.path() / ("a/seed-1/predictions.csv")));
}

TEST(Presets, AutoIsTheSameWhateverTheTestLabelsAre) {
  const Workplace place;
  SmallGraph().write(place, "mine");
  ASSERT_EQ(run(place, train("gcn", "a")).status, 0);
  std::string nodes = read(place.path() / ("mine/nodes.csv"));
  for (size_t at = 0; (at = nodes.find(",test,", at)) != std::string::npos; ++at)
    nodes[at - 1] = nodes[at - 1] == '0' ? '1' : '0';
  write(place, "mine/nodes.csv", nodes);
  ASSERT_EQ(run(place, train("gcn", "b")).status, 0);
  EXPECT_EQ(record(place, "b")["rungs"], record(place, "a")["rungs"]);
  EXPECT_EQ(record(place, "b")["facts"], record(place, "a")["facts"]);
}

TEST(Presets, AnInterruptedComparisonStartsAgainWithTheSameBytes) {
  const Workplace place;
  SmallGraph().write(place, "mine");
  ASSERT_EQ(run(place, train("gcn", "whole")).status, 0);
  Program program(place, train("gcn", "part"));
  program.wait_until_it_catches_interrupts();
  program.send(SIGINT);
  const Outcome stopped = program.wait();
  ASSERT_EQ(stopped.status, 4) << stopped.err;  // it has yet to load LibTorch
  ASSERT_EQ(run(place, train("gcn", "part")).status, 0);
  EXPECT_EQ(read(place.path() / ("part/preset.json")), read(place.path() / ("whole/preset.json")));
  EXPECT_EQ(read(place.path() / ("part/predictions.csv")),
            read(place.path() / ("whole/predictions.csv")));
}

TEST(Presets, AnEmMethodIsComparedByItsNetworkOnTheGraphAsGiven) {
  const Workplace place;
  SmallGraph().write(place, "mine");
  const Outcome outcome =
      run(place, train("em-gcn", "a", {"--set", "em.rounds=2", "--set", "em.steps=30"}));
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_NE(outcome.err.find("(auto)"), std::string::npos) << outcome.err;
  EXPECT_EQ(preset_line(place, "a"), "preset = " + record(place, "a")["preset"].dump());
}

TEST(Presets, CanBeNamedOrSwitchedOff) {
  const Workplace place;
  SmallGraph().write(place, "mine");
  const Outcome none = run(place, train("gcn", "none", {"--preset", "none"}));
  ASSERT_EQ(none.status, 0) << none.err;
  EXPECT_EQ(none.err.find("(auto)"), std::string::npos);
  EXPECT_FALSE(std::filesystem::exists(place.path() / "none/preset.json"));
  const Outcome help = run(place, {"train", "--help-config", "--dataset", "mine", "--method", "gcn",
                                   "--preset", "citation"});
  EXPECT_NE(help.out.find("data.normalise_features = true  (preset citation)"), std::string::npos);
  EXPECT_NE(help.out.find("preset = citation"), std::string::npos);
  expect_one_line(run(place, train("gcn", "x", {"--preset", "citatoin"})), 2,
                  "unknown preset \"citatoin\"; did you mean citation");
  expect_one_line(run(place, train("gcn", "x", {"--preset", "molecules"})), 2,
                  "preset molecules is for molecules");
}

}  // namespace
}  // namespace emgnn::cli_test
