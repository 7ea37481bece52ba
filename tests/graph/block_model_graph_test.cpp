// SPDX-License-Identifier: Apache-2.0
#include <emgnn/graph/block_model_graph.h>

#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "../base/with_threads.h"

#include <emgnn/base/error.h>
#include <emgnn/graph/node_pair.h>

namespace emgnn {
namespace {

// Node i belongs to community i mod 3: neighbours in number are of different ones.
std::vector<int32_t> by_turns(int32_t num_nodes) {
  std::vector<int32_t> out;
  for (int32_t i = 0; i < num_nodes; ++i) out.push_back(i % 3);
  return out;
}

// How many pairs there are inside each of three communities, and across them.
std::vector<double> pairs_of(const std::vector<int32_t>& community) {
  std::vector<double> size(3), out;
  for (const int32_t c : community) size[static_cast<size_t>(c)] += 1.0;
  const auto n = static_cast<double>(community.size());
  double inside = 0.0;
  for (const double s : size) {
    out.push_back(s * (s - 1.0) / 2.0);
    inside += out.back();
  }
  out.push_back(n * (n - 1.0) / 2.0 - inside);
  return out;
}

std::vector<double> links_of(const Csr& graph, const std::vector<int32_t>& community) {
  std::vector<double> out(4);
  for (const auto [u, v] : undirected_edges(graph)) {
    const int32_t a = community[static_cast<size_t>(u)], b = community[static_cast<size_t>(v)];
    out[a == b ? static_cast<size_t>(a) : 3] += 1.0;
  }
  return out;
}

const std::vector<double> kStrengths = {0.3, 0.1, 0.02};
constexpr double kCross = 0.01;

double probability(size_t part) { return part < 3 ? kStrengths[part] : kCross; }

// A count is Binomial(n, p). Over D draws the mean has the deviation √(n p (1 − p) / D), and the
// variance the relative deviation √(2 / D) or a little more; five of each are allowed.
TEST(BlockModelGraph, LinksInsideAndAcrossCommunitiesAreBinomial) {
  constexpr int kDraws = 400;
  const std::vector<int32_t> community = by_turns(90);
  const std::vector<double> pairs = pairs_of(community);
  std::vector<double> sum(4), squares(4);
  for (int d = 0; d < kDraws; ++d) {
    const Csr graph = sample_graph(community, kStrengths, kCross, 5, static_cast<uint64_t>(d));
    const std::vector<double> links = links_of(graph, community);
    for (size_t part = 0; part < 4; ++part) {
      sum[part] += links[part];
      squares[part] += links[part] * links[part];
    }
  }
  for (size_t part = 0; part < 4; ++part) {
    const double p = probability(part), variance = pairs[part] * p * (1.0 - p);
    const double mean = sum[part] / kDraws;
    EXPECT_NEAR(mean, pairs[part] * p, 5.0 * std::sqrt(variance / kDraws)) << part;
    EXPECT_NEAR((squares[part] / kDraws - mean * mean) / variance, 1.0,
                5.0 * std::sqrt(2.1 / kDraws))
        << part;
  }
}

// So many links that they are drawn in several pieces.
TEST(BlockModelGraph, LargeGraphsHaveAsManyLinksForAnyNumberOfThreads) {
  const std::vector<int32_t> community = by_turns(3000);
  const auto draw = [&] { return sample_graph(community, kStrengths, kCross, 5, 1); };
  const Csr graph = with_threads(1, draw), other = with_threads(4, draw);
  EXPECT_EQ(graph.rowptr, other.rowptr);
  EXPECT_EQ(graph.col, other.col);
  const std::vector<double> pairs = pairs_of(community), links = links_of(graph, community);
  for (size_t part = 0; part < 4; ++part) {
    const double p = probability(part);
    EXPECT_GT(pairs[part] * p, 4096.0) << part;
    EXPECT_NEAR(links[part], pairs[part] * p, 5.0 * std::sqrt(pairs[part] * p * (1.0 - p))) << part;
  }
}

TEST(BlockModelGraph, EveryPairOccursAsOftenAsItShouldAndNoneTwice) {
  constexpr int kDraws = 600;
  const std::vector<int32_t> community = by_turns(13);
  const std::vector<double> strengths = {0.5, 0.4, 0.6};
  constexpr double kAcross = 0.3;
  std::map<NodePair, double> seen;
  for (int d = 0; d < kDraws; ++d) {
    const Csr graph = sample_graph(community, strengths, kAcross, 9, static_cast<uint64_t>(d));
    EXPECT_TRUE(is_symmetric(graph));
    EXPECT_TRUE(graph.val.empty());
    EXPECT_EQ(remove_diagonal(graph).num_entries(), graph.num_entries());
    for (int32_t i = 0; i < graph.num_rows; ++i)
      for (size_t e = 1; e < graph.row(i).col.size(); ++e)
        EXPECT_LT(graph.row(i).col[e - 1], graph.row(i).col[e]);
    for (const NodePair pair : undirected_edges(graph)) seen[pair] += 1.0;
  }
  EXPECT_EQ(seen.size(), 13U * 12U / 2U);
  for (const auto& [pair, count] : seen) {
    const int32_t a = community[static_cast<size_t>(pair.u)];
    const double p =
        a == community[static_cast<size_t>(pair.v)] ? strengths[static_cast<size_t>(a)] : kAcross;
    EXPECT_NEAR(count, kDraws * p, 5.0 * std::sqrt(kDraws * p * (1.0 - p)));
  }
}

TEST(BlockModelGraph, ProbabilitiesOfZeroAndOneAreCertain) {
  const std::vector<int32_t> community = {0, 1, 0, 1, 0, 2};
  const std::vector<double> strengths = {1.0, 0.0, 1.0, 0.5};  // nobody is in the last
  const Csr graph = sample_graph(community, strengths, 0.0, 1, 0);
  EXPECT_EQ(undirected_edges(graph), (std::vector<NodePair>{{0, 2}, {0, 4}, {2, 4}}));
}

TEST(BlockModelGraph, DrawsDiffer) {
  const std::vector<int32_t> community = by_turns(90);
  const auto draw = [&](uint64_t seed, uint64_t number) {
    return sample_graph(community, kStrengths, kCross, seed, number).col;
  };
  EXPECT_EQ(draw(1, 1), draw(1, 1));
  EXPECT_NE(draw(1, 1), draw(1, 2));
  EXPECT_NE(draw(1, 1), draw(2, 1));
}

TEST(BlockModelGraph, MoreLinksThanAMatrixHoldsAreRefused) {
  const std::vector<int32_t> community(100'000, 0);
  EXPECT_THROW(sample_graph(community, std::vector<double>{0.9}, 0.1, 1, 0), UsageError);
}

}  // namespace
}  // namespace emgnn
