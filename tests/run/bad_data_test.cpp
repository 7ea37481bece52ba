// SPDX-License-Identifier: Apache-2.0
// Data that a run could not learn from, or could not write down.
#include <gtest/gtest.h>

#include <emgnn/run/fit.h>
#include <emgnn/run/manifest.h>
#include "run/small_run.h"

namespace emgnn {
namespace {

using testing::message_of;
using testing::small_request;
using testing::SmallGraph;
using testing::Workplace;

template <class Expected>
std::string refusal(const RunRequest& request) {
  RunsObserver quiet;
  return message_of<Expected>([&] { fit_runs(request, quiet); });
}

// Forty nodes in a ring; `label(i)` of node i.
template <class Label>
std::string ring(const Workplace& place, const Label& label) {
  std::string nodes = "id,label,split,x\n", edges = "source,target\n";
  for (int i = 0; i < 40; ++i) {
    const char* part = i < 16 ? "train" : i < 28 ? "validation" : "test";
    nodes += fmt::format("{},{},{},{}\n", i, label(i), part, i);
    edges += fmt::format("{},{}\n", i, (i + 1) % 40);
  }
  place.write("ring/nodes.csv", nodes);
  place.write("ring/edges.csv", edges);
  return (place / "ring").string();
}

TEST(BadData, OneClassIsNothingToLearn) {
  const Workplace place;
  for (const char* method : {"gcn", "label-propagation"}) {
    RunRequest request = small_request(ring(place, [](int) { return "only"; }), method);
    request.out = place / "run";
    EXPECT_EQ(refusal<DataError>(request),
              "ring: nothing to learn: all 16 training rows are of class \"only\"");
    EXPECT_FALSE(std::filesystem::exists(place / "run/manifest.json"));
  }
  // Others among the validation and test rows cannot be learned either.
  const std::string two = ring(place, [](int i) { return i < 16 ? "a" : i % 2 == 0 ? "b" : "a"; });
  EMGNN_EXPECT_PART(refusal<DataError>(small_request(two, "gcn")), "are of class \"a\"");
}

TEST(BadData, NamesThatAreNotUtf8AreRefused) {
  Dataset graph{.name = "mine"};
  graph.graph.num_nodes = 1;
  graph.graph.relations = {{.name = "likes", .adjacency = {}}};
  graph.labels = unknown_classes(1, {"caf\xc3\xa9"});
  EXPECT_NO_THROW(check_names(Data(graph)));
  const auto refused = [&](const auto& damage) {
    Dataset damaged = graph;
    damage(damaged);
    return message_of<DataError>([&] { check_names(Data(damaged)); });
  };
  const std::string latin = "caf\xe9";
  EMGNN_EXPECT_PART(refused([&](Dataset& d) { d.labels.names = {latin}; }),
                    "mine: the name of a class, label or target is not UTF-8: \"caf\\x");
  EMGNN_EXPECT_PART(refused([&](Dataset& d) { d.graph.relations[0].name = latin; }), "edge type");
  EMGNN_EXPECT_PART(refused([&](Dataset& d) { d.node_type_names = {latin}; }), "type of nodes");
  EMGNN_EXPECT_PART(refused([&](Dataset& d) { d.features.names = {latin}; }), "a feature");
  EMGNN_EXPECT_PART(refused([&](Dataset& d) { d.node_names = {latin}; }), "a node");
}

TEST(BadData, AnIdentityThatIsNotUtf8IsRefusedBeforeAnythingIsWritten) {
  const Workplace place;
  RunRequest request = small_request(SmallGraph{}.write(place, "gr\xfcn"), "gcn");
  request.out = place / "run";
  EMGNN_EXPECT_PART(refusal<UsageError>(request), "the name of the dataset: not UTF-8: \"");
  EXPECT_FALSE(std::filesystem::exists(*request.out));
  request = small_request(SmallGraph{}.write(place, "graph"), "gcn", {"split=h\xe4lften"});
  EMGNN_EXPECT_PART(refusal<UsageError>(request), "split: not UTF-8: \"h\\x");
}

}  // namespace
}  // namespace emgnn
