// SPDX-License-Identifier: Apache-2.0
// Whether the graphs that training prefers predict best: asked for, stored, never with a hidden
// test.
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include <emgnn/run/fit.h>
#include "run/small_run.h"

namespace emgnn {
namespace {

using testing::message_of;
using testing::small_request;
using testing::SmallGraph;
using testing::Workplace;

RunRecord only_run(const RunRequest& request) {
  RunsObserver quiet;
  return fit_runs(request, quiet).runs.at(0);
}

TEST(GraphRank, IsComputedWhereItIsAskedForAndReadBack) {
  const Workplace place;
  // One of its relations helps and the other does not: graphs differ on the test.
  RunRequest request = small_request("noisy-relations", "em-gcn");
  const RunRecord plain = only_run(request);
  EXPECT_FALSE(plain.graph_rank);
  request.rank_graphs = true;
  request.out = place / "out";
  const RunRecord run = only_run(request);
  ASSERT_TRUE(run.graph_rank && run.graph_rank->correlation);
  EXPECT_EQ(run.graph_rank->graphs, static_cast<int64_t>(run.graphs->points.size()));
  EXPECT_LE(std::abs(*run.graph_rank->correlation), 1.0);
  EXPECT_EQ(run.test->at("nll"), plain.test->at("nll"));
  const RunRecord again = only_run(request);
  EXPECT_EQ(again.graph_rank->graphs, run.graph_rank->graphs);
  EXPECT_EQ(again.graph_rank->correlation, run.graph_rank->correlation);
}

TEST(GraphRank, OfAMethodWithoutADistributionIsEmpty) {
  const Workplace place;
  RunRequest request =
      small_request(SmallGraph{}.write(place, "g"), "gcn", {"space.mixing=learned"});
  request.rank_graphs = true;
  request.out = place / "out";
  for (int time = 0; time < 2; ++time) {  // trained, then read back
    const RunRecord run = only_run(request);
    ASSERT_TRUE(run.graph_rank);
    EXPECT_EQ(run.graph_rank->graphs, 0);
    EXPECT_FALSE(run.graph_rank->correlation);
    ASSERT_EQ(run.fit.shares.size(), 3U);
    EXPECT_EQ(run.fit.shares[2].name, "none");
  }
}

TEST(GraphRank, OfAnEnsembleIsThatOfWhatItsMembersSay) {
  RunRequest request = small_request("noisy-relations", "em-gcn", {"ensemble=2"});
  request.rank_graphs = true;
  const RunRecord run = only_run(request);
  ASSERT_TRUE(run.graph_rank && run.graph_rank->correlation);
  EXPECT_EQ(run.graph_rank->graphs, static_cast<int64_t>(run.graphs->points.size()));
  EXPECT_GT(*run.graph_rank->correlation, 0.0);  // one of the relations misleads
}

TEST(GraphRank, NeedsTheTest) {
  const Workplace place;
  RunRequest request = small_request(SmallGraph{}.write(place, "g"), "em-gcn");
  request.rank_graphs = request.hide_test = true;
  EMGNN_EXPECT_PART(message_of<UsageError>([&] { only_run(request); }), "which --hide-test hides");
}

TEST(GraphRank, AFolderWithoutItIsRefused) {
  const Workplace place;
  RunRequest request = small_request(SmallGraph{}.write(place, "g"), "em-gcn");
  request.out = place / "out";
  only_run(request);
  request.rank_graphs = true;
  EMGNN_EXPECT_PART(message_of<UsageError>([&] { only_run(request); }),
                    "without comparing its graphs; choose another --out");
}

TEST(GraphRank, AHiddenTestHidesItToo) {
  const Workplace place;
  RunRequest request = small_request(SmallGraph{}.write(place, "g"), "em-gcn");
  request.out = place / "out";
  request.rank_graphs = true;
  only_run(request);
  request.rank_graphs = false;
  request.hide_test = true;
  EXPECT_FALSE(only_run(request).graph_rank);
}

}  // namespace
}  // namespace emgnn
