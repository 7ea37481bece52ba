// SPDX-License-Identifier: Apache-2.0
#include <emgnn/space/edge_types.h>

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "dense_propagation.h"
#include "small_graph.h"

#include <emgnn/base/error.h>

namespace emgnn {
namespace {

constexpr int32_t kNodes = 17;
using Names = std::vector<std::string>;

// Five edge types that overlap and carry weights; their nodes are of three types.
Dataset five_types() {
  Dataset data = *data_of(small_graph(kNodes, 5, 60, 8), 3);
  data.node_type_names = {"movie", "actor", "director"};
  for (int32_t i = 0; i < kNodes; ++i) data.node_type.push_back(i % 3);
  return data;
}

std::shared_ptr<const EdgeTypeFamily> family_of(Dataset data) {
  return std::make_shared<const EdgeTypeFamily>(std::make_shared<const Dataset>(std::move(data)));
}

// The matrices of all types between the input rows of a hop and its output rows.
at::Tensor matrices(const Edges& edges) {
  at::Tensor out =
      at::zeros({edges.num_types, edges.pattern.num_rows, edges.pattern.num_cols}, at::kDouble);
  for (int32_t i = 0; i < edges.pattern.num_rows; ++i)
    for (const auto [e, j] : edges.pattern.row(i))
      for (int32_t k = 0; k < edges.num_types; ++k) out[k][i][j] = edges.type_weight[e][k];
  return out;
}

TEST(EdgeTypes, EntriesSayWhatEachTypeStores) {
  const Dataset data = *data_of(small_graph(kNodes, 5, 20, 8), 3);
  const auto family = family_of(data);
  EXPECT_EQ(family->coordinate_names(), (Names{"a", "b", "c", "d", "e", "none"}));
  const std::vector<int32_t> rows = all_rows(kNodes);
  const GraphBatch batch = family->view(rows, {.num_hops = 2})->batch({});
  ASSERT_EQ(batch.hops.size(), 2U);
  at::Tensor sum = at::eye(kNodes, at::kDouble);
  for (const Relation& relation : data.graph.relations) sum += dense_matrix(relation.adjacency);
  const at::Tensor h = at::rand({kNodes, 4}, at::kFloat);
  for (const auto& hop : batch.hops) {
    const at::Tensor got = matrices(*hop->edges());
    for (size_t k = 0; k < 5; ++k) {
      EXPECT_TRUE(
          got[static_cast<int64_t>(k)].equal(dense_matrix(data.graph.relations[k].adjacency)))
          << k;
    }
    EXPECT_TRUE(got[5].equal(at::eye(kNodes, at::kDouble)));
    // At most kNodes products of numbers below 16 and 1.
    const at::Tensor want = sum.matmul(h.to(at::kDouble));
    EXPECT_LE((hop->apply(h)[0] - want).abs().max().item<double>(), kNodes * 16 * 6e-8);
    const Edges& edges = *hop->edges();
    for (size_t e = 0; e < edges.type.size(); ++e)
      EXPECT_GT(edges.type_weight[static_cast<int64_t>(e)][edges.type[e]].item<float>(), 0.0F);
  }
}

TEST(EdgeTypes, OfNodesWithTypesAreTakenApartByThem) {
  const Dataset data = five_types();
  const auto family = family_of(data);
  const Names names = family->coordinate_names();
  ASSERT_EQ(names.size(), 5U * 9U + 1U);
  EXPECT_EQ(names[0], "a:actor-actor");
  EXPECT_EQ(names[1], "a:actor-director");
  EXPECT_EQ(names[3], "a:director-actor");
  // Rows in another order, which is the order of the outputs.
  const std::vector<int32_t> rows = {5, 0, 11};
  const GraphBatch batch = family->view(rows, {})->batch({});
  const Edges& edges = *batch.hop(0).edges();
  const at::Tensor got = matrices(edges);
  const std::vector<int32_t>& inputs = batch.hop(0).input_nodes();
  const at::Tensor whole = dense_matrix(data.graph.relations[0].adjacency);
  for (size_t i = 0; i < rows.size(); ++i) {
    for (size_t j = 0; j < inputs.size(); ++j) {
      const auto type = [&](int32_t node) { return data.node_type_names[size_t(node) % 3]; };
      for (size_t k = 0; k < 9; ++k) {
        const bool own = names[k] == "a:" + type(rows[i]) + "-" + type(inputs[j]);
        const double want = own ? whole[rows[i]][inputs[j]].item<double>() : 0.0;
        EXPECT_EQ(got[int64_t(k)][int64_t(i)][int64_t(j)].item<double>(), want) << names[k];
      }
    }
  }
}

TEST(EdgeTypes, NoneIsTheNameOfTheNodeItself) {
  Dataset data = *data_of(small_graph(kNodes, 2, 20, 8));
  data.graph.relations[1].name = "none";
  EXPECT_THROW(family_of(data), UsageError);
}

// Weights of a network belong to a type by its name.
TEST(EdgeTypes, OfTwoPairsOfNodeTypesCannotHaveOneName) {
  Dataset data = *data_of(small_graph(4, 1, 1, 8));
  data.node_type_names = {"x", "y-z", "x-y", "z"};
  data.node_type = {0, 1, 2, 3};
  data.graph.relations[0].adjacency =
      csr_from_coo(4, 4, {{0, 1, 2, 3}, {1, 0, 3, 2}, {}}, Duplicates::kSum);
  EXPECT_THROW(family_of(data), UsageError);  // a:x-y-z
  data.node_type_names[3] = "w";
  EXPECT_NO_THROW(family_of(data));
}

}  // namespace
}  // namespace emgnn
