// SPDX-License-Identifier: Apache-2.0
#include <emgnn/data/graph_facts.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include <emgnn/data/generators.h>

namespace emgnn {
namespace {

// The classes of training nodes alone decide: others may be anything.
TEST(GraphFacts, LookAtTrainingLabelsOnly) {
  Dataset data = noisy_citations({.train_per_class = 100, .validation_per_class = 20}, 3);
  const GraphFacts before = graph_facts(data);
  ASSERT_TRUE(before.homophily);
  for (const std::vector<int32_t>* part : {&data.split.validation, &data.split.test})
    for (const int32_t i : *part) data.labels.cls[static_cast<size_t>(i)] = 0;
  EXPECT_EQ(*graph_facts(data).homophily, *before.homophily);
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
