// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "../base/with_threads.h"
#include "tiny_methods.h"

#include <emgnn/data/generators.h>
#include <emgnn/graph/perturb.h>
#include <emgnn/learn/task.h>
#include <emgnn/run/edge_auc.h>

namespace emgnn {
namespace {

using DataPtr = std::shared_ptr<const Data>;
using Settings = std::map<std::string, std::string>;

DataPtr citations(int32_t nodes, double perturbed = 0.0) {
  Dataset data = noisy_citations({.num_nodes = nodes,
                                  .num_classes = 3,
                                  .spurious = 0.0,
                                  .missing = 0.0,
                                  .num_words = 90,
                                  .word_signal = 0.9,
                                  .train_per_class = 8,
                                  .validation_per_class = 12},
                                 3);
  Csr& graph = data.graph.relations[0].adjacency;
  const Csr before = graph;
  if (perturbed > 0.0) graph = perturb_edges(graph, perturbed, 5);
  data.perturbation = edge_changes(before, graph);
  return std::make_shared<const Data>(std::move(data));
}

std::shared_ptr<Learner> learner_of(const DataPtr& data, const Settings& own = {},
                                    std::shared_ptr<Prepared> prepared = nullptr) {
  Settings settings = tiny_settings();
  settings["model.link_hidden"] = "8";
  settings["model.candidates"] = "10";
  for (const auto& [key, value] : own) settings[key] = value;
  return configured("rsgnn", *data, settings)
      ->learner({.data = data,
                 .prepared = prepared ? prepared : std::make_shared<Prepared>(),
                 .seed = 5});
}

TEST(RsgnnMethod, BitsDoNotDependOnThreads) {
  const DataPtr data = citations(400);
  const auto bits = [&] {
    const auto learner = learner_of(data);
    fit(*learner);
    return state_of(*learner) + learner->graph_report().tables.at(0).csv;
  };
  EXPECT_EQ(with_threads(1, bits) == with_threads(3, bits), true);
}

TEST(RsgnnMethod, ResumesAfterEveryInterruption) {
  const DataPtr data = citations(120);
  for (const char* average : {"0", "0.5"})
    EXPECT_GE(expect_resumable([&] { return learner_of(data, {{"optim.average", average}}); }), 5);
}

TEST(RsgnnMethod, CandidatesAreMadeOnceForAllLearners) {
  const DataPtr data = citations(120);
  const auto prepared = std::make_shared<Prepared>();
  learner_of(data, {}, prepared);
  const LinkCandidates* first = prepared->links.at(10).get();
  learner_of(data, {}, prepared);
  EXPECT_EQ(prepared->links.at(10).get(), first);
}

// Where weights said nothing, the area under the curve of n real and m random edges would be 1/2 with
// a deviation of √((n + m + 1) / (12 n m)): 0.03 here.
TEST(RsgnnMethod, RandomEdgesWeighLessThanRealOnes) {
  const DataPtr data = citations(300, 20.0);
  const auto learner = learner_of(data, {{"fit.epochs", "150"},
                                         {"model.link_hidden", "32"},
                                         {"model.min_weight", "0.0"},
                                         {"model.hidden", "16"},
                                         {"optim.learning_rate", "0.01"},
                                         {"optim.link_learning_rate", "0.01"},
                                         {"stop.rule", "never"}});
  fit(*learner);
  const std::vector<EdgeProbability> edges = learner->graph_report().edges;
  const double m = static_cast<double>(std::count_if(data->graph()->perturbation.begin(),
                                                     data->graph()->perturbation.end(),
                                                     [](const EdgeChange& c) { return c.added; }));
  const double n = static_cast<double>(edges.size()) - m;
  const double deviation = std::sqrt((n + m + 1.0) / (12.0 * n * m));
  EXPECT_GT(edge_auc(edges, data->graph()->graph, data->graph()->perturbation).value(),
            0.5 + 8.0 * deviation);
}

TEST(RsgnnMethod, TableHasEveryEdgeAndWhatWasLinkedBeside) {
  const DataPtr data = citations(120);
  const auto learner = learner_of(data, {{"model.min_weight", "0.0"}});
  fit(*learner);
  const FamilyReport report = learner->graph_report();
  const auto edges = undirected_edges(data->graph()->graph.relations[0].adjacency);
  ASSERT_EQ(report.edges.size(), edges.size());
  for (size_t e = 0; e < edges.size(); ++e) {
    EXPECT_EQ(report.edges[e].edge, edges[e]);
    EXPECT_GE(report.edges[e].p, 0.0);
    EXPECT_LE(report.edges[e].p, 1.0);
  }
  const std::string& csv = report.tables.at(0).csv;
  EXPECT_EQ(csv.rfind("source,target,kind,weight\n", 0), 0U);
  for (const char* kind : {",observed,", ",candidate,", ",loop,"})
    EXPECT_NE(csv.find(kind), std::string::npos) << kind;
}

// The link predictor reads features alone: nodes that it has never seen are linked, too.
TEST(RsgnnMethod, StoredModelPredictsForNewNodes) {
  const DataPtr data = citations(300), larger = citations(330);
  const Settings settings = {
      {"fit.epochs", "100"}, {"optim.learning_rate", "0.01"}, {"optim.link_learning_rate", "0.01"}};
  const auto trained = learner_of(data, settings), other = learner_of(larger, settings);
  fit(*trained);
  EXPECT_FALSE(trained->has_node_weights());
  restore(*other, state_of(*trained, Scope::kModel), Scope::kModel);
  const std::vector<int32_t>& rows = larger->predicted_rows();
  const PartScores scores = other->task()->score(other->predict(rows, {}), Ranks::kSkip);
  // By chance 1/3 with a deviation of √(2/9 / 330) = 0.026.
  EXPECT_GT(scores.scores.at("accuracy"), 1.0 / 3.0 + 8 * 0.026);
}

}  // namespace
}  // namespace emgnn
