// SPDX-License-Identifier: Apache-2.0
// A user's own graph with five types of nodes and of edges, the methods that know them, and one that
// does not.
#include <gtest/gtest.h>

#include <algorithm>
#include <csignal>
#include <set>

#include <nlohmann/json.hpp>

#include "cli/program.h"
#include "test_name.h"

namespace emgnn::cli_test {
namespace {

constexpr int kBooks = 60, kPeople = 24, kShops = 6, kTowns = 3, kPrinters = 4;

struct GraphOptions {
  bool reversed = false;   // nodes, their types and the edges are named in the opposite order
  bool new_nodes = false;  // a book and a person more, with edges
  std::string book = "book", shop = "shop";  // what these types of nodes are called
};

// Five types of nodes and of edges. Books have labels.
void write_graph(const Workplace& place, const std::string& folder,
                 const GraphOptions& options = {}) {
  std::vector<std::string> nodes, edges;
  const char* parts[] = {"train", "validation", "test"};
  const auto add = [](std::vector<std::string>& to, const std::string& line) {
    to.push_back(line + "\n");
  };
  const auto number = [](int i) { return std::to_string(i); };
  for (int i = 0; i < kBooks; ++i)
    add(nodes, "b" + number(i) + "," + options.book + "," + (i % 2 == 0 ? "red," : "blue,") +
                   parts[i / 2 % 3] + "," + number(i % 5) + "," + number(i * 7 % 4));
  for (int i = 0; i < kPeople; ++i)
    add(nodes, "p" + number(i) + ",person,,," + number(i % 2) + "," + number(i % 3));
  for (int i = 0; i < kShops; ++i)
    add(nodes, "s" + number(i) + "," + options.shop + ",,,1," + number(i));
  for (int i = 0; i < kTowns; ++i) add(nodes, "t" + number(i) + ",town,,,2," + number(i));
  for (int i = 0; i < kPrinters; ++i)
    add(nodes, "r" + number(i) + ",printer,,," + number(i % 2) + "," + number(i));
  for (int i = 0; i < kBooks; ++i) {
    const std::string book = "b" + number(i) + ",";
    add(edges, book + "p" + number(i % kPeople) + ",wrote");
    add(edges, book + "r" + number(i % kPrinters) + ",printed");
    add(edges, book + "s" + number(i % kShops) + ",sold");
    add(edges, book + "b" + number((i + 4) % kBooks) + ",cites");
  }
  for (int i = 0; i < kShops; ++i)
    add(edges, "s" + number(i) + ",t" + number(i % kTowns) + ",lies in");
  if (options.new_nodes) {
    add(nodes, "new book,book,,,1,1");
    add(nodes, "new person,person,,,0,1");
    for (const char* line : {"new person,wrote", "s1,sold", "b3,cites"})
      add(edges, std::string("new book,") + line);
  }
  if (options.reversed) {
    std::reverse(nodes.begin(), nodes.end());
    std::reverse(edges.begin(), edges.end());
  }
  std::string node_text = "id,type,label,split,x,y\n", edge_text = "source,target,type\n";
  for (const std::string& line : nodes) node_text += line;
  for (const std::string& line : edges) edge_text += line;
  std::filesystem::create_directories(place.path() / folder);
  write(place, folder + "/nodes.csv", node_text);
  write(place, folder + "/edges.csv", edge_text);
}

class TypedGraph : public testing::TestWithParam<const char*> {
 protected:
  TypedGraph() { write_graph(place_, "graph"); }

  std::vector<std::string> train(const std::string& epochs,
                                 const std::vector<std::string>& more = {}) const {
    return joined(
        {"train", "--dataset", "graph", "--method", GetParam(), "--json", "--quiet", "--out", "run",
         "--set", "model.hidden=8", "--set", "fit.epochs=" + epochs, "--set", "stop.rule=never"},
        more);
  }
  // What a model of sehgnn must do to serve other data.
  static std::vector<std::string> without_labels() {
    if (GetParam() != std::string("sehgnn")) return {};
    return {"--set", "model.label_hops=0"};
  }
  static std::vector<std::string> predict_other() {
    return {"predict", "--run", "run", "--dataset", "other", "--out", "other.csv", "--quiet"};
  }
  std::string file(const std::string& name) const { return read(place_.path() / name); }

