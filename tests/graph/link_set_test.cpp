// SPDX-License-Identifier: Apache-2.0
#include <emgnn/graph/link_set.h>

#include <gtest/gtest.h>

#include <algorithm>

#include <emgnn/graph/block_model_graph.h>

namespace emgnn {
namespace {

TEST(LinkSet, HoldsTheLinksAndNothingElse) {
  const std::vector<int32_t> one_community(70, 0);
  for (const double density : {0.0, 0.05, 0.5, 1.0}) {
    const LinkSet set(sample_graph(one_community, std::vector<double>{density}, 0.1, 3, 0));
    for (int32_t i = 0; i < 70; ++i) {
      const std::span<const int32_t> links = set.graph().row(i).col;
      for (int32_t j = 0; j < 70; ++j)
        EXPECT_EQ(set.contains(i, j), std::binary_search(links.begin(), links.end(), j));
    }
  }
}

}  // namespace
}  // namespace emgnn
