// SPDX-License-Identifier: Apache-2.0
#include <emgnn/space/block_model_report.h>

#include <gtest/gtest.h>

namespace emgnn {
namespace {

TEST(BlockModelReport, ListsEdgesMembershipsAndStrengths) {
  const BlockModel model{.num_communities = 2,
                         .cross = 0.1,
                         .phi = {3.0, 1.0, 1.0, 1.0, 0.0, 2.0},
                         .theta = {1.0, 1.0, 3.0, 1.0}};
  const Coo coo{.row = {0, 1, 1, 2}, .col = {1, 0, 2, 1}, .val = {}};
  const Csr graph = csr_from_coo(3, 3, coo, Duplicates::kKeepFirst);
  const std::vector<std::string> communities = {"art", "a, b"};
  const FamilyReport report = block_model_report(model, graph, communities,
                                                 [](int32_t i) { return "n" + std::to_string(i); });
  ASSERT_EQ(report.edges.size(), 2U);
  // Z = Σ_k π_ak (β_k π_bk + δ (1 − π_bk)) with β = (1/2, 1/4)
  const double first = 0.75 * (0.5 * 0.5 + 0.05) + 0.25 * (0.25 * 0.5 + 0.05);
  const double second = 0.5 * 0.1 + 0.5 * 0.25;
  EXPECT_EQ(report.edges[0].edge, (NodePair{0, 1}));
  EXPECT_NEAR(report.edges[0].p, first, 1e-15);
  EXPECT_NEAR(report.edges[1].p, second, 1e-15);
  ASSERT_EQ(report.tables.size(), 3U);
  EXPECT_EQ(report.tables[0].file, "edges.csv");
  EXPECT_EQ(report.tables[0].csv,
            "source,target,kind,p\nn0,n1,observed,0.26875\nn1,n2,observed,0.175\n");
  EXPECT_EQ(report.tables[1].file, "communities.csv");
  EXPECT_EQ(
      report.tables[1].csv,
      "node,community,p(art),\"p(a, b)\"\nn0,art,0.75,0.25\nn1,art,0.5,0.5\nn2,\"a, b\",0,1\n");
  EXPECT_EQ(report.tables[2].file, "strengths.csv");
  EXPECT_EQ(report.tables[2].csv, "community,nodes,strength\nart,2,0.5\n\"a, b\",1,0.25\n");
}

}  // namespace
}  // namespace emgnn
