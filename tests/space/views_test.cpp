// SPDX-License-Identifier: Apache-2.0
#include <emgnn/space/views.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "../base/with_threads.h"
#include "same_csr.h"
#include "small_graph.h"

#include <emgnn/base/error.h>

namespace emgnn {
namespace {

using Dense = std::vector<std::vector<double>>;

constexpr double kFloatEps = 0x1.0p-24;  // what rounding to float may change
constexpr double kSumEps = 1e-12;        // a few hundred float64 operations, generously

Dense zeros(size_t n) { return Dense(n, std::vector<double>(n, 0.0)); }

Dense dense(const Csr& a) {
  Dense out = zeros(static_cast<size_t>(a.num_rows));
  for (int32_t i = 0; i < a.num_rows; ++i)
    for (const auto [e, j] : a.row(i))
      out[static_cast<size_t>(i)][static_cast<size_t>(j)] = a.value(e);
  return out;
}

Dense product(const Dense& a, const Dense& b) {
  Dense out = zeros(a.size());
  for (size_t i = 0; i < a.size(); ++i)
    for (size_t k = 0; k < a.size(); ++k)
      for (size_t j = 0; j < a.size(); ++j) out[i][j] += a[i][k] * b[k][j];
  return out;
}

// D⁻¹A; rows of zeros stay.
Dense row_normalised(Dense a) {
  for (std::vector<double>& row : a) {
    double sum = 0.0;
    for (double v : row) sum += v;
    for (double& v : row) v = sum > 0.0 ? v / sum : 0.0;
  }
  return a;
}

// Where `want` is not 0, and nowhere else, an entry of that value up to rounding to float.
void expect_entries(const Csr& got, const Dense& want) {
  ASSERT_EQ(static_cast<size_t>(got.num_rows), want.size());
  ASSERT_EQ(got.rowptr.size(), want.size() + 1);
  for (int32_t i = 0; i < got.num_rows; ++i) {
    const std::vector<double>& row = want[static_cast<size_t>(i)];
    std::vector<int32_t> there;
    for (size_t j = 0; j < row.size(); ++j)
      if (row[j] != 0.0) there.push_back(static_cast<int32_t>(j));
    const std::span<const int32_t> col = got.row(i).col;
    ASSERT_EQ(std::vector<int32_t>(col.begin(), col.end()), there) << "row " << i;
    for (const auto [e, j] : got.row(i)) {
      const double v = row[static_cast<size_t>(j)];
      EXPECT_NEAR(got.value(e), v, v * (kFloatEps + kSumEps)) << i << ", " << j;
    }
  }
}

// Weights all 1, as the views read a graph.
Csr random_graph(int32_t num_nodes, int num_edges, uint64_t seed) {
  Csr a = small_graph(num_nodes, 1, num_edges, seed).relations[0].adjacency;
  a.val.clear();
  return a;
}

// Each edge in one direction only.
Csr directed(const Csr& a) {
  Coo coo;
  for (int32_t i = 0; i < a.num_rows; ++i) {
    for (const int32_t j : a.row(i).col) {
      if (((i + j) % 2 == 0) != (i < j)) continue;
      coo.row.push_back(i);
      coo.col.push_back(j);
    }
  }
  return csr_from_coo(a.num_rows, a.num_cols, coo, Duplicates::kKeepFirst);
}

Features dense_features(const std::vector<std::vector<double>>& rows) {
  Features x{.num_rows = static_cast<int32_t>(rows.size()),
             .num_cols = static_cast<int32_t>(rows.front().size()),
             .is_sparse = false};
  for (const std::vector<double>& row : rows)
    for (double v : row) x.dense.push_back(static_cast<float>(v));
  return x;
}

// `zeros_stored`: zeros are entries, too.
Features sparse_features(const std::vector<std::vector<double>>& rows, bool zeros_stored = false) {
  Coo coo;
  for (size_t i = 0; i < rows.size(); ++i) {
    for (size_t c = 0; c < rows[i].size(); ++c) {
      if (rows[i][c] == 0.0 && !zeros_stored) continue;
      coo.row.push_back(static_cast<int32_t>(i));
      coo.col.push_back(static_cast<int32_t>(c));
      coo.val.push_back(static_cast<float>(rows[i][c]));
    }
  }
  Features x{.num_rows = static_cast<int32_t>(rows.size()),
             .num_cols = static_cast<int32_t>(rows.front().size())};
  x.sparse = csr_from_coo(x.num_rows, x.num_cols, coo, Duplicates::kSum);
  return x;
}

// Small whole numbers: many cosines are exactly equal. Every ninth row is zeros, some are multiples
// of others.
std::vector<std::vector<double>> whole_rows(size_t num_rows, size_t width, uint64_t seed) {
  std::vector<std::vector<double>> rows(num_rows, std::vector<double>(width));
  Rng rng(seed, Stream::kTest);
  for (size_t i = 0; i < num_rows; ++i) {
    if (i % 9 == 4) continue;
    for (double& v : rows[i]) v = static_cast<double>(rng.below(3));
    if (i % 5 != 3) continue;
    rows[i] = rows[i / 2];
    for (double& v : rows[i]) v *= 3.0;
  }
  return rows;
}

double dot(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0.0;
  for (size_t c = 0; c < a.size(); ++c) sum += a[c] * b[c];
  return sum;
}

// In whole numbers, where nothing is rounded: cos(x, a) > cos(x, b) for x·a, x·b > 0 exactly when
// (x·a)² b·b > (x·b)² a·a.
Dense exact_neighbours(const std::vector<std::vector<double>>& rows, size_t k) {
  Dense out = zeros(rows.size());
  for (size_t i = 0; i < rows.size(); ++i) {
    std::vector<size_t> others;
    for (size_t j = 0; j < rows.size(); ++j)
      if (j != i && dot(rows[i], rows[j]) > 0.0) others.push_back(j);
    std::stable_sort(others.begin(), others.end(), [&](size_t a, size_t b) {
      const double to_a = dot(rows[i], rows[a]), to_b = dot(rows[i], rows[b]);
      return to_a * to_a * dot(rows[b], rows[b]) > to_b * to_b * dot(rows[a], rows[a]);
    });
    others.resize(std::min(k, others.size()));
    for (size_t j : others) out[i][j] = out[j][i] = 1.0;
  }
  return out;
}

TEST(NearestNeighbours, HaveTheLargestCosinesAndTiesGoToTheSmallerNumber) {
  for (uint64_t seed : {1, 2, 3, 4}) {
    const auto rows = whole_rows(60, 5, seed);
    for (size_t k : {size_t{1}, size_t{2}, size_t{5}, size_t{59}, size_t{1000}}) {
      const Dense want = exact_neighbours(rows, k);
      const auto count = static_cast<int64_t>(k);
      expect_entries(nearest_neighbours(dense_features(rows), count), want);
      expect_entries(nearest_neighbours(sparse_features(rows), count), want);
      expect_entries(nearest_neighbours(sparse_features(rows, true), count), want);
    }
  }
}

TEST(NearestNeighbours, OfZerosOrOppositesAreNobody) {
  const auto rows = whole_rows(30, 4, 1);
  const Csr a = nearest_neighbours(dense_features(rows), 3);
  for (int32_t i = 4; i < 30; i += 9) EXPECT_TRUE(a.row(i).col.empty());
  EXPECT_EQ(nearest_neighbours(dense_features({{1, 0}, {0, 1}, {-1, -1}}), 2).num_entries(), 0);
  EXPECT_EQ(nearest_neighbours(dense_features({{0, 0}, {0, 0}}), 2).num_entries(), 0);
}

TEST(NearestNeighbours, OfRealFeaturesAreThoseOfADirectComparison) {
  const Features x = random_features(80, 6, 3);
  std::vector<std::vector<double>> rows(80);
  for (size_t i = 0; i < 80; ++i)
    for (size_t c = 0; c < 6; ++c) rows[i].push_back(x.dense[6 * i + c]);
  // Squares of cosines, as in exact_neighbours; no two of them are near each other.
  for (size_t k : {size_t{1}, size_t{4}, size_t{100}}) {
    const Dense want = exact_neighbours(rows, k);
    expect_entries(nearest_neighbours(x, static_cast<int64_t>(k)), want);
    expect_entries(nearest_neighbours(sparse_features(rows), static_cast<int64_t>(k)), want);
  }
}

TEST(TwoHop, IsTheSquareWithoutTheGraphAndTheDiagonal) {
  for (uint64_t seed : {1, 2, 3}) {
    const Csr graph = random_graph(50, 60, seed);
    for (const Csr& a : {graph, directed(graph)}) {
      const Dense one = dense(a), two = product(one, one);
      Dense want = zeros(50);
      for (size_t i = 0; i < 50; ++i)
        for (size_t j = 0; j < 50; ++j) want[i][j] = i != j && one[i][j] == 0.0 && two[i][j] > 0.0;
      expect_entries(two_hop(a), want);
    }
  }
}

TEST(Metapath, IsTheProductOfItsSteps) {
  constexpr size_t kNodes = 45;
  const Csr graph = random_graph(kNodes, 120, 5);
  std::vector<int32_t> type;
  Rng rng(6, Stream::kTest);
  for (size_t i = 0; i < kNodes; ++i) type.push_back(static_cast<int32_t>(rng.below(3)));
  const std::vector<std::vector<int32_t>> paths = {
      {0, 1}, {0, 0}, {0, 1, 0}, {2, 1, 2}, {0, 1, 2}, {0, 1, 2, 1, 0}, {1, 1, 1, 1, 1, 1, 1}};
  for (const Csr& a : {graph, directed(graph)}) {
    const Dense edges = dense(a);
    for (const std::vector<int32_t>& path : paths) {
      Dense want = zeros(kNodes);
      for (size_t i = 0; i < kNodes; ++i) want[i][i] = type[i] == path.front();
      for (size_t s = 1; s < path.size(); ++s) {
        Dense step = zeros(kNodes);
        for (size_t i = 0; i < kNodes; ++i)
          for (size_t j = 0; j < kNodes; ++j)
            step[i][j] = type[i] == path[s - 1] && type[j] == path[s] ? edges[i][j] : 0.0;
        want = product(want, row_normalised(step));
      }
      for (size_t i = 0; i < kNodes; ++i) want[i][i] = 0.0;
      expect_entries(metapath(a, type, path), want);
    }
  }
}

// restart Σ_k ((1 − restart) D⁻¹A)^k = restart (I − (1 − restart) D⁻¹A)⁻¹
Dense exact_pagerank(const Csr& a, double restart) {
  const Dense walk = row_normalised(dense(a));
  Dense power = zeros(walk.size()), out = zeros(walk.size());
  for (size_t i = 0; i < walk.size(); ++i) power[i][i] = restart;
  for (double left = 1.0; left > 1e-15; left *= 1.0 - restart) {
    for (size_t i = 0; i < walk.size(); ++i)
      for (size_t j = 0; j < walk.size(); ++j) out[i][j] += power[i][j];
    power = product(power, walk);
    for (std::vector<double>& row : power)
      for (double& v : row) v *= 1.0 - restart;
  }
  return out;
}

// No entry is larger than the exact one, nor short of it by more than `allowed` of its column.
void expect_short_by(const Csr& got, const Dense& exact, const std::vector<double>& allowed) {
  const Dense rank = dense(got);
  for (size_t i = 0; i < exact.size(); ++i) {
    EXPECT_EQ(rank[i][i], 0.0);
    for (size_t j = 0; j < exact.size(); ++j) {
      if (i == j) continue;
      const double rounding = exact[i][j] * kFloatEps + kSumEps;
      EXPECT_LE(rank[i][j], exact[i][j] + rounding) << i << ", " << j;
      EXPECT_GE(rank[i][j], exact[i][j] - allowed[j] - rounding) << i << ", " << j;
    }
  }
}

TEST(PersonalisedPageRank, IsShortOfTheExactOneByAtMostTheBound) {
  const Csr a = random_graph(60, 70, 7);  // several components, nodes without neighbours
  const std::vector<double> degree = row_sums(a);
  ASSERT_EQ(std::count(degree.begin(), degree.end(), 0.0) > 0, true);
  for (double restart : {0.15, 0.5}) {
    const Dense exact = exact_pagerank(a, restart);
    for (double tolerance : {1e-2, 1e-4, 1e-9}) {
      std::vector<double> allowed;
      for (double d : degree) allowed.push_back(tolerance * d);
      expect_short_by(personalised_pagerank(a, {restart, tolerance, 60}), exact, allowed);
    }
  }
}

TEST(PersonalisedPageRank, FollowsDirections) {
  // Mass below tolerance · degree stays behind at each node u and would have gone on to
  // restart⁻¹-weighted places: Σ_u tolerance · degree(u) · rank(u, v) of node v. Nodes without a way
  // out spend all of theirs.
  const Csr a = directed(random_graph(60, 110, 8));
  const std::vector<double> degree = row_sums(a);
  ASSERT_FALSE(is_symmetric(a));
  ASSERT_EQ(std::count(degree.begin(), degree.end(), 0.0) > 0, true);
  const Dense exact = exact_pagerank(a, 0.15);
  for (double tolerance : {1e-2, 1e-4}) {
    std::vector<double> allowed(60, 0.0);
    for (size_t u = 0; u < 60; ++u)
      for (size_t v = 0; v < 60; ++v) allowed[v] += tolerance * degree[u] * exact[u][v];
    expect_short_by(personalised_pagerank(a, {0.15, tolerance, 60}), exact, allowed);
  }
}

TEST(PersonalisedPageRank, KeepsTheLargestEntriesOfEachRow) {
  const Csr a = random_graph(60, 100, 9);
  const Csr all = personalised_pagerank(a, {.keep = 60});
  for (int64_t keep : {1, 4, 17}) {
    const Csr few = personalised_pagerank(a, {.keep = keep});
    for (int32_t i = 0; i < 60; ++i) {
      std::vector<std::pair<double, int32_t>> best;
      for (const auto [e, j] : all.row(i)) best.emplace_back(-double{all.value(e)}, j);
      std::sort(best.begin(), best.end());
      best.resize(std::min(best.size(), static_cast<size_t>(keep)));
      std::sort(best.begin(), best.end(),
                [](const auto& x, const auto& y) { return x.second < y.second; });
      ASSERT_EQ(few.row(i).col.size(), best.size());
      for (size_t k = 0; k < best.size(); ++k) {
        const auto e = static_cast<int64_t>(few.row(i).begin_entry) + static_cast<int64_t>(k);
        EXPECT_EQ(few.col[static_cast<size_t>(e)], best[k].second);
        EXPECT_EQ(few.value(e), static_cast<float>(-best[k].first));
      }
    }
  }
}

TEST(Views, BitsDoNotDependOnThreads) {
  const Csr a = random_graph(700, 1500, 10);
  std::vector<int32_t> type;
  for (int32_t i = 0; i < 700; ++i) type.push_back(i % 3);
  const std::vector<int32_t> path = {0, 1, 2, 0};
  const auto views = [&] {
    return std::vector<Csr>{nearest_neighbours(random_features(700, 8, 1), 5),
                            nearest_neighbours(sparse_features(whole_rows(700, 8, 2)), 5),
                            two_hop(a), metapath(a, type, path), personalised_pagerank(a, {})};
  };
  const std::vector<Csr> one = with_threads(1, views);
  for (int threads : {2, 5}) {
    const std::vector<Csr> many = with_threads(threads, views);
    for (size_t v = 0; v < one.size(); ++v) EXPECT_TRUE(same(one[v], many[v])) << v;
  }
}

}  // namespace
}  // namespace emgnn
