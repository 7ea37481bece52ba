// SPDX-License-Identifier: Apache-2.0
#include <emgnn/space/rewire_input.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include <emgnn/base/error.h>
#include <emgnn/data/generators.h>
#include <emgnn/space/rewire.h>

namespace emgnn {
namespace {

// Three nodes in a row and one far away; nodes 0, 1 and 3 are alike, 0 and 3 to the bit.
Dataset tiny() {
  Dataset dataset{.name = "tiny", .graph = {.num_nodes = 4}};
  Coo edges{.row = {0, 1}, .col = {1, 2}, .val = {0.25F, 1.0F}};
  dataset.graph.relations.push_back(
      {"edge", symmetrise(csr_from_coo(4, 4, edges, Duplicates::kSum))});
  dataset.features = {.num_rows = 4, .num_cols = 3, .is_sparse = false};
  dataset.features.dense = {1, 0, 0, /**/ 2, 1, 0, /**/ 0, 0, 1, /**/ 1, 0, 0};
  return dataset;
}

TEST(RewireInput, CandidatesAreSimilarPairsThatAreNoEdges) {
  const auto found = find_candidates(tiny(), {.cosine_threshold = 0.5});
  ASSERT_EQ(found.size(), 2U);  // {0, 1} is an edge
  EXPECT_EQ(found[0].u, 0);
  EXPECT_EQ(found[0].v, 3);
  EXPECT_EQ(found[1].u, 1);
  EXPECT_EQ(found[1].v, 3);
  const auto by_authors = find_candidates(tiny(), {.drawing = Drawing::kAuthors});
  ASSERT_EQ(by_authors.size(), 1U);  // without those that are the same
  EXPECT_EQ(by_authors[0].u, 1);
  const auto few = find_candidates(tiny(), {.max_candidates = 1});  // the nearest of each node
  EXPECT_EQ(few.size(), 2U);
  // The approximate search finds a part of the same pairs.
  const auto some = find_candidates(tiny(), {.candidate_recall = 0.5});
  EXPECT_FALSE(some.empty());
  for (const CandidateEdge& e : some) {
    EXPECT_TRUE(std::any_of(found.begin(), found.end(), [&](const CandidateEdge& exact) {
      return exact.u == e.u && exact.v == e.v;
    }));
  }
}

TEST(RewireInput, WeightsAreWeightsOrConfidences) {
  Dataset dataset = tiny();
  const auto candidates = find_candidates(dataset, {});
  const RewireGraph plain = rewire_graph(dataset, candidates, {});
  EXPECT_EQ(plain.adjacency.val, dataset.graph.relations[0].adjacency.val);
  EXPECT_TRUE(plain.confidence.empty() && plain.affinity.empty());
  const RewireOptions priors{.confidence = Confidence::kWeight, .affinity = Affinity::kCosine};
  const RewireGraph doubtful = rewire_graph(dataset, candidates, priors);
  EXPECT_TRUE(doubtful.adjacency.val.empty());
  EXPECT_EQ(doubtful.confidence, (std::vector<float>{0.25F, 1.0F}));
  ASSERT_EQ(doubtful.affinity.size(), 2U);
  EXPECT_EQ(doubtful.affinity[0], 1.0F);
  EXPECT_NEAR(doubtful.affinity[1], 2 / std::sqrt(5.0), 1e-6);
  for (float& w : dataset.graph.relations[0].adjacency.val) w *= 2;
  EXPECT_THROW(rewire_graph(dataset, candidates, priors), DataError);
}

TEST(RewireInput, CandidatesServeEverySeedAndTheSeedDrawsTheGraphs) {
  const auto dataset = std::make_shared<const Dataset>(
      noisy_citations({.num_nodes = 200, .train_per_class = 5, .validation_per_class = 10}, 1));
  const RewireOptions options{.cosine_threshold = 0.2};
  const auto candidates = find_candidates(*dataset, options);
  ASSERT_GT(candidates.size(), 10U);
  const auto held = [&](uint64_t seed) {
    const auto family = RewireFamily::make(dataset, candidates, options, seed);
    EXPECT_EQ(family->size(), 441);
    std::vector<bool> out;
    for (int64_t p = 0; p < static_cast<int64_t>(family->draws().pairs().size()); ++p)
      out.push_back(family->draws().holds(440, p));
    return out;
  };
  EXPECT_EQ(held(1), held(1));
  EXPECT_NE(held(1), held(2));
}

}  // namespace
}  // namespace emgnn
