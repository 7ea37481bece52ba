// SPDX-License-Identifier: Apache-2.0
#include <emgnn/space/candidate_search.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "../base/with_threads.h"

#include <emgnn/base/error.h>
#include <emgnn/base/rng.h>
#include <emgnn/space/neighbour_search.h>
#include <emgnn/space/rewire_input.h>

namespace emgnn {
namespace {

// Few dense features with an offset: almost all pairs are similar. Every seventh node is a copy of an
// earlier one.
Dataset similar_nodes(int32_t n, int32_t dims, double offset = 2.0) {
  Dataset out{.name = "similar", .graph = {.num_nodes = n}};
  Rng rng(4, Stream::kTest);
  out.features = {.num_rows = n, .num_cols = dims, .is_sparse = false};
  std::vector<float> x;
  for (int32_t i = 0; i < n; ++i) {
    const auto from = i % 7 == 6 ? static_cast<int32_t>(rng.below(static_cast<uint64_t>(i))) : i;
    for (int32_t d = 0; d < dims; ++d)
      x.push_back(from == i ? static_cast<float>(offset + rng.normal())
                            : x[static_cast<size_t>(from * dims + d)]);
  }
  out.features.dense = std::move(x);
  Coo edges;
  for (int32_t k = 0; k < 3 * n; ++k) {
    edges.row.push_back(static_cast<int32_t>(rng.below(static_cast<uint64_t>(n))));
    edges.col.push_back(static_cast<int32_t>(rng.below(static_cast<uint64_t>(n))));
  }
  out.graph.relations.push_back(
      {"edge", symmetrise(remove_diagonal(csr_from_coo(n, n, edges, Duplicates::kKeepFirst)))});
  return out;
}

Features as_sparse(const Features& from) {
  Coo entries;
  for (int32_t i = 0; i < from.num_rows; ++i)
    for (int32_t d = 0; d < from.num_cols; ++d) {
      entries.row.push_back(i);
      entries.col.push_back(d);
      entries.val.push_back(from.dense[static_cast<size_t>(i * from.num_cols + d)]);
    }
  return {.num_rows = from.num_rows,
          .num_cols = from.num_cols,
          .sparse = csr_from_coo(from.num_rows, from.num_cols, entries, Duplicates::kKeepFirst)};
}

bool is_edge(const Csr& a, int32_t u, int32_t v) {
  const auto row = a.row(u);
  return std::find(row.col.begin(), row.col.end(), v) != row.col.end();
}

// The k most similar of each node that are no neighbours and exceed τ, one by one.
std::set<std::pair<int32_t, int32_t>> slowly(const Dataset& d, int64_t k, double threshold) {
  const UnitRows rows(d.features);
  std::set<std::pair<int32_t, int32_t>> out;
  std::vector<double> open(static_cast<size_t>(rows.num_cols()), 0.0);
  for (int32_t u = 0; u < rows.num_rows(); ++u) {
    std::vector<std::pair<int64_t, int32_t>> all;
    std::fill(open.begin(), open.end(), 0.0);
    rows.add(u, 1.0, open);
    for (int32_t v = 0; v < rows.num_rows(); ++v) {
      const double cosine = rows.dot(v, open);
      if (v != u && cosine > threshold && !is_edge(d.graph.relations[0].adjacency, u, v))
        all.emplace_back(distance_rank(cosine), v);
    }
    std::sort(all.begin(), all.end());
    for (size_t i = 0; i < std::min(all.size(), static_cast<size_t>(k)); ++i)
      out.insert({std::min(u, all[i].second), std::max(u, all[i].second)});
  }
  return out;
}

std::set<std::pair<int32_t, int32_t>> pairs(const FoundCandidates& found) {
  std::set<std::pair<int32_t, int32_t>> out;
  for (const CandidateEdge& e : found.pairs) out.insert({e.u, e.v});
  return out;
}

TEST(CandidateSearch, BeyondTheBudgetEachNodeKeepsItsMostSimilar) {
  const Dataset d = similar_nodes(300, 6);
  const RewireOptions options{.cosine_threshold = 0.5, .max_candidates = 3000};
  const FoundCandidates found = search_candidates(d, options);
  EXPECT_EQ(pairs(found), slowly(d, 10, 0.5));
  EXPECT_LE(found.pairs.size(), 3000U);
  EXPECT_GT(found.pairs.size(), 1500U);
  EXPECT_TRUE(std::is_sorted(
      found.pairs.begin(), found.pairs.end(),
      [](const auto& a, const auto& b) { return std::pair(a.u, a.v) < std::pair(b.u, b.v); }));
  EXPECT_NE(
      found.note.find("more than 3000 candidate edges have a cosine above 0.5: each node keeps "
                      "its 10 most similar"),
      std::string::npos)
      << found.note;
  const auto run = [&] { return search_candidates(d, options).pairs; };
  EXPECT_EQ(with_threads(1, run), with_threads(5, run));
}

TEST(CandidateSearch, WithinTheBudgetAllPairsAreThere) {
  const Dataset d = similar_nodes(120, 6, 0.5);
  const FoundCandidates found = search_candidates(d, {.cosine_threshold = 0.4});
  EXPECT_EQ(found.pairs, candidate_edges(DenseRows{120, 6, d.features.dense},
                                         d.graph.relations[0].adjacency, {.threshold = 0.4}));
  EXPECT_GT(found.pairs.size(), 500U);
  EXPECT_TRUE(found.note.empty());
}

TEST(CandidateSearch, NothingIsSearchedWhereNothingIsAdded) {
  Dataset d = similar_nodes(50, 4);
  d.features.dense[3] = std::numeric_limits<float>::quiet_NaN();  // the search would refuse it
  EXPECT_THROW(search_candidates(d, {}), UsageError);
  EXPECT_TRUE(search_candidates(d, {.max_add = 0.0}).pairs.empty());
}

TEST(CandidateSearch, TheBudgetGrowsWithTheGraphAndNotBeyondTheMemory) {
  EXPECT_EQ(candidate_budget({}, {2'708, 5'278}).pairs, 100'000);
  EXPECT_EQ(candidate_budget({}, {7'600, 30'000}).pairs, 152'000);
  EXPECT_EQ(candidate_budget({}, {7'600, 300'000}).pairs, 1'500'000);
  EXPECT_EQ(candidate_budget({.max_candidates = 77}, {7'600, 300'000}).pairs, 77);
  const CandidateBudget small = candidate_budget({}, {7'600, 300'000}, int64_t{1} << 20);
  EXPECT_LE(small.bytes(), int64_t{1} << 20);
  EXPECT_GT(small.pairs, 8'000);
}

// Whichever way they are searched: all pairs, the most similar ones, and those without comparing all.
TEST(CandidateSearch, EndsWhenTheUserWantsAnEnd) {
  const Dataset dense = similar_nodes(300, 6);
  const Dataset sparse = [&] {
    Dataset out = dense;
    out.features = as_sparse(dense.features);
    return out;
  }();
  const Context::Scope scope{Context(2, Device::kCpu, [] { return true; })};
  for (const Dataset* d : {&dense, &sparse})
    for (const RewireOptions& options :
         {RewireOptions{.cosine_threshold = 0.5},
          RewireOptions{.cosine_threshold = 0.5, .max_candidates = 3000},
          RewireOptions{.cosine_threshold = 0.5, .candidate_search = CandidateSearch::kNearest}})
      EXPECT_THROW(search_candidates(*d, options), Interrupted);
}

// Points around 30 directions. What is found without comparing all pairs is similar enough, no edge,
// and most of what each node's nearest are; chance would find 10 of 2,000.
TEST(CandidateSearch, TheNearestAreMostlyFoundWithoutComparingAll) {
  Dataset d = similar_nodes(2'000, 24, 0.0);
  Rng rng(8, Stream::kTest);
  std::vector<double> centre(30 * 24);
  for (double& c : centre) c = 2.0 * rng.normal();
  for (size_t i = 0; i < 2'000; ++i)
    for (size_t k = 0; k < 24; ++k)
      d.features.dense[i * 24 + k] += static_cast<float>(centre[i % 30 * 24 + k]);
  const RewireOptions options{.cosine_threshold = 0.5,
                              .candidate_search = CandidateSearch::kNearest};
  const FoundCandidates found = search_candidates(d, options);
  const auto want = slowly(d, 10, 0.5);
  int64_t hits = 0;
  for (const auto& pair : pairs(found)) hits += want.contains(pair) ? 1 : 0;
  EXPECT_GT(static_cast<double>(hits) / static_cast<double>(want.size()), 0.85);
  for (const CandidateEdge& e : found.pairs) {
    EXPECT_GT(e.cosine, 0.5F);
    EXPECT_FALSE(is_edge(d.graph.relations[0].adjacency, e.u, e.v));
  }
  EXPECT_NE(found.note.find("space.candidate_search=exact compares all"), std::string::npos);
}

}  // namespace
}  // namespace emgnn
