// SPDX-License-Identifier: Apache-2.0
#include <emgnn/graph/perturb.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include <emgnn/base/error.h>
#include <emgnn/base/rng.h>

namespace emgnn {
namespace {

using Edges = std::set<std::pair<int32_t, int32_t>>;

Edges edges_of(const Csr& a) {
  Edges out;
  for (int32_t u = 0; u < a.num_rows; ++u)
    for (int32_t e = a.rowptr[size_t(u)]; e < a.rowptr[size_t(u) + 1]; ++e)
      if (u < a.col[size_t(e)]) out.insert({u, a.col[size_t(e)]});
  return out;
}

Csr random_graph(int32_t num_nodes, int draws) {
  Rng rng(9, Stream::kTest);
  Coo coo;
  for (int k = 0; k < draws; ++k) {
    coo.row.push_back(static_cast<int32_t>(rng.below(uint64_t(num_nodes))));
    coo.col.push_back(static_cast<int32_t>(rng.below(uint64_t(num_nodes))));
  }
  return symmetrise(
      remove_diagonal(csr_from_coo(num_nodes, num_nodes, coo, Duplicates::kKeepFirst)));
}

Csr complete_graph(int32_t num_nodes) {
  Coo coo;
  for (int32_t u = 0; u < num_nodes; ++u) {
    for (int32_t v = 0; v < num_nodes; ++v) {
      if (u == v) continue;
      coo.row.push_back(u);
      coo.col.push_back(v);
    }
  }
  return csr_from_coo(num_nodes, num_nodes, coo, Duplicates::kKeepFirst);
}

size_t num_common(const Edges& a, const Edges& b) {
  return size_t(std::count_if(a.begin(), a.end(), [&](auto edge) { return b.contains(edge); }));
}

TEST(Perturb, ReplacesExactlyTheAskedForShareOfTheEdges) {
  const Csr graph = random_graph(120, 700);
  const Edges before = edges_of(graph);
  for (const double percent : {0.0, 0.1, 1.0, 10.0, 33.3, 70.0, 100.0}) {
    const Csr out = perturb_edges(graph, percent, 4);
    const Edges after = edges_of(out);
    const auto count = static_cast<size_t>(std::floor(percent / 100.0 * double(before.size())));
    EXPECT_TRUE(is_symmetric(out));
    EXPECT_TRUE(out.val.empty());
    EXPECT_EQ(remove_diagonal(out).col, out.col);
    EXPECT_EQ(after.size(), before.size());
    EXPECT_EQ(num_common(before, after), before.size() - count) << percent;
  }
}

TEST(Perturb, KeepsTheValuesOfTheEdgesThatStay) {
  const Csr graph = csr_from_coo(4, 4, {{0, 1, 0, 2, 1, 2}, {1, 0, 2, 0, 2, 1}, {5, 5, 6, 6, 7, 7}},
                                 Duplicates::kKeepFirst);
  const Csr out = perturb_edges(graph, 34.0, 1);
  ASSERT_EQ(out.num_entries(), 6);
  EXPECT_TRUE(is_symmetric(out));
  const Edges before = edges_of(graph);
  for (int32_t u = 0; u < 4; ++u)
    for (int32_t e = out.rowptr[size_t(u)]; e < out.rowptr[size_t(u) + 1]; ++e) {
      const int32_t v = out.col[size_t(e)];
      const bool stayed = before.contains({std::min(u, v), std::max(u, v)});
      EXPECT_EQ(out.value(e), stayed ? float(4 + u + v) : 1.0F);
    }
}

TEST(Perturb, IsAFunctionOfTheSeed) {
  const Csr graph = random_graph(60, 300);
  const Csr out = perturb_edges(graph, 20.0, 7);
  EXPECT_EQ(perturb_edges(graph, 20.0, 7).col, out.col);
  EXPECT_NE(perturb_edges(graph, 20.0, 8).col, out.col);
}

// Each edge is removed and each non-edge added equally often. χ² of m cells that are each hit with
// probability p in `draws` draws, Σ (hits - draws·p)² / (draws·p·(1 - p)), has mean m and deviation
// about sqrt(2m): the cells are nearly independent. Five deviations on either side.
TEST(Perturb, ChoosesUniformly) {
  constexpr int kDraws = 4000;
  const Csr graph = random_graph(16, 45);
  const Edges before = edges_of(graph);
  const auto count = static_cast<double>(before.size() / 4);  // 25 percent
  std::map<std::pair<int32_t, int32_t>, int> kept, added;
  for (int32_t u = 0; u < 16; ++u)
    for (int32_t v = u + 1; v < 16; ++v) (before.contains({u, v}) ? kept : added)[{u, v}] = 0;
  for (uint64_t seed = 0; seed < kDraws; ++seed)
    for (const auto& edge : edges_of(perturb_edges(graph, 25.0, seed)))
      ++(before.contains(edge) ? kept : added)[edge];
  const auto chi_square = [&](const auto& hits, double p) {
    double sum = 0.0;
    for (const auto& [edge, n] : hits)
      sum += (n - kDraws * p) * (n - kDraws * p) / (kDraws * p * (1.0 - p));
    return sum;
  };
  const double num_edges = double(kept.size());
  const double num_others = double(added.size());
  EXPECT_NEAR(chi_square(kept, 1.0 - count / num_edges), num_edges, 5.0 * std::sqrt(2 * num_edges));
  EXPECT_NEAR(chi_square(added, count / num_others), num_others, 5.0 * std::sqrt(2 * num_others));
}

TEST(Perturb, RefusesWhatCannotBeDone) {
  EXPECT_THROW(perturb_edges(complete_graph(5), 10.0, 1), UsageError);
  EXPECT_EQ(perturb_edges(complete_graph(5), 9.9, 1).col, complete_graph(5).col);  // floor is 0
  EXPECT_EQ(perturb_edges(Csr{3, 3, {0, 0, 0, 0}}, 50.0, 1).num_entries(), 0);
  EXPECT_EQ(perturb_edges(Csr{}, 50.0, 1).num_rows, 0);
  EXPECT_THROW(perturb_edges(random_graph(9, 20), -1.0, 1), UsageError);
  EXPECT_THROW(perturb_edges(random_graph(9, 20), 101.0, 1), UsageError);
  EXPECT_THROW(perturb_edges(random_graph(9, 20), std::nan(""), 1), UsageError);
  EXPECT_THROW(perturb_edges(add_diagonal(random_graph(9, 20), 1.0F), 10.0, 1), UsageError);
  EXPECT_THROW(perturb_edges(csr_from_coo(2, 2, {{0}, {1}, {}}, Duplicates::kKeepFirst), 10.0, 1),
               UsageError);
}

}  // namespace
}  // namespace emgnn
