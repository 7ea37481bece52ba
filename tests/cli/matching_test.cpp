// SPDX-License-Identifier: Apache-2.0
// Mistakes that are easy to make and hard to see: data in another order than in training, data that
// a model cannot know, two programs in one folder, a distribution that says nothing.
#include <gtest/gtest.h>

#include <csignal>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "cli/program.h"
#include "cli/small_graph.h"

namespace emgnn::cli_test {
namespace {

using Json = nlohmann::ordered_json;
using Names = std::vector<std::string>;

Names length_of(const std::string& method) {
  if (method.starts_with("em-")) return {"--set", "em.rounds=3", "--set", "em.steps=10"};
  if (method == "label-propagation") return {};
  return {"--set", "fit.epochs=40"};
}

// A place with the graph as it is in `graph` and a model of it in `run`.
class Trained {
 public:
  explicit Trained(const std::string& method, const Names& more = {}) {
    SmallGraph().write(place, "graph");
    const Outcome outcome = run(place, joined(joined({"train", "--dataset", "graph", "--method",
                                                      method, "--quiet", "--out", "run"},
                                                     length_of(method)),
                                              more));
    EXPECT_EQ(outcome.status, 0) << outcome.err;
  }

  Outcome predict(const SmallGraph& other) const {
    other.write(place, "other");
    return run(place, {"predict", "--run", "run", "--dataset", "other", "--out", "other.csv"});
  }

  std::string trained_on() const { return read(place.path() / "run/predictions.csv"); }
  std::string predicted() const { return read(place.path() / "other.csv"); }

