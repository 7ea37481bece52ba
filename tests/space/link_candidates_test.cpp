// SPDX-License-Identifier: Apache-2.0
#include <emgnn/space/link_candidates.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include <emgnn/data/generators.h>
#include "../base/with_threads.h"

namespace emgnn {
namespace {

using Pairs = std::set<std::pair<int32_t, int32_t>>;

Dataset small(bool dense) {
  Dataset data = noisy_citations({.num_nodes = 80,
                                  .num_classes = 3,
                                  .num_words = 40,
                                  .words_per_node = 8,
                                  .train_per_class = 5,
                                  .validation_per_class = 5},
                                 4);
  if (!dense) return data;
  Features& x = data.features;
  x.dense.assign(static_cast<size_t>(x.num_rows) * static_cast<size_t>(x.num_cols), 0.0F);
  for (int32_t i = 0; i < x.num_rows; ++i)
    for (const auto [e, c] : x.sparse.row(i))
      x.dense[static_cast<size_t>(i * x.num_cols + c)] = x.sparse.value(e);
  x.is_sparse = false;
  return data;
}

double value(const Features& x, int32_t i, int32_t c) {
  if (!x.is_sparse) return x.dense[static_cast<size_t>(i * x.num_cols + c)];
  for (const auto [e, col] : x.sparse.row(i))
    if (col == c) return x.sparse.value(e);
  return 0.0;
}

double dot(const Features& x, int32_t i, int32_t j) {
  double sum = 0.0;
  for (int32_t c = 0; c < x.num_cols; ++c) sum += value(x, i, c) * value(x, j, c);
  return sum;
}

Pairs listed(const Csr& a) {
  Pairs out;
  for (int32_t i = 0; i < a.num_rows; ++i)
    for (const int32_t j : a.row(i).col) out.insert({i, j});
  return out;
}

// Every pair with every other: i's nearest by cosine, ties to the smaller number.
Pairs brute_force(const Dataset& data, int64_t nearest) {
  const Features& x = data.features;
  const Csr& graph = data.graph.relations[0].adjacency;
  Pairs out;
  for (int32_t i = 0; i < x.num_rows; ++i) {
    for (const int32_t j : graph.row(i).col)
      if (j > i) out.insert({i, j});
    if (nearest == 0) continue;
    out.insert({i, i});
    std::vector<std::pair<int64_t, int32_t>> others;
    for (int32_t j = 0; j < x.num_rows; ++j) {
      const double cosine = dot(x, i, j) / std::sqrt(dot(x, i, i) * dot(x, j, j));
      if (j != i && cosine > 0.0) others.emplace_back(-std::llround(cosine * 1e6), j);
    }
    std::sort(others.begin(), others.end());
    others.resize(std::min(others.size(), static_cast<size_t>(nearest - 1)));
    for (const auto& [_, j] : others)
      if (j > i) out.insert({i, j});
  }
  return out;
}

TEST(LinkCandidates, AreNeighboursAndTheNearestOfTheSmallerNode) {
  for (const bool dense : {false, true}) {
    const Dataset data = small(dense);
    const Pairs edges = brute_force(data, 0);
    for (const int64_t nearest : {0, 1, 6, 100}) {
      const LinkCandidates got = link_candidates(data, nearest);
      EXPECT_EQ(listed(got.pairs), brute_force(data, nearest)) << nearest;
      EXPECT_EQ(got.loops, nearest > 0);
      Pairs observed;
      for (int32_t i = 0; i < got.pairs.num_rows; ++i)
        for (const auto [e, j] : got.pairs.row(i))
          if (got.observed[static_cast<size_t>(e)] != 0) observed.insert({i, j});
      EXPECT_EQ(observed, edges) << nearest;
    }
  }
}

TEST(LinkCandidates, EdgeTypesAreJoinedInBothDirections) {
  const Dataset data = noisy_relations({.num_items = 60,
                                        .num_people = 30,
                                        .num_places = 15,
                                        .train_per_class = 4,
                                        .validation_per_class = 4},
                                       1);
  Pairs want;
  for (const Relation& relation : data.graph.relations)
    for (const auto& [i, j] : listed(relation.adjacency))
      want.insert({std::min(i, j), std::max(i, j)});
  const LinkCandidates got = link_candidates(data, 0);
  EXPECT_EQ(listed(got.pairs), want);
  EXPECT_TRUE(is_symmetric(got.adjacency));
}

TEST(NonEdges, AreNeitherLoopsNorEdgesAndChangeWithTheStep) {
  const LinkCandidates links = link_candidates(small(false), 0);
  const Pairs edges = listed(links.adjacency);
  const auto draw = [&](uint64_t step) {
    return draw_non_edges(links.adjacency, 10, Rng(3, Stream::kNonEdges, step));
  };
  const Csr first = draw(0);
  for (const auto& [i, j] : listed(first)) {
    EXPECT_NE(i, j);
    EXPECT_FALSE(edges.contains({i, j}));
  }
  EXPECT_NE(first.col, draw(1).col);
  EXPECT_EQ(with_threads(3, [&] { return draw(0).col; }), first.col);
}

// A pair is in row i with probability q = 1 − (1 − 1/n)^draws in each step, independently; the count
// over `steps` steps has a deviation of √(steps q (1 − q)), and of some 6000 counts none is beyond
// 5.5 of them but with probability 3e-4.
TEST(NonEdges, AreUniformOverTheOtherNodes) {
  const LinkCandidates links = link_candidates(small(false), 0);
  constexpr int64_t kSteps = 2000, kDraws = 10;
  const auto n = static_cast<size_t>(links.adjacency.num_rows);
  std::vector<int64_t> count(n * n);
  for (uint64_t step = 0; step < kSteps; ++step)
    for (const auto& [i, j] :
         listed(draw_non_edges(links.adjacency, kDraws, Rng(3, Stream::kNonEdges, step))))
      ++count[static_cast<size_t>(i) * n + static_cast<size_t>(j)];
  const Pairs edges = listed(links.adjacency);
  const double q = 1.0 - std::pow(1.0 - 1.0 / static_cast<double>(n), double{kDraws});
  const double tolerance = 5.5 * std::sqrt(kSteps * q * (1.0 - q));
  for (size_t i = 0; i < n; ++i) {
    for (size_t j = 0; j < n; ++j) {
      const bool possible =
          i != j && !edges.contains({static_cast<int32_t>(i), static_cast<int32_t>(j)});
      EXPECT_NEAR(static_cast<double>(count[i * n + j]), possible ? kSteps * q : 0.0,
                  possible ? tolerance : 0.0);
    }
  }
}

TEST(SquaredDistances, MatchTheDifferencesOfTheFeatures) {
  for (const bool dense : {false, true}) {
    const Dataset data = small(dense);
    const Features& x = data.features;
    const LinkCandidates links = link_candidates(data, 30);
    const SquaredDistances distances(std::make_shared<const Features>(x));
    const std::vector<float> got = distances.of(links.pairs);
    for (int32_t i = 0; i < x.num_rows; ++i) {
      for (const auto [e, j] : links.pairs.row(i)) {
        double want = 0.0;
        for (int32_t c = 0; c < x.num_cols; ++c)
          want += std::pow(value(x, i, c) - value(x, j, c), 2.0);
        // Sums in float64 that are rounded once.
        EXPECT_NEAR(got[static_cast<size_t>(e)], want, 1e-7 * want + 1e-12);
      }
    }
    EXPECT_EQ(with_threads(3, [&] { return distances.of(links.pairs); }), got);
  }
}

}  // namespace
}  // namespace emgnn
