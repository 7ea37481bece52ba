// SPDX-License-Identifier: Apache-2.0
#include <emgnn/graph/typed_graph.h>

#include <gtest/gtest.h>

#include <emgnn/base/error.h>

namespace emgnn {
namespace {

Csr graph_of(Coo coo) { return csr_from_coo(4, 4, coo, Duplicates::kKeepFirst); }

TEST(UnionPattern, HoldsEveryRelationAndTheDiagonal) {
  const TypedGraph graph{
      .num_nodes = 4,
      .relations = {{"cites", graph_of({.row = {0, 1, 3}, .col = {1, 0, 2}, .val = {}})},
                    {"likes", graph_of({.row = {0, 2, 0}, .col = {3, 0, 1}, .val = {2, 3, 5}})}}};
  const UnionPattern u = union_pattern(graph);
  EXPECT_EQ(u.pattern.rowptr, (std::vector<int32_t>{0, 3, 5, 7, 9}));
  EXPECT_EQ(u.pattern.col, (std::vector<int32_t>{0, 1, 3, 0, 1, 0, 2, 2, 3}));
  EXPECT_TRUE(u.pattern.val.empty());
  EXPECT_EQ(u.diagonal, (std::vector<int32_t>{0, 4, 6, 8}));
  ASSERT_EQ(u.weight.size(), 2U);
  EXPECT_EQ(u.weight[0], (std::vector<float>{0, 1, 0, 1, 0, 0, 0, 1, 0}));
  EXPECT_EQ(u.weight[1], (std::vector<float>{0, 5, 2, 0, 0, 3, 0, 0, 0}));
}

TEST(UnionPattern, RejectsSelfLoopsWrongShapesAndNoRelation) {
  EXPECT_THROW(union_pattern({.num_nodes = 4, .relations = {}}), UsageError);
  EXPECT_THROW(union_pattern({.num_nodes = 5, .relations = {{"r", graph_of({})}}}), UsageError);
  const Csr loop = graph_of({.row = {2}, .col = {2}, .val = {}});
  EXPECT_THROW(union_pattern({.num_nodes = 4, .relations = {{"r", loop}}}), UsageError);
}

TEST(SplitByNodeTypes, KeepsEachDirectionOfEachPairOfTypesApart) {
  // Nodes 0 and 1 are papers, 2 an author, 3 a venue.
  const Csr by = graph_of({.row = {0, 2, 1, 2}, .col = {2, 0, 2, 1}, .val = {2, 3, 5, 7}});
  const Csr cites = graph_of({.row = {0, 1}, .col = {1, 0}, .val = {}});
  const TypedGraph graph{.num_nodes = 4,
                         .relations = {{"by", by}, {"cites", cites}, {"at", graph_of({})}}};
  const std::vector<int32_t> type = {1, 1, 0, 2};
  const std::vector<std::string> names = {"author", "paper", "venue"};
  const TypedGraph split = split_by_node_types(graph, type, names);
  ASSERT_EQ(split.relations.size(), 3U);  // none of "at", which has no edge
  EXPECT_EQ(split.num_nodes, 4);
  EXPECT_EQ(split.relations[0].name, "by:author-paper");
  EXPECT_EQ(split.relations[0].adjacency.rowptr, (std::vector<int32_t>{0, 0, 0, 2, 2}));
  EXPECT_EQ(split.relations[0].adjacency.val, (std::vector<float>{3, 7}));
  EXPECT_EQ(split.relations[1].name, "by:paper-author");
  EXPECT_EQ(split.relations[1].adjacency.col, (std::vector<int32_t>{2, 2}));
  EXPECT_EQ(split.relations[1].adjacency.val, (std::vector<float>{2, 5}));
  EXPECT_EQ(split.relations[2].name, "cites:paper-paper");
  EXPECT_EQ(split.relations[2].adjacency.col, cites.col);
  const std::vector<std::string> one = {"node"};
  EXPECT_EQ(split_by_node_types(graph, std::vector<int32_t>(4, 0), one).relations[1].name, "cites");
  const TypedGraph empty{.num_nodes = 4, .relations = {{"at", graph_of({})}}};
  EXPECT_EQ(split_by_node_types(empty, type, names).relations[0].name, "at");
}

}  // namespace
}  // namespace emgnn
