// SPDX-License-Identifier: Apache-2.0
#include <emgnn/space/edge_score.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "../base/with_threads.h"
#include "small_graph.h"

namespace emgnn {
namespace {

using Dense = std::vector<std::vector<double>>;

Dense unit_rows_of(const Features& x) {
  Dense out(static_cast<size_t>(x.num_rows), std::vector<double>(static_cast<size_t>(x.num_cols)));
  for (int32_t i = 0; i < x.num_rows; ++i) {
    std::vector<double>& row = out[static_cast<size_t>(i)];
    double square = 0.0;
    for (int32_t c = 0; c < x.num_cols; ++c) {
      row[static_cast<size_t>(c)] = x.dense[static_cast<size_t>(i * x.num_cols + c)];
      square += row[static_cast<size_t>(c)] * row[static_cast<size_t>(c)];
    }
    for (double& v : row) v /= square > 0.0 ? std::sqrt(square) : 1.0;
  }
  return out;
}

double dot(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0.0;
  for (size_t c = 0; c < a.size(); ++c) sum += a[c] * b[c];
  return sum;
}

// cos(i, Σ of j's neighbours without i)
double to_neighbours(const Dense& u, const Csr& graph, int32_t i, int32_t j) {
  std::vector<double> sum(u[0].size());
  for (const int32_t k : graph.row(j).col)
    for (size_t c = 0; c < sum.size() && k != i; ++c) sum[c] += u[static_cast<size_t>(k)][c];
  const double size = std::sqrt(dot(sum, sum));
  return size > 1e-4 ? dot(u[static_cast<size_t>(i)], sum) / size : 0.0;
}

Features sparse_copy(const Features& x) {
  Features out{.num_rows = x.num_rows, .num_cols = x.num_cols, .is_sparse = true};
  Coo coo;
  for (int32_t i = 0; i < x.num_rows; ++i) {
    for (int32_t c = 0; c < x.num_cols; ++c) {
      coo.row.push_back(i);
      coo.col.push_back(c);
      coo.val.push_back(x.dense[static_cast<size_t>(i * x.num_cols + c)]);
    }
  }
  out.sparse = csr_from_coo(x.num_rows, x.num_cols, coo, Duplicates::kSum);
  return out;
}

TEST(PairFeatures, AreTheirDefinitionsWhetherThePairIsAnEdgeOrNot) {
  constexpr int32_t kNodes = 25;
  const Csr graph = small_graph(kNodes, 1, 40, 5).relations[0].adjacency;
  const Csr pairs = small_graph(kNodes, 1, 60, 6).relations[0].adjacency;
  Features x = random_features(kNodes, 4, 7);
  std::fill_n(x.dense.begin(), 4, 0.0F);  // a node without features
  const Dense u = unit_rows_of(x);
  const PairFeatures dense = pair_features(x, graph, pairs);
  const PairFeatures sparse = pair_features(sparse_copy(x), graph, pairs);
  // Features and results are floats, a sum has at most 25 terms of size 1.
  constexpr double kRounding = 32 * 0x1.0p-24;
  int64_t edges = 0;
  for (int32_t i = 0; i < kNodes; ++i) {
    const std::span<const int32_t> near = graph.row(i).col;
    for (const auto [e, j] : pairs.row(i)) {
      const auto at = static_cast<size_t>(e);
      edges += std::binary_search(near.begin(), near.end(), j) ? 1 : 0;
      const double cosine = dot(u[static_cast<size_t>(i)], u[static_cast<size_t>(j)]);
      EXPECT_NEAR(dense.cosine[at], cosine, kRounding);
      EXPECT_NEAR(sparse.cosine[at], cosine, kRounding);
      const double around = 0.5 * (to_neighbours(u, graph, i, j) + to_neighbours(u, graph, j, i));
      EXPECT_NEAR(dense.neighbourhood[at], around, 1e-3);
      EXPECT_NEAR(sparse.neighbourhood[at], around, 1e-3);
      std::vector<int32_t> common;
      std::set_intersection(near.begin(), near.end(), graph.row(j).col.begin(),
                            graph.row(j).col.end(), std::back_inserter(common));
      EXPECT_FLOAT_EQ(dense.common[at],
                      static_cast<float>(std::log1p(static_cast<double>(common.size()))));
    }
  }
  EXPECT_GT(edges, 0);
  EXPECT_LT(edges, pairs.num_entries());
}

// Two groups of nodes with words of their own; edges within them, and some between any two.
struct Planted {
  Features x;
  Csr graph;
  std::vector<uint8_t> planted;  // [entries]
};

Planted planted_graph(bool telling_features) {
  constexpr int32_t kNodes = 300, kWords = 40;
  Rng rng(1, Stream::kTest);
  Planted out;
  out.x = {.num_rows = kNodes, .num_cols = kWords, .is_sparse = false};
  for (int32_t i = 0; i < kNodes; ++i) {
    const bool second = i >= kNodes / 2 && telling_features;
    for (int32_t c = 0; c < kWords; ++c) {
      const double p = (c >= kWords / 2) == second ? 0.3 : 0.05;
      out.x.dense.push_back(rng.uniform(0.0, 1.0) < p ? 1.0F : 0.0F);
    }
  }
  std::set<std::pair<int32_t, int32_t>> random;
  Coo coo;
  const auto node = [&](int32_t first, int32_t count) {
    return first + static_cast<int32_t>(rng.below(static_cast<uint64_t>(count)));
  };
  for (int k = 0; k < 1200; ++k) {
    const bool planted = k % 4 == 0;
    const int32_t group = planted ? 0 : node(0, 2) * (kNodes / 2);
    const int32_t i = node(group, planted ? kNodes : kNodes / 2);
    const int32_t j = node(group, planted ? kNodes : kNodes / 2);
    coo.row.push_back(i);
    coo.col.push_back(j);
    if (planted) random.insert(std::minmax(i, j));
  }
  out.graph =
      remove_diagonal(symmetrise(csr_from_coo(kNodes, kNodes, coo, Duplicates::kKeepFirst)));
  for (int32_t i = 0; i < kNodes; ++i)
    for (const int32_t j : out.graph.row(i).col)
      out.planted.push_back(random.contains(std::minmax(i, j)) ? 1 : 0);
  return out;
}

// Half of the random edges are within a group, as good as real ones: of the pairs of a real and a
// planted edge that differ at all half do, so that a perfect score has an area of 0.75.
TEST(EdgeScores, TellPlantedEdgesFromRealOnes) {
  const Planted p = planted_graph(true);
  const std::vector<float> score = edge_scores(p.x, p.graph, p.graph);
  double above = 0.0, pairs = 0.0;
  for (size_t a = 0; a < score.size(); ++a) {
    for (size_t b = 0; b < score.size(); ++b) {
      if (p.planted[a] != 0 || p.planted[b] == 0) continue;
      pairs += 1.0;
      above += score[a] > score[b] ? 1.0 : score[a] == score[b] ? 0.5 : 0.0;
    }
  }
  EXPECT_GT(above / pairs, 0.68);
}

// 2,200 entries and as many random pairs determine a coefficient to about 1/√(n p q) of the
// feature's deviation: log-odds of a feature that says nothing are below a few tenths.
TEST(EdgeScores, SayNothingWhereTheFeaturesDoNot) {
  const Planted p = planted_graph(false);
  Csr shuffled;  // edges at random, too
  {
    Rng rng(2, Stream::kTest);
    Coo coo;
    for (int k = 0; k < 1200; ++k) {
      coo.row.push_back(static_cast<int32_t>(rng.below(300)));
      coo.col.push_back(static_cast<int32_t>(rng.below(300)));
    }
    shuffled = remove_diagonal(symmetrise(csr_from_coo(300, 300, coo, Duplicates::kKeepFirst)));
  }
  double square = 0.0;
  const std::vector<float> score = edge_scores(p.x, shuffled, shuffled);
  for (const float s : score) square += s * s / static_cast<double>(score.size());
  EXPECT_LT(std::sqrt(square), 0.3);
}

TEST(EdgeScores, AreTheSameWithAnyNumberOfThreadsAndBothWays) {
  const Planted p = planted_graph(true);
  const auto scores = [&] { return edge_scores(p.x, p.graph, p.graph); };
  const std::vector<float> one = with_threads(1, scores);
  EXPECT_EQ(with_threads(3, scores), one);
  const Transposed back = transpose(p.graph);
  for (size_t e = 0; e < one.size(); ++e)
    EXPECT_NEAR(one[e], one[static_cast<size_t>(back.entry[e])], 1e-5);
}

TEST(EdgeScores, OfAGraphWithoutEdgesAreZero) {
  Csr none{.num_rows = 3, .num_cols = 3, .rowptr = {0, 0, 0, 0}};
  const Csr pair = csr_from_coo(3, 3, {.row = {0}, .col = {1}, .val = {}}, Duplicates::kSum);
  EXPECT_EQ(edge_scores(random_features(3, 2, 1), none, pair), std::vector<float>{0.0F});
}

}  // namespace
}  // namespace emgnn
