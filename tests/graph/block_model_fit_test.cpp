// SPDX-License-Identifier: Apache-2.0
#include <emgnn/graph/block_model_fit.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "../base/with_threads.h"

#include <emgnn/graph/block_model_graph.h>

namespace emgnn {
namespace {

constexpr double kStep = 1e-6;       // of a finite difference, relative
constexpr double kTolerance = 1e-6;  // its error is kStep² and rounding / kStep

// Blocks of nodes one after the other.
std::vector<int32_t> in_blocks(int32_t num_nodes, int32_t num_communities) {
  std::vector<int32_t> out;
  for (int32_t i = 0; i < num_nodes; ++i) out.push_back(i * num_communities / num_nodes);
  return out;
}

double probability_of(const BlockModel& model, int32_t a, int32_t b) {
  const std::vector<double> pi = model.memberships(), beta = model.strengths();
  const auto row = [&](int32_t i) {
    return std::span(pi).subspan(static_cast<size_t>(i) * beta.size(), beta.size());
  };
  return link_probability(row(a), row(b), beta, model.cross);
}

double log_likelihood(const BlockModel& model, int32_t node, const Partners& partners) {
  double sum = 0.0;
  for (const int32_t b : partners.links) sum += std::log(probability_of(model, node, b));
  for (const int32_t b : partners.others)
    sum += partners.weight * std::log(1.0 - probability_of(model, node, b));
  return sum;
}

// x ∂f/∂x of one of the model's numbers.
template <class Value>
double scaled_slope(BlockModel model, std::vector<double> BlockModel::*part, size_t at,
                    const Value& value) {
  const double x = (model.*part)[at];
  (model.*part)[at] = x * (1.0 + kStep);
  const double above = value(model);
  (model.*part)[at] = x * (1.0 - kStep);
  return (above - value(model)) / (2.0 * kStep);
}

// Few communities, and more than loops are unrolled for.
class BlockModelSlopes : public testing::TestWithParam<int64_t> {
 protected:
  int64_t width() const { return GetParam(); }
};

TEST_P(BlockModelSlopes, OfMembershipsAreThoseOfTheLogLikelihood) {
  const BlockModel model = random_block_model(9, width(), 0.03, 4);
  const std::vector<int32_t> links = {1, 5, 8};
  const Partners partners{.links = links, .others = {0, 3, 4, 3}, .weight = 2.5};
  const std::vector<double> slope =
      membership_slope(model.memberships(), model.strengths(), model.cross, 2, partners);
  for (size_t k = 0; k < slope.size(); ++k) {
    const double want =
        scaled_slope(model, &BlockModel::phi, 2 * slope.size() + k,
                     [&](const BlockModel& m) { return log_likelihood(m, 2, partners); });
    EXPECT_NEAR(slope[k], want, kTolerance * std::max(1.0, std::abs(want))) << k;
  }
}

TEST_P(BlockModelSlopes, OfStrengthsAreThoseOfTheLogLikelihood) {
  constexpr double kWeight = 3.5;
  const BlockModel model = random_block_model(9, width(), 0.03, 5);
  const std::vector<NodePair> links = {{0, 1}, {2, 7}, {3, 4}}, others = {{0, 2}, {5, 6}, {5, 8}};
  const auto value = [&](const BlockModel& m) {
    double sum = 0.0;
    for (const auto [u, v] : links) sum += std::log(probability_of(m, u, v));
    for (const auto [u, v] : others) sum += kWeight * std::log(1.0 - probability_of(m, u, v));
    return sum;
  };
  const std::vector<double> pi = model.memberships(), beta = model.strengths();
  std::vector<double> unlinked = expected_meetings(pi, beta, model.cross, false, others);
  for (double& r : unlinked) r *= kWeight;
  const std::vector<double> slope =
      strength_slope(beta, expected_meetings(pi, beta, model.cross, true, links), unlinked);
  for (size_t k = 0; k < slope.size(); ++k) {
    const double up = scaled_slope(model, &BlockModel::theta, 2 * k + 1, value);
    const double down = scaled_slope(model, &BlockModel::theta, 2 * k, value);
    EXPECT_NEAR(slope[k], up, kTolerance * std::max(1.0, std::abs(up))) << k;
    EXPECT_NEAR(-slope[k], down, kTolerance * std::max(1.0, std::abs(down))) << k;
  }
}

INSTANTIATE_TEST_SUITE_P(Communities, BlockModelSlopes, testing::Values(2, 3, 7, 9));

// A graph of a known model, and a fit of it from memberships of which a quarter is wrong.
struct KnownModel {
  static constexpr int32_t kNodes = 320, kCommunities = 4;
  const std::vector<double> strengths = {0.3, 0.25, 0.2, 0.15};
  const std::vector<int32_t> community = in_blocks(kNodes, kCommunities);
  const Csr graph = sample_graph(community, strengths, 0.01, 3, 0);

