// SPDX-License-Identifier: Apache-2.0
#include <emgnn/data/graph_facts.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include <emgnn/base/rng.h>
#include <emgnn/data/generators.h>

namespace emgnn {
namespace {

TEST(GraphFacts, NeverLookAtTestLabels) {
  Dataset data = noisy_citations({.train_per_class = 100, .validation_per_class = 20}, 3);
  const GraphFacts before = graph_facts(data);
  ASSERT_TRUE(before.homophily);
  for (const int32_t i : data.split.test) data.labels.cls[static_cast<size_t>(i)] = 0;
  EXPECT_EQ(*graph_facts(data).homophily, *before.homophily);
  EXPECT_EQ(graph_facts(data).accuracy_after, before.accuracy_after);
  EXPECT_EQ(in_words(graph_facts(data)), in_words(before));
}

TEST(GraphFacts, HomophilyIsZeroWithoutAndOneWithNothingButEdgesInsideClasses) {
  NoisyCitationsOptions options{.homophily = 1.0,
                                .spurious = 0.0,
                                .missing = 0.0,
                                .train_per_class = 150,
                                .validation_per_class = 20};
  EXPECT_DOUBLE_EQ(*graph_facts(noisy_citations(options, 3)).homophily, 1.0);
  options.homophily = 1.0 / options.num_classes;  // as by chance
  const GraphFacts chance = graph_facts(noisy_citations(options, 3));
  // The share is a mean of so many edges, each off by at most 1/2 in deviation.
  EXPECT_NEAR(*chance.homophily, 0.0, 4.0 * 0.5 / std::sqrt(chance.num_train_edges));
}

// Chains of one class each, of which one node in ten shows it: averages over many hops tell it.
TEST(GraphFacts, AveragesOverMoreHopsTellWhatIsFarAway) {
  constexpr int32_t kNodes = 1200, kLength = 20;
  Dataset data;
  data.graph.num_nodes = kNodes;
  Coo links;
  data.features = {.num_rows = kNodes, .num_cols = 2, .is_sparse = false};
  data.labels = unknown_classes(kNodes, {"a", "b"});
  Rng rng(3, Stream::kTest);
  for (int32_t i = 0; i < kNodes; ++i) {
    const int32_t cls = i / kLength % 2;
    data.labels.cls[static_cast<size_t>(i)] = cls;
    for (int32_t c = 0; c < 2; ++c)
      data.features.dense.push_back(
          static_cast<float>(0.3 * rng.normal() + (i % 10 == 0 && c == cls ? 2.0 : 0.0)));
    (i % 3 == 0   ? data.split.train
     : i % 3 == 1 ? data.split.validation
                  : data.split.test)
        .push_back(i);
    if (i + 1 == kNodes || (i + 1) % kLength == 0) continue;
    links.row.insert(links.row.end(), {i, i + 1});
    links.col.insert(links.col.end(), {i + 1, i});
  }
  data.graph.relations = {{"link", csr_from_coo(kNodes, kNodes, links, Duplicates::kKeepFirst)}};
  const GraphFacts facts = graph_facts(data);
  ASSERT_EQ(facts.accuracy_after.size(), 4U);
  EXPECT_LT(facts.accuracy_after[0], 0.7);
  EXPECT_GT(facts.accuracy_after[3], facts.accuracy_after[1] + 0.1);
}

TEST(GraphFacts, SaysNothingOfFewEdges) {
  const Dataset data = noisy_citations({.train_per_class = 2, .validation_per_class = 20}, 3);
  EXPECT_FALSE(graph_facts(data).homophily);
}

TEST(GraphFacts, TellsKindsOfFeaturesApart) {
  Dataset data = noisy_citations({}, 3);
  GraphFacts facts = graph_facts(data);
  EXPECT_EQ(facts.features, FeatureKind::kBinary);
  EXPECT_EQ(facts.num_feature_entries, data.features.sparse.num_entries());
  EXPECT_EQ(facts.num_edges * 2, data.graph.relations.front().adjacency.num_entries());
  data.features.sparse.val.assign(data.features.sparse.col.size(), 0.5F);
  EXPECT_EQ(graph_facts(data).features, FeatureKind::kSparse);
  data.features = {.num_rows = data.graph.num_nodes, .num_cols = 2, .is_sparse = false};
  data.features.dense.assign(static_cast<size_t>(data.graph.num_nodes) * 2, 0.3F);
  EXPECT_EQ(graph_facts(data).features, FeatureKind::kDense);
  data.features = {};
  EXPECT_EQ(graph_facts(data).features, FeatureKind::kNone);
}

}  // namespace
}  // namespace emgnn