  Workplace place;
};

// What a table of classes says about each node: the class and every probability.
std::map<std::string, std::string> answers(const std::string& csv) {
  std::map<std::string, std::string> out;
  for (const auto& row : rows(csv)) {
    EXPECT_GE(row.size(), 5U) << csv;
    for (size_t c = 3; c < row.size(); ++c) out[row[0]] += row[c] + ",";
  }
  return out;
}

SmallGraph shuffled() {
  SmallGraph other;
  // 17 and 60 have no common divisor.
  for (int i = 0; i < SmallGraph::kNodes; ++i) other.nodes[size_t(i)] = i * 17 % SmallGraph::kNodes;
  return other;
}

TEST(Matching, FeaturesAreKnownByNameAndNotByPlace) {
  for (const char* method : {"gcn", "mlp", "em-gcn"}) {
    const Trained model(method);
    SmallGraph other;
    other.features = {"e", "c", "a", "d", "b"};
    const Outcome outcome = model.predict(other);
    ASSERT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_EQ(outcome.err, "");
    EXPECT_EQ(answers(model.predicted()), answers(model.trained_on())) << method;
    // A network that answers everything alike would notice nothing.
    std::set<std::string> different;
    for (const auto& [id, answer] : answers(model.predicted())) different.insert(answer);
    EXPECT_GT(different.size(), 10U) << method;
  }
}

TEST(Matching, AnExtraFeatureIsLeftOutAloud) {
  const Trained model("gcn");
  SmallGraph other;
  other.features = {"b", "a", "c", "d", "e"};
  other.extra_feature = "age";
  const Outcome outcome = model.predict(other);
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(outcome.err, "other: the model does not know the features age: left out\n");
  EXPECT_EQ(answers(model.predicted()), answers(model.trained_on()));
}

TEST(Matching, AMissingFeatureIsNamed) {
  const Trained model("gcn");
  SmallGraph other;
  other.features = {"a", "b", "d"};
  expect_one_line(model.predict(other), 2,
                  "other does not fit the model: it lacks the features c, e");
  EXPECT_EQ(model.predicted(), "");
}

TEST(Matching, EdgeTypesAreKnownByNameAndNotByPlace) {
  const Trained model("em-gcn");
  SmallGraph other;
  other.edge_types = {"far", "near"};
  const Outcome outcome = model.predict(other);
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(answers(model.predicted()), answers(model.trained_on()));

  other.edge_types = {"far", "near", "new"};
  EXPECT_EQ(model.predict(other).err,
            "other: the model does not know the edge types new: left out\n");
  EXPECT_EQ(answers(model.predicted()), answers(model.trained_on()));

  other.edge_types = {"near"};
  expect_one_line(model.predict(other), 2,
                  "other does not fit the model: it lacks the edge types far");
}

// Sums over neighbours may round otherwise in another order, so only the classes are compared.
TEST(Matching, WeightsOfNodesGoWithTheirIds) {
  const std::vector<std::pair<std::string, Names>> methods = {
      {"acm-gcn+", {"--set", "model.structure=true"}}, {"label-propagation", {}}, {"gcn", {}}};
  for (const auto& [method, settings] : methods) {
    const Trained model(method, settings);
    const Outcome outcome = model.predict(shuffled());
    ASSERT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_EQ(rows(model.predicted())[2][0], "n17");  // the rows are those of the file
    EXPECT_EQ(column(model.predicted(), "predicted"), column(model.trained_on(), "predicted"))
        << method;
  }
}

TEST(Matching, AnUnknownNodeIsRefusedByWeightsOfNodesAlone) {
  SmallGraph other = shuffled();
  other.extra_node = "stranger";
  for (const auto& [method, settings] : std::vector<std::pair<std::string, Names>>{
           {"acm-gcn+", {"--set", "model.structure=true"}}, {"label-propagation", {}}}) {
    const Trained model(method, settings);
    expect_one_line(model.predict(other), 2,
                    "weights for the nodes it was trained on, and stranger is none of them");
    EXPECT_EQ(model.predicted(), "") << method;
  }
  const Trained model("gcn");
  EXPECT_EQ(model.predict(other).status, 0);
  EXPECT_TRUE(column(model.predicted(), "predicted").contains("stranger"));
}

// Every line is whole, and the epochs come one after the other.
void expect_whole(const std::string& metrics) {
  std::istringstream in(metrics);
  int64_t epoch = 0;
  for (std::string line; std::getline(in, line);) {
    const Json json = Json::parse(line, nullptr, false);
    ASSERT_TRUE(json.is_object()) << line;
    if (json["event"] != "epoch") continue;
    EXPECT_EQ(json["epoch"], ++epoch);
  }
  EXPECT_GT(epoch, 0);
}

TEST(Matching, OneFolderIsForOneProcessAtATime) {
  const Workplace place, other;
  const Names call = {"train",  "--dataset",      "noisy-relations", "--method",
                      "em-gcn", "--quiet",        "--set",           "em.rounds=8",
                      "--set",  "em.steps=5",     "--set",           "stop.rule=never",
                      "--set",  "model.hidden=8", "--out",           "run"};
  Program first(place, call);
  first.wait_until_written(place.path() / "run/metrics.jsonl", 500);
  first.send(SIGSTOP);
  ASSERT_TRUE(first.running()) << "it ended too soon";
  const Outcome second = run(place, call);
  first.send(SIGCONT);
  EXPECT_EQ(second.status, 2);
  EXPECT_EQ(second.err, "emgnn: run: another process is working in this folder\n");
  EXPECT_EQ(first.wait().status, 0);
  ASSERT_EQ(run(other, call).status, 0);
  const std::string metrics = read(place.path() / "run/metrics.jsonl");
  expect_whole(metrics);
  EXPECT_EQ(metrics, read(other.path() / "run/metrics.jsonl"));
}

TEST(Matching, ADistributionThatSaysNothingIsCalledSo) {
  const Workplace place;
  SmallGraph graph;
  graph.same_edges = true;  // every mixture of the two is the same graph
  graph.write(place, "graph");
  const Names call = {"train",  "--dataset",   "graph", "--method",
                      "em-gcn", "--quiet",     "--set", "em.recipe=published",
                      "--set",  "em.rounds=3", "--set", "em.steps=5"};
  const Outcome outcome = run(place, call);
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_NE(
      outcome.out.find("warning: the learned distribution is indistinguishable from the prior "
                       "(0.000 nats, 0 % of the probability moved); it says nothing about what is "
                       "mixed"),
      std::string::npos)
      << outcome.out;
  EXPECT_EQ(outcome.out.find("carries"), std::string::npos) << outcome.out;
  const Json json = Json::parse(run(place, joined(call, {"--json"})).out);
  EXPECT_EQ(json["posterior_informative"], false);
}

TEST(Matching, AnEdgeTypeCannotHaveTheNameOfNoGraph) {
  const Workplace place;
  SmallGraph graph;
  graph.edge_types = {"near", "none"};
  graph.write(place, "graph");
  const auto mixed = [&](const char* method, const char* mixing) {
    return run(place, {"train", "--dataset", "graph", "--method", method, "--quiet", "--set",
                       std::string("space.mixing=") + mixing});
  };
  for (const Outcome& outcome :
       {mixed("em-gcn", "degree"), mixed("em-gcn", "shares"), mixed("gcn", "learned")}) {
    expect_one_line(outcome, 2,
                    "an edge type is called \"none\": among the weights of a mixture that name "
                    "stands for no graph at all");
  }
  EXPECT_EQ(run(place, {"train", "--dataset", "graph", "--method", "em-gcn", "--quiet", "--set",
                        "space.views=near,knn:3", "--set", "em.rounds=1", "--set", "em.steps=1"})
                .status,
            0);
  EXPECT_EQ(run(place, {"train", "--dataset", "graph", "--method", "gcn", "--quiet", "--set",
                        "fit.epochs=1"})
                .status,
            0);
}

TEST(Matching, MoreCandidatesThanTheBudgetAreCutAndSaidSo) {
  const Workplace place;
  const Names call = {"train",      "--dataset", "noisy-citations", "--method",
                      "em-gcn",     "--set",     "em.rounds=1",     "--set",
                      "em.steps=1", "--set",     "model.hidden=4"};
  const Outcome cut = run(place, joined(call, {"--set", "space.cosine_threshold=0.25", "--set",
                                               "space.max_candidates=3"}));
  EXPECT_EQ(cut.status, 0) << cut.err;
  EXPECT_NE(
      cut.err.find("more than 3 candidate edges have a cosine above 0.25: each node keeps its 1 "
                   "most similar"),
      std::string::npos)
      << cut.err;
  const Outcome none =
      run(place, joined(call, {"--set", "space.cosine_threshold=0.25", "--set",
                               "space.max_candidates=3", "--set", "space.max_add=0"}));
  EXPECT_EQ(none.status, 0) << none.err;
  EXPECT_EQ(none.err.find("candidate"), std::string::npos) << none.err;
}

}  // namespace
}  // namespace emgnn::cli_test