  const Workplace place_;
};

TEST_P(TypedGraph, TrainsOnFiveEdgeTypesAndPredictsTheSameAgain) {
  const Outcome trained =
      run(place_, train("60", {"--set", "model.dropout=0", "--set", "model.input_dropout=0"}));
  ASSERT_EQ(trained.status, 0) << trained.err;
  ASSERT_EQ(run(place_, {"predict", "--run", "run", "--out", "again.csv", "--quiet"}).status, 0);
  const auto before = column(file("run/predictions.csv"), "p(red)"),
             after = column(file("again.csv"), "p(red)");
  EXPECT_EQ(before.size(), static_cast<size_t>(kBooks));
  EXPECT_EQ(before, after);
  std::set<std::string> answers;
  for (const auto& [node, p] : before) answers.insert(p);
  EXPECT_GT(answers.size(), 2U);  // it tells nodes apart
}

TEST_P(TypedGraph, AnotherOrderOfNodesAndTypesChangesNothing) {
  ASSERT_EQ(run(place_, train("10", without_labels())).status, 0);
  write_graph(place_, "other", {.reversed = true});
  const Outcome predicted = run(place_, predict_other());
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
  EXPECT_GT(highest - lowest, 1000 * kClose);  // nodes differ far more than orders do
}

TEST_P(TypedGraph, PredictsNodesThatItHasNotSeen) {
  ASSERT_EQ(run(place_, train("10", without_labels())).status, 0);
  write_graph(place_, "other", {.new_nodes = true});
  const Outcome predicted = run(place_, predict_other());
  ASSERT_EQ(predicted.status, 0) << predicted.err;
  const auto after = column(file("other.csv"), "p(red)");
  EXPECT_EQ(after.size(), static_cast<size_t>(kBooks) + 1);
  ASSERT_TRUE(after.contains("new book"));
  const double p = std::stod(after.at("new book"));
  EXPECT_GT(p, 0.0);
  EXPECT_LT(p, 1.0);
}

// Weights that belong to types cannot serve others; gat has none.
TEST_P(TypedGraph, SaysWhichTypesOfNodesItDoesNotKnow) {
  ASSERT_EQ(run(place_, train("2", without_labels())).status, 0);
  write_graph(place_, "other", {.shop = "stall"});
  const Outcome stalls = run(place_, predict_other());
  if (GetParam() == std::string("gat")) {
    EXPECT_EQ(stalls.status, 0) << stalls.err;
  } else {
    expect_one_line(stalls, 2,
                    "other does not fit the model: the model does not know the node types stall");
  }
  write_graph(place_, "other", {.book = "volume"});
  expect_one_line(run(place_, predict_other()), 2,
                  "other does not fit the model: it has no nodes of type book");
}

// A kill near the beginning, Ctrl-C, which leaves a checkpoint, and a kill some epochs behind it.
TEST_P(TypedGraph, GoesOnAfterKillsAndCtrlCToTheSameBytes) {
  const std::vector<std::string> call = train("600");
  const Workplace whole;
  write_graph(whole, "graph");
  ASSERT_EQ(run(whole, call).status, 0);
  const size_t size = read(whole.path() / "run/metrics.jsonl").size();
  size_t eighth = 0;
  for (const int signal : {SIGKILL, SIGINT, SIGKILL}) {
    Program program(place_, call);
    ++eighth;
    program.wait_until_written(place_.path() / "run/metrics.jsonl", size * eighth / 8);
    program.send(signal);
    ASSERT_EQ(program.wait().status, signal == SIGKILL ? 128 + SIGKILL : 4);
    if (eighth > 1) {
      EXPECT_FALSE(file("run/checkpoint/state.safetensors").empty());
    }
  }
  ASSERT_EQ(run(place_, call).status, 0);
  for (const char* name : {"run/model.safetensors", "run/predictions.csv", "run/metrics.jsonl"})
    EXPECT_EQ(file(name) == read_moved(whole, name, place_), true) << name;
  const auto results = [](const std::filesystem::path& folder) {
    return nlohmann::json::parse(read(folder / "run/results.json"));
  };
  for (const char* key : {"mean", "config"})
    EXPECT_EQ(results(place_.path())[key], results(whole.path())[key]);
}

INSTANTIATE_TEST_SUITE_P(Methods, TypedGraph, testing::Values("gat", "gtn", "simple-hgn", "sehgnn"),
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

class Sehgnn : public TypedGraph {};

TEST_P(Sehgnn, WithLabelsAsInputsServesItsOwnDataOnly) {
  ASSERT_EQ(run(place_, train("5")).status, 0);
  write_graph(place_, "other", {.new_nodes = true});
  expect_one_line(run(place_, predict_other()), 2,
                  "the model reads training labels, and other has none");
  EXPECT_FALSE(std::filesystem::exists(place_.path() / "other.csv"));
}

INSTANTIATE_TEST_SUITE_P(Methods, Sehgnn, testing::Values("sehgnn"));

}  // namespace
}  // namespace emgnn::cli_test
