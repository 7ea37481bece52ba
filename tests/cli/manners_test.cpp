// SPDX-License-Identifier: Apache-2.0
// What a user may expect of the program whatever the data: row order, folders, seeds, signals.
#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <sstream>
#include <thread>

#include "cli/program.h"
#include "cli/small_graph.h"

namespace emgnn::cli_test {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

std::vector<std::string> train(const std::string& dataset, const std::vector<std::string>& more) {
  return joined({"train", "--dataset", dataset, "--method", "em-gcn", "--set", "em.rounds=1",
                 "--set", "em.steps=2", "--set", "em.warmup=5"},
                more);
}

TEST(RowOrder, OfTheTablesChangesNoAnswer) {
  const Workplace place;
  SmallGraph graph;
  graph.write(place, "straight");
  std::reverse(graph.nodes.begin(), graph.nodes.end());
  std::reverse(graph.edge_types.begin(), graph.edge_types.end());
  graph.write(place, "turned");
  for (const char* name : {"straight", "turned"})
    ASSERT_EQ(run(place, train(name, {"--out", std::string(name) + "-run"})).status, 0);
  const std::string a = read(place.path() / "straight-run/predictions.csv"),
                    b = read(place.path() / "turned-run/predictions.csv");
  auto lines = rows(a), other = rows(b);
  ASSERT_EQ(lines.size(), 61U);
  EXPECT_EQ(lines[1][0], "n0");
  EXPECT_EQ(other[1][0], "n59");  // the rows are the user's
  std::sort(lines.begin(), lines.end());
  std::sort(other.begin(), other.end());
  EXPECT_EQ(lines, other);
}

TEST(RunFolder, KnowsItsDataFromAnyFolder) {
  const Workplace place, elsewhere;
  SmallGraph().write(place, "graph");
  ASSERT_EQ(run(place, train("graph", {"--out", "run"})).status, 0);
  const Json manifest = Json::parse(read(place.path() / "run/manifest.json"));
  EXPECT_EQ(manifest["dataset"], (fs::canonical(place.path()) / "graph").string());
  const std::string folder = (place.path() / "run").string();
  const Outcome predicted = run(elsewhere, {"predict", "--run", folder, "--out", "p.csv"});
  EXPECT_EQ(predicted.status, 0) << predicted.err;
  EXPECT_EQ(read(elsewhere.path() / "p.csv"), read(place.path() / "run/predictions.csv"));
  EXPECT_EQ(run(elsewhere, {"evaluate", "--run", folder}).status, 0);
  // Another way to write the path is the same run.
  EXPECT_EQ(run(place, train("./graph/", {"--out", "run"})).status, 0);
}

TEST(RunFolder, ItsConfigurationIsOneForOtherRuns) {
  const Workplace place, elsewhere;
  SmallGraph().write(place, "graph");
  ASSERT_EQ(run(place, train("graph", {"--out", "run"})).status, 0);
  const std::string config = (place.path() / "run/config.toml").string();
  const Outcome again = run(elsewhere, {"train", "--config", config, "--out", "again"});
  ASSERT_EQ(again.status, 0) << again.err;
  EXPECT_EQ(read(elsewhere.path() / "again/predictions.csv"),
            read(place.path() / "run/predictions.csv"));
  EXPECT_EQ(read(elsewhere.path() / "again/config.toml"), read(config));
  // Other data, with one edge type: what it has no use for does not matter.
  const Outcome other = run(elsewhere, {"train", "--config", config, "--dataset", "noisy-citations",
                                        "--json", "--quiet"});
  ASSERT_EQ(other.status, 0) << other.err;
  const Json results = Json::parse(other.out);
  EXPECT_EQ(results["method"], "em-gcn");
  EXPECT_EQ(results["config"]["em.rounds"], 1);
  write(elsewhere, "bad.toml", "[run]\nmethod = 3\n");
  expect_one_line(run(elsewhere, {"train", "--config", "bad.toml"}), 2, "bad.toml:2: [run]");
}

TEST(Seed, ThatIsNoneIsRefused) {
  const Workplace place;
  const std::vector<std::string> what = {"--dataset", "noisy-relations", "--method", "gcn"};
  const auto train = joined({"train"}, what);
  for (const std::vector<std::string>& command : {train,
                                                  joined({"tune", "--out", "search"}, what),
                                                  joined({"plan"}, what),
                                                  {"reproduce", "heterogeneous"}})
    for (const char* seed :
         {"9223372036854775808", "18446744073709551616", "-1", "1e3", "0x10", ""})
      expect_one_line(run(place, joined(command, {"--seed", seed})), 2,
                      "expected a whole number from 0 to 9223372036854775807");
  expect_one_line(run(place, joined(train, {"--seed", "9223372036854775807", "--runs", "2"})), 2,
                  "--seed: the last of 2 runs");
  EXPECT_FALSE(fs::exists(place.path() / "search"));
}

// Features that say nothing, and one class in nine of ten rows.
TEST(OneAnswer, IsAWarning) {
  const Workplace place;
  std::string nodes = "id,label,split,x\n", edges = "source,target\n";
  const char* parts[] = {"train", "validation", "test"};
  for (int i = 0; i < 90; ++i) {
    nodes += "n" + std::to_string(i) + "," + (i / 3 % 10 == 0 ? "rare" : "common") + "," +
             parts[i % 3] + ",1\n";
    edges += "n" + std::to_string(i) + ",n" + std::to_string((i + 1) % 90) + "\n";
  }
  fs::create_directory(place.path() / "graph");
  write(place, "graph/nodes.csv", nodes);
  write(place, "graph/edges.csv", edges);
  const std::vector<std::string> call = {"train", "--dataset", "graph", "--method", "gcn"};
  const Outcome text = run(place, joined(call, {"--out", "run"}));
  ASSERT_EQ(text.status, 0) << text.err;
  EXPECT_NE(text.out.find("warning: every validation and test row is predicted to be \"common\""),
            std::string::npos)
      << text.out;
  const Json json = Json::parse(run(place, joined(call, {"--json", "--quiet"})).out);
  EXPECT_EQ(json["runs"][0]["one_answer"], "common");
  EXPECT_NE(json["verdict"][0].get<std::string>().find("common"), std::string::npos);
  EXPECT_EQ(Json::parse(read(place.path() / "run/results.json"))["verdict"], json["verdict"]);
}

// A table that takes seconds to read.
void write_large_graph(const Workplace& place) {
  fs::create_directory(place.path() / "graph");
  std::string edges = "source,target,type\n";
  for (int i = 0; i < 4'000'000; ++i)
    edges += std::to_string(i % 1'000'003) + "," + std::to_string(i * 7LL % 999'983) + ",e\n";
  write(place, "graph/edges.csv", edges);
}

// The program ends within two seconds while it reads the graph, and leaves nothing.
// `wait` is how long after it hears signals the program reads.
void expect_reading_ends(const Workplace& place, const std::vector<std::string>& call,
                         std::chrono::milliseconds wait) {
  const fs::path cache = place.path() / ".cache";
  fs::remove_all(cache);
  Program program(place, call);
  program.wait_until_it_catches_interrupts();
  std::this_thread::sleep_for(wait);
  ASSERT_TRUE(program.running()) << program.wait().err;
  const auto sent = std::chrono::steady_clock::now();
  program.send(SIGTERM);
  const Outcome outcome = program.wait();
  EXPECT_LT(std::chrono::steady_clock::now() - sent, std::chrono::milliseconds(2500));
  EXPECT_EQ(outcome.status, 4);
  EXPECT_NE(outcome.err.find("interrupted"), std::string::npos) << outcome.err;
  EXPECT_TRUE(!fs::exists(cache) || fs::is_empty(cache));
}

TEST(Signals, EndTheReadingOfALargeTable) {
  const Workplace place;
  write_large_graph(place);
  const std::chrono::milliseconds at_once{100}, behind_libtorch{700};
  expect_reading_ends(place, train("graph", {"--out", "run"}), behind_libtorch);
  EXPECT_EQ(read(place.path() / "run/manifest.json"), "");
  expect_reading_ends(place, {"data", "info", "graph"}, at_once);
  expect_reading_ends(place, {"data", "export", "graph", "--out", "copy"}, at_once);
  EXPECT_FALSE(fs::exists(place.path() / "copy"));
}

// With ten layers of `width` one epoch takes some 130,000 width² multiplications.
std::vector<std::string> slow_training(const Workplace& place, int width) {
  fs::create_directory(place.path() / "graph");
  std::string nodes = "id,label,split,x\n", edges = "source,target\n";
  for (int i = 0; i < 5'000; ++i) {
    nodes += std::to_string(i) + (i % 2 == 0 ? ",a," : ",b,") +
             (i < 4'900   ? "train,"
              : i % 4 < 2 ? "val,"
                          : "test,") +
             std::to_string(i % 37) + "\n";
    edges += std::to_string(i) + "," + std::to_string((i * 7 + 1) % 5'000) + "\n";
  }
  write(place, "graph/nodes.csv", nodes);
  write(place, "graph/edges.csv", edges);
  return {"train",
          "--dataset",
          "graph",
          "--method",
          "gcn",
          "--out",
          "run",
          "--preset",
          "none",
          "--set",
          "model.layers=10",
          "--set",
          "model.hidden=" + std::to_string(width)};
}

// Also where each epoch takes longer than a line waits for.
TEST(Progress, SaysHowFarSlowTrainingIs) {
  const Workplace place;
  Program program(place, slow_training(place, 900));
  std::string shown;
  for (int tenths = 0; tenths < 600 && shown.find("epoch ") == std::string::npos; ++tenths) {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    shown = read(place.path() / ".stderr");
  }
  program.send(SIGINT);
  EXPECT_EQ(program.wait().status, 4);
  EXPECT_NE(shown.find("run 1/1, epoch "), std::string::npos) << shown;
}

// It is given up, and the run starts where it was kept.
TEST(Signals, EndALongEpochOfTraining) {
  const Workplace place;
  Program program(place, slow_training(place, 1536));
  program.wait_until_written(place.path() / "run/manifest.json", 1);
  std::this_thread::sleep_for(std::chrono::milliseconds(500));
  ASSERT_TRUE(program.running());
  const auto sent = std::chrono::steady_clock::now();
  program.send(SIGINT);
  const Outcome outcome = program.wait();
  EXPECT_LT(std::chrono::steady_clock::now() - sent, std::chrono::milliseconds(2500));
  EXPECT_EQ(outcome.status, 4);
  EXPECT_NE(outcome.err.find("interrupted in epoch "), std::string::npos) << outcome.err;
  EXPECT_NE(outcome.err.find("to resume: "), std::string::npos) << outcome.err;
}

// As `timeout` sends them: to the process, and to its group.
TEST(Signals, ThatComeTwiceAtOnceAreOne) {
  const Workplace place;
  Program program(place, {"train", "--dataset", "noisy-relations", "--method", "gcn", "--out",
                          "run", "--set", "fit.epochs=1000000", "--set", "stop.rule=never"});
  program.wait_until_written(place.path() / "run/checkpoint/state.safetensors", 1);
  program.send(SIGINT);
  program.send(SIGTERM);  // a second one of the same kind may be merged with the first
  const Outcome outcome = program.wait();
  EXPECT_EQ(outcome.status, 4);
  EXPECT_EQ(outcome.err.find("twice"), std::string::npos) << outcome.err;
  EXPECT_NE(outcome.err.find("to resume: "), std::string::npos) << outcome.err;
}

}  // namespace
}  // namespace emgnn::cli_test
