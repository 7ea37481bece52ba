// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <string>

#include <emgnn/base/error.h>
#include <emgnn/base/rng.h>
#include <emgnn/data/own_graph.h>

#include "data/temp_dir.h"

namespace emgnn {
namespace {

TEST(OwnGraphScale, AMillionEdgesAreAllThere) {
  constexpr int kNodes = 200'000, kEdges = 1'000'000;
  const testing::TempDir dir;
  std::string nodes = "id,label\n", edges = "source,target,type\n";
  for (int i = 0; i < kNodes; ++i) nodes += fmt::format("node-{},{}\n", i, i % 5);
  Rng rng(1, Stream::kTest);
  for (int i = 0; i < kEdges; ++i) {
    edges += fmt::format("node-{},node-{},{}\n", rng.below(kNodes), rng.below(kNodes),
                         i % 3 == 0 ? "likes" : "knows");
  }
  dir.write("nodes.csv", nodes);
  dir.write("edges.csv", edges);
  const ParsedDataset parsed = load_own_graph(find_own_graph(dir.path()), "big");
  int64_t found = parsed.num_duplicates + parsed.num_self_loops;
  for (const Relation& relation : parsed.dataset.graph.relations)
    found += relation.adjacency.num_entries() / 2;
  // The same pair drawn in both directions is one undirected edge and counts as no repetition.
  EXPECT_NEAR(static_cast<double>(found), kEdges, 100);
}

}  // namespace
}  // namespace emgnn
