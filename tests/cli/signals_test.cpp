// SPDX-License-Identifier: Apache-2.0
// SIGTERM while the program is busy with one long thing, which it names on standard error.
#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <thread>

#include "cli/program.h"

namespace emgnn::cli_test {
namespace {

namespace fs = std::filesystem;
using Words = std::vector<std::string>;

// Ends the program as soon as it says that it has been busy with `phase` for a second.
Outcome ended_in(const Workplace& place, const std::string& phase, const Words& call) {
  Program program(place, call);
  const auto said = [&] {
    return read(place.path() / ".stderr").find(phase + ", ") != std::string::npos;
  };
  while (program.running() && !said()) std::this_thread::sleep_for(std::chrono::milliseconds(5));
  EXPECT_TRUE(program.running()) << program.wait().err;
  const auto sent = std::chrono::steady_clock::now();
  program.send(SIGTERM);
  Outcome outcome = program.wait();
  EXPECT_LT(std::chrono::steady_clock::now() - sent, std::chrono::milliseconds(2500));
  EXPECT_EQ(outcome.status, 4) << outcome.err;
  EXPECT_NE(outcome.err.find("\nemgnn: interrupted"), std::string::npos) << outcome.err;
  return outcome;
}

Words train(const std::string& dataset, const Words& settings) {
  Words out = {"train",    "--dataset", dataset, "--method", "em-gcn",
               "--preset", "none",      "--out", "run"};
  for (const std::string& setting : settings) out = joined(out, {"--set", setting});
  return out;
}

// 231 graphs of 10^6 entries
TEST(Signals, EndAnEStepOverManyGraphs) {
  const Workplace place;
  const Outcome outcome =
      ended_in(place, "judging graphs, round 1 of 15",
               train("power-law:nodes=1e5,edges=5e5,features=32,labelled=0.2",
                     {"em.posterior=exact", "em.judging=0", "em.warmup=0", "model.hidden=64"}));
  EXPECT_NE(outcome.err.find("train --resume run"), std::string::npos) << outcome.err;
}

// 5 · 10^9 pairs
TEST(Signals, EndTheSearchForCandidateEdges) {
  const Workplace place;
  const Outcome outcome =
      ended_in(place, "searching candidate edges",
               train("power-law:nodes=1e5,edges=2e5,features=64,labelled=0.2,relations=1",
                     {"space.family=rewire", "space.candidate_search=exact"}));
  EXPECT_NE(outcome.err.find("to start again: "), std::string::npos) << outcome.err;
  EXPECT_FALSE(fs::exists(place.path() / "run/results.json"));
}

// Twelve layers whose products are 3 · 10^11 multiplications
TEST(Signals, EndThePredictionOfALargeGraph) {
  const Workplace place;
  const Outcome trained =
      run(place, {"train", "--dataset", "power-law:nodes=300,edges=900,features=5", "--method",
                  "gcn", "--preset", "none", "--set", "fit.epochs=1", "--set", "model.layers=12",
                  "--set", "model.hidden=256", "--quiet", "--out", "run"});
  ASSERT_EQ(trained.status, 0) << trained.err;
  ended_in(place, "predicting",
           {"predict", "--run", "run", "--dataset", "power-law:nodes=4e5,edges=1e6,features=5",
            "--out", "predicted.csv"});
  for (const auto& entry : fs::directory_iterator(place.path()))
    EXPECT_FALSE(entry.path().filename().string().starts_with("predicted")) << entry.path();
}

}  // namespace
}  // namespace emgnn::cli_test
