// SPDX-License-Identifier: Apache-2.0
#include <emgnn/graph/node_pair.h>

#include <gtest/gtest.h>

namespace emgnn {
namespace {

Csr undirected(const std::vector<NodePair>& edges) {
  Coo coo;
  for (const NodePair& e : edges) {
    coo.row.push_back(e.v);
    coo.col.push_back(e.u);
  }
  return symmetrise(csr_from_coo(6, 6, coo, Duplicates::kKeepFirst));
}

TEST(NodePair, EveryEdgeOnceInAscendingOrder) {
  const std::vector<NodePair> edges = {{0, 1}, {0, 5}, {1, 2}, {3, 4}};
  EXPECT_EQ(undirected_edges(undirected({{3, 4}, {0, 5}, {1, 2}, {0, 1}})), edges);
  EXPECT_TRUE(undirected_edges(undirected({})).empty());
}

TEST(NodePair, ChangesLeadFromOneGraphToTheOther) {
  const Csr before = undirected({{0, 1}, {1, 2}, {4, 5}}), after = undirected({{0, 2}, {1, 2}});
  const std::vector<EdgeChange> changes = edge_changes(before, after);
  ASSERT_EQ(changes.size(), 3U);
  EXPECT_EQ(changes[0].pair, (NodePair{0, 1}));
  EXPECT_FALSE(changes[0].added);
  EXPECT_EQ(changes[1].pair, (NodePair{0, 2}));
  EXPECT_TRUE(changes[1].added);
  EXPECT_EQ(changes[2].pair, (NodePair{4, 5}));
  EXPECT_FALSE(changes[2].added);
  EXPECT_TRUE(edge_changes(after, after).empty());
  EXPECT_EQ(edge_changes(after, before).size(), 3U);
}

}  // namespace
}  // namespace emgnn
