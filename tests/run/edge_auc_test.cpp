// SPDX-License-Identifier: Apache-2.0
#include <emgnn/run/edge_auc.h>

#include <gtest/gtest.h>

#include <emgnn/run/fit.h>
#include "run/small_run.h"

namespace emgnn {
namespace {

using testing::small_request;
using testing::Workplace;

RunRecord only_run(const RunRequest& request) {
  RunsObserver quiet;
  return fit_runs(request, quiet).runs.at(0);
}

TEST(EdgeAuc, IsTheShareOfPairsThatAreRankedRight) {
  const std::vector<EdgeProbability> edges = {
      {{0, 1}, 0.9}, {{0, 2}, 0.5}, {{1, 2}, 0.5}, {{1, 3}, 0.1}};
  const TypedGraph graph{.num_nodes = 4,
                         .relations = {{"r", csr_from_coo(4, 4,
                                                          {{0, 0, 1, 1, 1, 2, 2, 3},
                                                           {1, 2, 2, 3, 0, 0, 1, 1},
                                                           std::vector<float>(8, 1.0F)},
                                                          Duplicates::kKeepFirst)}}};
  const EdgeChange removed{{2, 3}, false};
  // (0, 2) and (1, 3) are random: 0.9 is above both, 0.5 level with one and above the other.
  const std::vector<EdgeChange> perturbation = {{{0, 2}, true}, {{1, 3}, true}, removed};
  EXPECT_EQ(edge_auc(edges, graph, perturbation), 3.5 / 4.0);
  EXPECT_FALSE(edge_auc(edges, graph, std::vector<EdgeChange>{removed}));
  EXPECT_FALSE(edge_auc({}, graph, perturbation));
  // Of another view: a pair that is no edge, and one that was there before.
  std::vector<EdgeProbability> more = edges;
  more.insert(more.end(), {{{0, 3}, 0.05}, {{0, 1}, 0.05}});
  EXPECT_EQ(edge_auc(more, graph, perturbation), 3.5 / 4.0);
}

TEST(EdgeAuc, IsThereWhereEdgesWereReplacedAndIsReadBack) {
  const Workplace place;
  EXPECT_FALSE(only_run(small_request("noisy-citations", "em-gcn")).edge_auc);
  EXPECT_FALSE(only_run(small_request("noisy-citations", "gcn", {"perturb=30"})).edge_auc);
  for (const char* settings : {"ensemble=1", "ensemble=2"}) {
    RunRequest request = small_request("noisy-citations", "em-gcn", {"perturb=30", settings});
    request.out = place / settings;
    const std::optional<double> trained = only_run(request).edge_auc;
    ASSERT_TRUE(trained);
    EXPECT_GT(*trained, 0.0);
    EXPECT_LT(*trained, 1.0);
    EXPECT_EQ(only_run(request).edge_auc, trained);
  }
}

}  // namespace
}  // namespace emgnn
