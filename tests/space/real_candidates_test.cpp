// SPDX-License-Identifier: Apache-2.0
// E' of the published datasets against sizes that were counted independently of this code.
#include <emgnn/space/candidate_edges.h>

#include <gtest/gtest.h>

#include <algorithm>

#include <emgnn/data/registry.h>

#include "data/real_data.h"

namespace emgnn {
namespace {

struct Case {
  const char* name;
  double threshold;
  int64_t below_one, identical;
};

TEST(CandidateEdges, OfThePublishedDatasetsHaveTheirKnownNumbers) {
  EMGNN_NEEDS_REAL_DATA();
  // Pairs exactly at the threshold (50 in Cora, one in Texas) are out.
  for (const Case& c :
       {Case{"cora", 0.5, 212, 21}, Case{"citeseer", 0.6, 159, 9}, Case{"texas", 0.6, 100, 0},
        Case{"cornell-before-2022-07", 0.6, 100, 0}, Case{"wisconsin", 0.6, 307, 4}}) {
    SCOPED_TRACE(c.name);
    const Dataset d =
        load_dataset({.name = c.name, .data_dir = testing::real_data_dir(), .use_cache = false});
    const auto found = candidate_edges(d.features.sparse, d.graph.relations[0].adjacency,
                                       {.threshold = c.threshold});
    const auto identical = std::count_if(found.begin(), found.end(),
                                         [](const CandidateEdge& e) { return e.cosine == 1.0F; });
    EXPECT_EQ(identical, c.identical);
    EXPECT_EQ(int64_t(found.size()) - identical, c.below_one);
  }
}

}  // namespace
}  // namespace emgnn
