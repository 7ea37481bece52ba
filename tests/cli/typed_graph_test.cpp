// SPDX-License-Identifier: Apache-2.0
// A user's own graph with types of nodes and five types of edges, and the methods that know them.
#include <gtest/gtest.h>

#include <algorithm>
#include <csignal>

#include <nlohmann/json.hpp>

#include "cli/program.h"
#include "test_name.h"

namespace emgnn::cli_test {
namespace {

constexpr int kBooks = 60, kPeople = 24, kShops = 6;

// Books have labels; `reversed` names the nodes, their types and the edges in the opposite order.
void write_graph(const Workplace& place, const std::string& folder, bool reversed) {
  std::vector<std::string> nodes, edges;
  const char* parts[] = {"train", "validation", "test"};
  const auto add = [](std::vector<std::string>& to, const std::string& line) {
    to.push_back(line + "\n");
  };
  const auto number = [](int i) { return std::to_string(i); };
  for (int i = 0; i < kBooks; ++i)
    add(nodes, "b" + number(i) + ",book," + (i % 2 == 0 ? "red," : "blue,") + parts[i / 2 % 3] +
                   "," + number(i % 5) + "," + number(i * 7 % 4));
  for (int i = 0; i < kPeople; ++i)
    add(nodes, "p" + number(i) + ",person,,," + number(i % 2) + "," + number(i % 3));
  for (int i = 0; i < kShops; ++i) add(nodes, "s" + number(i) + ",shop,,,1," + number(i));
  for (int i = 0; i < kBooks; ++i) {
    const std::string book = "b" + number(i) + ",";
    add(edges, book + "p" + number(i % kPeople) + ",wrote");
    add(edges, book + "p" + number(i * 5 % kPeople) + ",read");
    add(edges, book + "p" + number((i + 2) % kPeople) + ",printed");
    add(edges, book + "s" + number(i % kShops) + ",sold");
    add(edges, book + "b" + number((i + 4) % kBooks) + ",cites");
  }
  if (reversed) {
    std::reverse(nodes.begin(), nodes.end());
    std::reverse(edges.begin(), edges.end());
  }
  std::string node_text = "id,type,label,split,x,y\n", edge_text = "source,target,type\n";
  for (const std::string& line : nodes) node_text += line;
  for (const std::string& line : edges) edge_text += line;
  std::filesystem::create_directory(place.path() / folder);
  write(place, folder + "/nodes.csv", node_text);
  write(place, folder + "/edges.csv", edge_text);
}

class TypedGraph : public testing::TestWithParam<const char*> {
 protected:
  TypedGraph() { write_graph(place_, "graph", false); }

  std::vector<std::string> train(const std::string& epochs,
                                 const std::vector<std::string>& more = {}) const {
    return joined(
        {"train", "--dataset", "graph", "--method", GetParam(), "--json", "--quiet", "--out", "run",
         "--set", "model.hidden=8", "--set", "fit.epochs=" + epochs, "--set", "stop.rule=never"},
        more);
  }
  std::string file(const std::string& name) const { return read(place_.path() / name); }

  const Workplace place_;
};

TEST_P(TypedGraph, TrainsOnFiveEdgeTypesAndPredictsTheSameAgain) {
  const Outcome trained = run(place_, train("60"));
  ASSERT_EQ(trained.status, 0) << trained.err;
  const auto json = nlohmann::json::parse(trained.out);
  EXPECT_GT(json["mean"]["accuracy"].get<double>(), 0.6);  // two classes
  ASSERT_EQ(run(place_, {"predict", "--run", "run", "--out", "again.csv", "--quiet"}).status, 0);
  const auto before = column(file("run/predictions.csv"), "p(red)"),
             after = column(file("again.csv"), "p(red)");
  EXPECT_EQ(before.size(), static_cast<size_t>(kBooks));
  EXPECT_EQ(before, after);
}

// On other data there are no training labels, so the model goes without.
TEST_P(TypedGraph, AnotherOrderOfNodesAndTypesChangesNothing) {
  const bool labels = std::string(GetParam()) == "sehgnn";
  ASSERT_EQ(run(place_, train("10", labels ? std::vector<std::string>{"--set", "model.label_hops=0"}
                                           : std::vector<std::string>{}))
                .status,
            0);
  write_graph(place_, "other", true);
  const Outcome predicted = run(
      place_, {"predict", "--run", "run", "--dataset", "other", "--out", "other.csv", "--quiet"});
  ASSERT_EQ(predicted.status, 0) << predicted.err;
  const auto before = column(file("run/predictions.csv"), "p(red)"),
             after = column(file("other.csv"), "p(red)");
  ASSERT_EQ(before.size(), after.size());
  // At most 16 neighbours or types in another order, in three steps: 48 roundings of logits below 2,
  // of which a probability feels half; and the last of six digits.
  constexpr double kClose = 48 * 0x1.0p-24 + 1e-6;
  double lowest = 1.0, highest = 0.0;
  for (const auto& [node, text] : before) {
    const double p = std::stod(text);
    EXPECT_NEAR(std::stod(after.at(node)), p, kClose) << node;
    lowest = std::min(lowest, p);
    highest = std::max(highest, p);
  }
  EXPECT_GT(highest - lowest, 0.1);
}

TEST_P(TypedGraph, GoesOnAfterCtrlCToTheSameBytes) {
  const std::vector<std::string> call = train("300");
  Program program(place_, call);
  program.wait_until_written(place_.path() / "run/metrics.jsonl", 3000);
  program.send(SIGINT);
  EXPECT_EQ(program.wait().status, 4);
  ASSERT_EQ(run(place_, call).status, 0);
  const Workplace whole;
  write_graph(whole, "graph", false);
  ASSERT_EQ(run(whole, call).status, 0);
  for (const char* name : {"run/model.safetensors", "run/predictions.csv", "run/metrics.jsonl"})
    EXPECT_EQ(file(name) == read(whole.path() / name), true) << name;
}

INSTANTIATE_TEST_SUITE_P(Methods, TypedGraph, testing::Values("gtn", "simple-hgn", "sehgnn"),
                         [](const auto& info) { return as_test_name(info.param); });

class Gtn : public TypedGraph {};

TEST_P(Gtn, SelectsAmongBothDirectionsOfEveryEdgeType) {
  const Outcome trained = run(place_, train("5"));
  ASSERT_EQ(trained.status, 0) << trained.err;
  const auto shares = nlohmann::json::parse(trained.out)["runs"][0]["shares"];
  // Four types join two types of nodes, in two directions; citations books to books.
  ASSERT_EQ(shares.size(), 4U * 2U + 1U + 1U) << shares;
  for (const char* name :
       {"wrote:book-person", "wrote:person-book", "sold:shop-book", "cites:book-book", "none"})
    EXPECT_TRUE(shares.contains(name)) << shares;
}

TEST_P(Gtn, ReadsNoSettingsOfGraphs) {
  expect_one_line(run(place_, train("5", {"--set", "space.normalisation=row"})), 2,
                  "unknown key \"space.normalisation\" for gtn");
}

INSTANTIATE_TEST_SUITE_P(Methods, Gtn, testing::Values("gtn"));

}  // namespace
}  // namespace emgnn::cli_test
