// SPDX-License-Identifier: Apache-2.0
#include <emgnn/space/neighbour_search.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "../base/with_threads.h"

#include <emgnn/base/rng.h>

namespace emgnn {
namespace {

using Lists = std::vector<std::vector<int32_t>>;

// Points around `centres` directions, as real features are: some nodes are alike.
Features clustered(int32_t n, int32_t dims, int32_t centres, double spread) {
  Features out{.num_rows = n, .num_cols = dims, .is_sparse = false};
  std::vector<double> centre;
  Rng where(1, Stream::kTest);
  for (int32_t i = 0; i < centres * dims; ++i) centre.push_back(where.normal());
  Rng rng(2, Stream::kTest);
  for (int32_t i = 0; i < n; ++i) {
    const auto c = static_cast<size_t>(rng.below(static_cast<uint64_t>(centres)));
    for (int32_t d = 0; d < dims; ++d)
      out.dense.push_back(static_cast<float>(
          centre[c * static_cast<size_t>(dims) + static_cast<size_t>(d)] + spread * rng.normal()));
  }
  return out;
}

// The same numbers as sparse rows; small ones become zeros first.
Features sparse(const Features& x, float least) {
  Features out{.num_rows = x.num_rows, .num_cols = x.num_cols, .is_sparse = true};
  Coo entries;
  for (int32_t i = 0; i < x.num_rows; ++i) {
    for (int32_t j = 0; j < x.num_cols; ++j) {
      const float v = x.dense[static_cast<size_t>(i) * static_cast<size_t>(x.num_cols) +
                              static_cast<size_t>(j)];
      if (v < least) continue;
      entries.row.push_back(i);
      entries.col.push_back(j);
      entries.val.push_back(v);
    }
  }
  out.sparse = csr_from_coo(x.num_rows, x.num_cols, entries, Duplicates::kKeepFirst);
  return out;
}

// By all pairs.
Lists exact(const UnitRows& rows, size_t k) {
  Lists out;
  std::vector<double> open(static_cast<size_t>(rows.num_cols()), 0.0);
  for (int32_t i = 0; i < rows.num_rows(); ++i) {
    std::vector<std::pair<int64_t, int32_t>> all;
    rows.add(i, 1.0, open);
    for (int32_t j = 0; j < rows.num_rows(); ++j)
      if (j != i && distance_rank(rows.dot(j, open)) < 0)
        all.emplace_back(distance_rank(rows.dot(j, open)), j);
    std::fill(open.begin(), open.end(), 0.0);
    std::sort(all.begin(), all.end());
    if (all.size() > k) all.resize(k);
    out.emplace_back();
    for (const auto& [rank, j] : all) out.back().push_back(j);
  }
  return out;
}

double recall(const Lists& found, const Lists& want) {
  double hits = 0.0, all = 0.0;
  for (size_t i = 0; i < want.size(); ++i) {
    for (const int32_t j : want[i])
      hits += std::find(found[i].begin(), found[i].end(), j) != found[i].end() ? 1.0 : 0.0;
    all += static_cast<double>(want[i].size());
  }
  return hits / all;
}

TEST(NeighbourSearch, IsExactWhereOneLeafHoldsAll) {
  const UnitRows rows(clustered(40, 8, 3, 0.3));
  EXPECT_EQ(approximate_nearest(rows, 5), exact(rows, 5));
}

// What a graph needs of its similar nodes. Chance would find 5 of 3,000.
TEST(NeighbourSearch, FindsNineOfTenNearestRows) {
  const Features x = clustered(3'000, 32, 40, 0.5);
  const UnitRows dense(x), words(sparse(x, 0.4F));
  EXPECT_GT(recall(approximate_nearest(dense, 5), exact(dense, 5)), 0.9);
  EXPECT_GT(recall(approximate_nearest(words, 5), exact(words, 5)), 0.9);
}

// Trees alone find fewer than with the rounds that follow them.
TEST(NeighbourSearch, RoundsAddToWhatTreesFind) {
  const UnitRows rows(clustered(3'000, 32, 40, 0.5));
  const Lists want = exact(rows, 5);
  const double trees = recall(approximate_nearest(rows, 5, {.rounds = 0}), want);
  EXPECT_LT(trees, recall(approximate_nearest(rows, 5), want));
}

// Dense rows, sparse rows, and sparse rows that are laid out; with copies, rows of zeros and pairs that
// do not count.
TEST(NeighbourSearch, ComparingAllPairsIsExact) {
  Features x = clustered(700, 12, 5, 0.4);
  std::copy_n(x.dense.begin(), 12 * 150, x.dense.begin() + 12 * 300);
  std::fill_n(x.dense.begin() + 12 * 600, 12 * 20, 0.0F);
  for (const Features& features : {x, sparse(x, 0.2F), sparse(x, 1.6F)}) {
    const UnitRows rows(features);
    for (int64_t k : {1, 5, 40, 900}) {
      EXPECT_EQ(exact_nearest(rows, k), exact(rows, static_cast<size_t>(k))) << k;
    }
    const Lists odd = exact_nearest(rows, 7, [](int32_t i, int32_t j) { return (i + j) % 2 == 0; });
    for (size_t i = 0; i < odd.size(); ++i)
      for (const int32_t j : odd[i]) EXPECT_EQ((static_cast<int32_t>(i) + j) % 2, 1);
    const auto run = [&] { return exact_nearest(rows, 9); };
    EXPECT_EQ(with_threads(1, run), with_threads(3, run));
  }
}

TEST(NeighbourSearch, CopiesAndRowsOfZerosDoNotHang) {
  Features x = clustered(500, 4, 1, 0.0);  // 500 copies of one row
  std::fill(x.dense.begin(), x.dense.begin() + 4 * 100, 0.0F);
  const Lists found = approximate_nearest(UnitRows(x), 3);
  for (size_t i = 0; i < 100; ++i) EXPECT_TRUE(found[i].empty());
  for (size_t i = 100; i < 500; ++i) EXPECT_EQ(found[i].size(), 3U) << i;
}

TEST(NeighbourSearch, IsTheSameForAnyNumberOfThreads) {
  const UnitRows rows(clustered(2'000, 16, 20, 0.5));
  const auto search = [&] { return approximate_nearest(rows, 7); };
  EXPECT_EQ(with_threads(1, search), with_threads(3, search));
}

}  // namespace
}  // namespace emgnn