  BlockModel fitted(int64_t batch, double rate, uint64_t iterations) const {
    const BlockModelFit fit(graph, {.batch = batch});
    std::vector<double> start;
    for (int32_t i = 0; i < kNodes; ++i) {
      const int32_t held = (community[static_cast<size_t>(i)] + (i % 4 == 0 ? 1 : 0)) % 4;
      for (int32_t k = 0; k < kCommunities; ++k) start.push_back(k == held ? 0.7 : 0.1);
    }
    BlockModel model = random_block_model(kNodes, kCommunities, 0.01, 7);
    restart(model, graph, start);
    for (uint64_t t = 0; t < iterations; ++t)
      fit.step(model, rate / std::sqrt(1024.0 + static_cast<double>(t)), 11, t);
    return model;
  }
};

// Memberships stay mixed, π_a = 0.95 or so in a node's own community, and β makes up for that: what
// is known of a community is the mean probability of a link inside it. Fitted, it is the share of
// pairs that are linked, √(β (1 − β) / pairs) from the true β; five of these are allowed.
TEST(BlockModelFit, FindsMembershipsAndStrengthsOfAKnownModel) {
  const KnownModel known;
  const BlockModel model = known.fitted(500, 0.1, 1000);
  const std::vector<double> pi = model.memberships(), beta = model.strengths();
  EXPECT_EQ(communities_of(pi, 4), known.community);
  const auto row = [&](size_t i) { return std::span(pi).subspan(4 * i, 4); };
  for (size_t k = 0; k < 4; ++k) {
    double sum = 0.0, pairs = 0.0;
    for (size_t a = 80 * k; a < 80 * (k + 1); ++a) {
      for (size_t b = a + 1; b < 80 * (k + 1); ++b) {
        sum += link_probability(row(a), row(b), beta, model.cross);
        pairs += 1.0;
      }
    }
    const double want = known.strengths[k];
    EXPECT_NEAR(sum / pairs, want, 5.0 * std::sqrt(want * (1.0 - want) / pairs)) << k;
  }
}

TEST(BlockModelFit, FindsMembershipsFromSomeNodesAndPairsAtATime) {
  const KnownModel known;
  EXPECT_EQ(communities_of(known.fitted(100, 1.0, 500).memberships(), 4), known.community);
}

TEST(BlockModelFit, ARestartKeepsTheScales) {
  const std::vector<int32_t> community = in_blocks(30, 3);
  const Csr graph = sample_graph(community, std::vector<double>{0.5, 0.5, 0.0}, 0.05, 3, 0);
  BlockModel model = random_block_model(30, 3, 0.01, 7);
  const BlockModel before = model;
  std::vector<double> start;
  for (int32_t i = 0; i < 30; ++i)
    for (int32_t k = 0; k < 3; ++k)
      start.push_back(community[static_cast<size_t>(i)] == k ? 0.8 : 0.1);
  restart(model, graph, start);
  const std::vector<double> pi = model.memberships();
  for (size_t i = 0; i < start.size(); ++i) EXPECT_NEAR(pi[i], start[i], 1e-15);
  for (size_t a = 0; a < 30; ++a) {
    const auto sum = [&](const BlockModel& m) {
      return m.phi[3 * a] + m.phi[3 * a + 1] + m.phi[3 * a + 2];
    };
    EXPECT_NEAR(sum(model), sum(before), 1e-14 * sum(before));
  }
  double links = 0.0;
  for (const auto [u, v] : undirected_edges(graph)) links += v < 10 ? 1.0 : 0.0;
  EXPECT_NEAR(model.strengths()[0], 2.0 * links / 101.0, 1e-15);
  EXPECT_NEAR(model.theta[0] + model.theta[1], before.theta[0] + before.theta[1], 1e-14);
}

TEST(BlockModelFit, AGraphNoLargerThanABatchIsNotSampledFrom) {
  const Csr graph = sample_graph(in_blocks(40, 2), std::vector<double>{0.4, 0.3}, 0.05, 3, 0);
  const BlockModelFit fit(graph, {.batch = 40});
  const Partners partners = fit.partners(7, 1);
  EXPECT_EQ(partners.links.size() + partners.others.size(), 39U);
  EXPECT_EQ(partners.weight, 1.0);
  BlockModel one = random_block_model(40, 2, 0.01, 7), other = one;
  fit.step(one, 0.1, 1, 0);
  fit.step(other, 0.1, 2, 5);
  EXPECT_EQ(one.phi, other.phi);
  EXPECT_EQ(one.theta, other.theta);
}

// Over the draws the mean slope is that of all partners; its deviation is estimated from them.
TEST(BlockModelFit, SampledPartnersStandForAll) {
  constexpr int kDraws = 2000;
  const Csr graph = sample_graph(in_blocks(300, 3), std::vector<double>{0.1, 0.1, 0.1}, 0.02, 3, 0);
  const BlockModelFit some(graph, {.batch = 50}), all(graph, {.batch = 300});
  const BlockModel model = random_block_model(300, 3, 0.05, 7);
  const auto slope = [&](const BlockModelFit& fit, uint64_t draw) {
    return membership_slope(model.memberships(), model.strengths(), model.cross, 17,
                            fit.partners(17, draw));
  };
  const std::vector<double> want = slope(all, 0);
  std::vector<double> sum(3), squares(3);
  for (int d = 0; d < kDraws; ++d) {
    const std::vector<double> one = slope(some, static_cast<uint64_t>(d));
    for (size_t k = 0; k < 3; ++k) {
      sum[k] += one[k] / kDraws;
      squares[k] += one[k] * one[k] / kDraws;
    }
  }
  for (size_t k = 0; k < 3; ++k)
    EXPECT_NEAR(sum[k], want[k], 5.0 * std::sqrt((squares[k] - sum[k] * sum[k]) / kDraws)) << k;
}

// All links, and still some of the nodes that it is not linked to.
TEST(BlockModelFit, AHubHasPartnersThatItIsNotLinkedTo) {
  constexpr int32_t kNodes = 1500, kDegree = 1200;
  Coo coo;
  for (int32_t b = 1; b <= kDegree; ++b) {
    coo.row.insert(coo.row.end(), {0, b});
    coo.col.insert(coo.col.end(), {b, 0});
  }
  const BlockModelFit fit(csr_from_coo(kNodes, kNodes, coo, Duplicates::kKeepFirst),
                          {.batch = 100});
  const Partners partners = fit.partners(0, 3);
  EXPECT_EQ(partners.links.size(), static_cast<size_t>(kDegree));
  EXPECT_EQ(partners.others.size(), 10U);
  for (const int32_t b : partners.others) EXPECT_GT(b, kDegree);
  EXPECT_EQ(partners.weight, 29.9);
  BlockModel model = random_block_model(kNodes, 3, 1e-4, 7);
  for (uint64_t t = 0; t < 50; ++t) fit.step(model, 0.3, 1, t);
  for (const double x : model.phi) EXPECT_TRUE(std::isfinite(x) && x > 0.0);
  for (const double x : model.theta) EXPECT_TRUE(std::isfinite(x) && x > 0.0);
}

TEST(BlockModelFit, GraphsWithoutAnyOrWithEveryLinkAreFitted) {
  for (const double density : {0.0, 1.0}) {
    const Csr graph = sample_graph(in_blocks(60, 1), std::vector<double>{density}, 0.0, 3, 0);
    for (const int64_t batch : {10, 100}) {
      const BlockModelFit fit(graph, {.batch = batch});
      BlockModel model = random_block_model(60, 2, 1e-4, 7);
      for (uint64_t t = 0; t < 20; ++t) fit.step(model, 0.3, 1, t);
      for (const double x : model.memberships()) EXPECT_TRUE(std::isfinite(x));
      for (const double x : model.strengths()) EXPECT_TRUE(std::isfinite(x));
    }
  }
}

TEST(BlockModelFit, BitsDoNotDependOnThreads) {
  const Csr graph =
      sample_graph(in_blocks(1500, 3), std::vector<double>{0.02, 0.03, 0.01}, 0.001, 3, 0);
  const BlockModelFit fit(graph, {.batch = 100});
  const auto fitted = [&] {
    BlockModel model = random_block_model(1500, 3, 1e-4, 7);
    for (uint64_t t = 0; t < 20; ++t) fit.step(model, 0.3, 1, t);
    return model;
  };
  const BlockModel one = with_threads(1, fitted), several = with_threads(4, fitted);
  EXPECT_EQ(one.phi, several.phi);
  EXPECT_EQ(one.theta, several.theta);
}

}  // namespace
}  // namespace emgnn
