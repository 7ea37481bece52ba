// SPDX-License-Identifier: Apache-2.0
// Training over rewired graphs: the edges that come out, and graphs that are perturbed first.
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

#include "cli/program.h"

namespace emgnn::cli_test {
namespace {

std::vector<std::string> train(const std::string& method, const std::vector<std::string>& more) {
  const std::vector<std::string> own =
      method.starts_with("em-")
          ? std::vector<std::string>{"--set",      "em.rounds=2", "--set",
                                     "em.steps=3", "--set",       "space.cosine_threshold=0.25"}
          : std::vector<std::string>{"--set", "fit.epochs=6"};
  return joined(joined({"train", "--dataset", "noisy-citations", "--method", method, "--quiet",
                        "--json", "--set", "model.hidden=8"},
                       own),
                more);
}

TEST(Rewire, WritesWhatItLearnedAboutEveryEdge) {
  const Workplace place;
  const Outcome outcome = run(place, train("em-gcn", {"--out", "run"}));
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const auto json = nlohmann::json::parse(outcome.out);
  ASSERT_EQ(json["posterior"].size(), 441U);
  double mean_drop = 0, mean_add = 0;
  for (const auto& point : json["posterior"]) {
    mean_drop += point["p"].get<double>() * point["lambda"][0].get<double>();
    mean_add += point["p"].get<double>() * point["lambda"][1].get<double>();
  }
  const auto table = rows(read(place.path() / "run/edges.csv"));
  ASSERT_GT(table.size(), 1U);
  EXPECT_EQ(table[0],
            (std::vector<std::string>{"source", "target", "kind", "cosine", "p", "p_rate"}));
  std::map<std::string, int> count;
  std::map<std::string, double> sum;
  for (size_t k = 1; k < table.size(); ++k) {
    ASSERT_EQ(table[k].size(), 6U);
    const std::string& kind = table[k][2];
    ++count[kind];
    sum[kind] += std::stod(table[k][4]);
    EXPECT_EQ(table[k][3].empty(), kind == "observed");
    EXPECT_NEAR(std::stod(table[k][5]), kind == "observed" ? 1 - mean_drop : mean_add, 1e-5);
  }
  const auto info =
      nlohmann::json::parse(run(place, {"data", "info", "noisy-citations", "--json"}).out);
  int edges = 0;
  for (const auto& [name, number] : info["edges"].items()) edges += number.get<int>();
  EXPECT_EQ(count["observed"], edges);
  EXPECT_GT(count["candidate"], 10);
  // The mean over m pairs of an indicator with mean r strays less than 5 √(r / m).
  EXPECT_NEAR(sum["observed"] / edges, 1 - mean_drop, 5 * std::sqrt(0.2 / edges));
  EXPECT_NEAR(sum["candidate"] / count["candidate"], mean_add,
              5 * std::sqrt(0.2 / count["candidate"]));
}

// 500 nodes, each joined to the next 201: more edges than a table is written of.
void write_many_edges(const Workplace& place) {
  std::string nodes = "id,label,split,a,b\n", edges = "source,target\n";
  const char* parts[] = {"train", "validation", "test"};
  for (int i = 0; i < 500; ++i) {
    const std::string id = "n" + std::to_string(i);
    nodes += id + (i % 2 == 0 ? ",even," : ",odd,") + parts[i / 2 % 3] + "," +
             std::to_string(i * i % 97) + "," + std::to_string(i * 31 % 89) + "\n";
    for (int step = 1; step <= 201; ++step)
      edges += id + ",n" + std::to_string((i + step) % 500) + "\n";
  }
  std::filesystem::create_directory(place.path() / "graph");
  write(place, "graph/nodes.csv", nodes);
  write(place, "graph/edges.csv", edges);
}

TEST(Rewire, MoreEdgesThanThereIsPlaceForAreWrittenWithAllEdgesOnly) {
  constexpr size_t kMost = 100'000, kAll = 500 * 201;
  const Workplace place;
  write_many_edges(place);
  const std::vector<std::string> call = {"train",
                                         "--dataset",
                                         "graph",
                                         "--method",
                                         "em-gcn",
                                         "--preset",
                                         "none",
                                         "--set",
                                         "space.family=rewire",
                                         "--set",
                                         "space.max_add=0",
                                         "--set",
                                         "space.grid=2",
                                         "--set",
                                         "space.draws=1",
                                         "--set",
                                         "em.posterior=prior",
                                         "--set",
                                         "em.rounds=1",
                                         "--set",
                                         "em.steps=1",
                                         "--set",
                                         "em.draws=1",
                                         "--set",
                                         "model.hidden=4"};
  const Outcome cut = run(place, joined(call, {"--out", "cut"})),
                whole = run(place, joined(call, {"--out", "whole", "--all-edges"}));
  ASSERT_EQ(cut.status, 0) << cut.err;
  ASSERT_EQ(whole.status, 0) << whole.err;
  const auto kept = rows(read(place.path() / "cut/edges.csv")),
             all = rows(read(place.path() / "whole/edges.csv"));
  EXPECT_EQ(all.size(), 1 + kAll);
  ASSERT_EQ(kept.size(), 1 + kMost);
  // They are rows of the whole table, in its order, and none that is left out is more doubtful.
  double most = 0.0, left_out = 1.0;
  size_t at = 1;
  for (size_t row = 1; row < all.size(); ++row) {
    const bool is_kept = at < kept.size() && kept[at] == all[row];
    const double p = std::stod(all[row].at(4));
    is_kept ? most = std::max(most, p) : left_out = std::min(left_out, p);
    at += is_kept ? 1 : 0;
  }
  EXPECT_EQ(at, kept.size());
  EXPECT_LE(most, left_out);

  const std::string note = "edges.csv: the 100000 most doubtful edges";
  EXPECT_NE(cut.err.find(note), std::string::npos) << cut.err;
  EXPECT_EQ(whole.err.find(note), std::string::npos) << whole.err;
  const auto manifest = [&](const std::string& folder) {
    return nlohmann::json::parse(read(place.path() / folder / "manifest.json"));
  };
  EXPECT_EQ(manifest("cut")["edges.csv"].dump(), R"({"kept":100000,"rows":100500})");
  EXPECT_FALSE(manifest("whole").contains("edges.csv"));
}

TEST(Rewire, PlainTrainingAndTheAuthorsRuleRunToo) {
  const Workplace place;
  ASSERT_EQ(run(place, train("gcn", {"--out", "plain"})).status, 0);
  EXPECT_EQ(read(place.path() / "plain/edges.csv"), "");
  const Outcome authors = run(
      place, train("em-gcn", {"--out", "authors", "--runs", "2", "--set", "space.drawing=authors",
                              "--set", "space.grid=5", "--set", "space.draws=2"}));
  ASSERT_EQ(authors.status, 0) << authors.err;
  EXPECT_EQ(nlohmann::json::parse(authors.out)["posterior"].size(), 50U);
  EXPECT_NE(read(place.path() / "authors/seed-1/edges.csv"), "");
}

TEST(Rewire, APerturbedGraphIsTheSameForAllMethodsOfASeed) {
  const Workplace place;
  const std::vector<std::string> perturbed = {"--set", "perturb=10", "--runs", "2", "--seed", "3"};
  for (const char* method : {"gcn", "em-gcn"}) {
    std::vector<std::string> more = perturbed;
    more.insert(more.end(), {"--out", method});
    const Outcome outcome = run(place, train(method, more));
    ASSERT_EQ(outcome.status, 0) << outcome.err;
  }
  const auto changes = [&](const std::string& folder) {
    return read(place.path() / folder / "perturbed_edges.csv");
  };
  EXPECT_TRUE(changes("gcn/seed-3").starts_with("source,target,change\n"));
  EXPECT_EQ(changes("gcn/seed-3"), changes("em-gcn/seed-3"));
  EXPECT_EQ(changes("gcn/seed-4"), changes("em-gcn/seed-4"));
  EXPECT_NE(changes("gcn/seed-3"), changes("gcn/seed-4"));
  std::map<std::string, int> count;
  for (const auto& row : rows(changes("gcn/seed-3"))) ++count[row.back()];
  EXPECT_GT(count["removed"], 50);
  EXPECT_EQ(count["removed"], count["added"]);
  // What was added is observed now.
  const std::string edges = read(place.path() / "em-gcn/seed-3/edges.csv");
  for (const auto& row : rows(changes("em-gcn/seed-3"))) {
    if (row.back() == "change") continue;
    const bool observed = edges.find("\n" + row[0] + "," + row[1] + ",observed,") != edges.npos;
    EXPECT_EQ(observed, row.back() == "added");
  }
  // The finished folder is read back with its perturbation.
  std::vector<std::string> again = perturbed;
  again.insert(again.end(), {"--out", "gcn"});
  EXPECT_EQ(run(place, train("gcn", again)).status, 0);
}

TEST(Rewire, RefusesWhatItCannotDoInOneLine) {
  const Workplace place;
  expect_one_line(run(place, {"train", "--dataset", "noisy-relations", "--method", "em-gcn",
                              "--quiet", "--set", "space.family=rewire"}),
                  2, "one edge type");
  expect_one_line(run(place, {"train", "--dataset", "noisy-relations", "--method", "gcn", "--quiet",
                              "--set", "perturb=5"}),
                  2, "one edge type");
  std::filesystem::create_directory(place.path() / "graph");
  std::ofstream nodes(place.path() / "graph/nodes.csv"), edges(place.path() / "graph/edges.csv");
  nodes << "id,label,a,b\n";
  edges << "source,target,weight\n";
  for (int i = 0; i < 30; ++i) {
    nodes << "n" << i << "," << i % 3 << "," << 1 + i % 3 << "," << 1 + i % 5 << "\n";
    edges << "n" << i << ",n" << (i + 3) % 30 << "," << (i == 4 ? "1.5" : "0.5") << "\n";
  }
  nodes.close();
  edges.close();
  const std::vector<std::string> confident = {"train",  "--dataset",
                                              "graph",  "--method",
                                              "em-gcn", "--quiet",
                                              "--set",  "split=stratified:0.4/0.3/0.3",
                                              "--set",  "em.rounds=2",
                                              "--set",  "em.steps=2",
                                              "--set",  "space.confidence=weight"};
  expect_one_line(run(place, confident), 3, "the edge n4 - n7 has weight 1.5");
}

}  // namespace
}  // namespace emgnn::cli_test
