// SPDX-License-Identifier: Apache-2.0
#include <emgnn/space/candidate_edges.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>

#include <emgnn/base/error.h>
#include <emgnn/base/rng.h>
#include <emgnn/space/cosine_pairs.h>
#include "../base/with_threads.h"

namespace emgnn {
namespace {

constexpr double kThresholds[] = {0.0, 0.05, 0.3, 0.5, 0.6, 0.75, 0.9, 0.99};

struct Problem {
  int32_t num_nodes, num_cols;
  std::vector<float> dense;  // [num_nodes, num_cols]
  Csr adjacency;

  DenseRows rows() const { return {num_nodes, num_cols, dense}; }

  Csr sparse() const {
    Coo coo;
    for (size_t e = 0; e < dense.size(); ++e) {
      if (dense[e] == 0.0F) continue;
      coo.row.push_back(static_cast<int32_t>(e) / num_cols);
      coo.col.push_back(static_cast<int32_t>(e) % num_cols);
      coo.val.push_back(dense[e]);
    }
    return csr_from_coo(num_nodes, num_cols, coo, Duplicates::kSum);
  }
};

enum class Values { kOnes, kPositive, kSigned };

// Rows of about `per_row` values. Every fifth row repeats an earlier one, up to a factor and a
// small change; every eleventh is zero.
Problem random_problem(int32_t num_nodes, int32_t num_cols, double per_row, Values values) {
  Problem p{num_nodes, num_cols, {}, {}};
  Rng rng(3, Stream::kTest, uint64_t(num_nodes), uint32_t(num_cols));
  p.dense.assign(size_t(num_nodes) * size_t(num_cols), 0.0F);
  for (int32_t i = 0; i < num_nodes; ++i) {
    float* row = p.dense.data() + int64_t(i) * num_cols;
    if (i % 11 == 3) continue;
    if (i % 5 == 4) {
      const auto from = int64_t(rng.below(uint64_t(i)));
      std::copy_n(p.dense.data() + from * num_cols, num_cols, row);
      if (i % 2 == 0) row[rng.below(uint64_t(num_cols))] = 1.0F;
      if (values != Values::kOnes) std::for_each(row, row + num_cols, [](float& x) { x *= 2.5F; });
      continue;
    }
    for (int32_t j = 0; j < num_cols; ++j) {
      if (rng.uniform() >= per_row / num_cols) continue;
      row[j] = values == Values::kOnes       ? 1.0F
               : values == Values::kPositive ? static_cast<float>(rng.uniform(0.1, 2.0))
                                             : static_cast<float>(rng.normal());
    }
  }
  Coo edges;
  for (int32_t k = 0; k < 4 * num_nodes; ++k) {
    edges.row.push_back(static_cast<int32_t>(rng.below(uint64_t(num_nodes))));
    edges.col.push_back(static_cast<int32_t>(rng.below(uint64_t(num_nodes))));
  }
  p.adjacency = symmetrise(
      remove_diagonal(csr_from_coo(num_nodes, num_nodes, edges, Duplicates::kKeepFirst)));
  return p;
}

bool is_edge(const Csr& a, int32_t u, int32_t v) {
  return std::find(a.col.begin() + a.rowptr[size_t(u)], a.col.begin() + a.rowptr[size_t(u) + 1],
                   v) != a.col.begin() + a.rowptr[size_t(u) + 1];
}

// cos(x_u, x_v) of all pairs, [num_nodes, num_nodes]
std::vector<double> all_cosines(const Problem& p) {
  const auto dot = [&](int32_t u, int32_t v) {
    double sum = 0.0;
    for (int32_t j = 0; j < p.num_cols; ++j)
      sum += double(p.dense[size_t(u) * size_t(p.num_cols) + size_t(j)]) *
             p.dense[size_t(v) * size_t(p.num_cols) + size_t(j)];
    return sum;
  };
  std::vector<double> norm, out;
  for (int32_t u = 0; u < p.num_nodes; ++u) norm.push_back(std::sqrt(dot(u, u)));
  for (int32_t u = 0; u < p.num_nodes; ++u)
    for (int32_t v = 0; v < p.num_nodes; ++v) {
      const double norms = norm[size_t(u)] * norm[size_t(v)];
      out.push_back(norms == 0.0 ? 0.0 : dot(u, v) / norms);
    }
  return out;
}

// The definition, pair by pair.
std::vector<CandidateEdge> reference(const Problem& p, const std::vector<double>& cosines,
                                     double threshold) {
  std::vector<CandidateEdge> out;
  for (int32_t u = 0; u < p.num_nodes; ++u) {
    for (int32_t v = u + 1; v < p.num_nodes; ++v) {
      const double cosine = cosines[size_t(u) * size_t(p.num_nodes) + size_t(v)];
      if (cosine > threshold + kCosineTie && !is_edge(p.adjacency, u, v))
        out.push_back({u, v, static_cast<float>(cosine)});
    }
  }
  return out;
}

// Runs the dense search on the sparse rows, whatever the cost model says.
std::vector<CandidateEdge> by_dense_search(const Csr& x, const Csr& adjacency, double threshold) {
  const CandidateOptions options{.threshold = threshold};
  detail::PairCollector out(adjacency, options);
  detail::dense_pairs(detail::SparseNormed(x), out);
  return out.sorted();
}

struct Shape {
  int32_t num_nodes, num_cols;
  double per_row;
};

TEST(CandidateEdges, AreThePairsOfTheDefinition) {
  for (const Shape& shape : {Shape{150, 40, 4}, Shape{300, 1000, 20}, Shape{260, 30, 15},
                             Shape{200, 17, 17}, Shape{450, 1500, 50}, Shape{1, 5, 2}}) {
    for (const Values values : {Values::kOnes, Values::kPositive, Values::kSigned}) {
      const Problem p = random_problem(shape.num_nodes, shape.num_cols, shape.per_row, values);
      const Csr x = p.sparse();
      const std::vector<double> cosines = all_cosines(p);
      for (const double threshold : kThresholds) {
        SCOPED_TRACE(fmt::format("{} x {}, values {}, threshold {}", shape.num_nodes,
                                 shape.num_cols, int(values), threshold));
        const auto expected = reference(p, cosines, threshold);
        EXPECT_EQ(candidate_edges(x, p.adjacency, {.threshold = threshold}), expected);
        EXPECT_EQ(candidate_edges(p.rows(), p.adjacency, {.threshold = threshold}), expected);
        EXPECT_EQ(by_dense_search(x, p.adjacency, threshold), expected);
      }
    }
  }
}

// k of m words in common: cosine k/m, which float64 does not always represent.
TEST(CandidateEdges, LeaveOutTiesAtTheThreshold) {
  for (int32_t m = 1; m <= 20; ++m) {
    for (int32_t k = 0; k < m; ++k) {
      Problem p{2, 2 * m, std::vector<float>(size_t(4 * m), 0.0F), Csr{2, 2, {0, 0, 0}, {}, {}}};
      for (int32_t j = 0; j < m; ++j) {
        p.dense[size_t(j)] = 0.1F;
        p.dense[size_t(2 * m + m - k + j)] = 0.7F;
      }
      const double tie = double(k) / m;
      const auto count = [&](double threshold) {
        return candidate_edges(p.sparse(), p.adjacency, {.threshold = threshold}).size();
      };
      EXPECT_EQ(count(tie), 0U) << k << " of " << m;
      if (k > 0) {
        EXPECT_EQ(count(tie - 1e-6), 1U) << k << " of " << m;
      }
    }
  }
}

TEST(CandidateEdges, LeaveOutEdgesStoredInOneDirectionOnly) {
  const Problem p{3, 1, {1, 2, 3}, csr_from_coo(3, 3, {{0, 2}, {1, 1}, {}}, Duplicates::kSum)};
  EXPECT_EQ(candidate_edges(p.rows(), p.adjacency, {.threshold = 0.5}),
            (std::vector<CandidateEdge>{{0, 2, 1.0F}}));
}

TEST(CandidateEdges, DoNotDependOnTheNumberOfThreads) {
  for (const Values values : {Values::kOnes, Values::kSigned}) {
    const Problem p = random_problem(700, 200, 12, values);
    const Csr x = p.sparse();
    for (const double recall : {1.0, 0.8}) {
      const CandidateOptions options{.threshold = 0.4, .recall = recall};
      const auto run = [&] { return candidate_edges(x, p.adjacency, options); };
      const auto one = with_threads(1, run);
      EXPECT_EQ(with_threads(5, run), one);
      EXPECT_GT(one.size(), 100U);
    }
    const auto dense = [&] { return by_dense_search(x, p.adjacency, 0.4); };
    EXPECT_EQ(with_threads(5, dense), with_threads(1, dense));
  }
}

TEST(CandidateEdges, BeyondTheCapAreAnErrorOfItsOwn) {
  const Problem p{40, 1, std::vector<float>(40, 1.0F), Csr{40, 40, std::vector<int32_t>(41, 0)}};
  for (const double recall : {1.0, 0.9}) {
    EXPECT_EQ(candidate_edges(p.rows(), p.adjacency, {.max_pairs = 780, .recall = recall}).size(),
              780U);
    try {
      candidate_edges(p.rows(), p.adjacency, {.max_pairs = 779, .recall = recall});
      FAIL() << "returned more than max_pairs";
    } catch (const TooManyCandidates& error) {
      EXPECT_STREQ(error.what(), "more than 779 candidate edges have a cosine above 0.5");
    }
  }
}

TEST(CandidateEdges, RefuseWrongCalls) {
  const Problem p = random_problem(4, 3, 2, Values::kOnes);
  const auto call = [&](const CandidateOptions& options) {
    return candidate_edges(p.rows(), p.adjacency, options);
  };
  EXPECT_THROW(call({.threshold = 1.0}), UsageError);
  EXPECT_THROW(call({.threshold = -0.1}), UsageError);
  EXPECT_THROW(call({.threshold = std::nan("")}), UsageError);
  EXPECT_THROW(call({.max_pairs = -1}), UsageError);
  EXPECT_THROW(call({.recall = 0.0}), UsageError);
  EXPECT_THROW(call({.recall = 1.1}), UsageError);
  EXPECT_THROW(candidate_edges(p.rows(), Csr{3, 3, {0, 0, 0, 0}}, {}), UsageError);
  EXPECT_THROW(candidate_edges(DenseRows{4, 2, p.dense}, p.adjacency, {}), UsageError);
  std::vector<float> broken = p.dense;
  broken[5] = std::nanf("");
  EXPECT_THROW(candidate_edges(DenseRows{4, 3, broken}, p.adjacency, {}), UsageError);
}

// Rows 2k and 2k + 1 share 16 of their 20 words, others hardly any: pairs at cosine 0.8.
constexpr int32_t kPlanted = 400;

Csr planted_pairs() {
  constexpr int32_t kWords = 3000;
  Rng rng(5, Stream::kTest);
  std::vector<int32_t> words(kWords);
  std::iota(words.begin(), words.end(), 0);
  Coo coo;
  for (int32_t k = 0; k < kPlanted; ++k) {
    for (size_t j = 0; j < 24; ++j) std::swap(words[j], words[j + rng.below(kWords - j)]);
    for (size_t j = 0; j < 24; ++j) {
      for (const int32_t row : {2 * k, 2 * k + 1}) {
        if (row == 2 * k ? j >= 20 : j < 4) continue;
        coo.row.push_back(row);
        coo.col.push_back(words[j]);
      }
    }
  }
  return csr_from_coo(2 * kPlanted, kWords, coo, Duplicates::kKeepFirst);
}

// A pair is found with probability 1 - (1 - p^bits)^tables, p = 1 - acos(0.8)/π, which is a little
// more than the recall asked for at the threshold 0.79. Of 8 · 400 nearly independent pairs the
// share found deviates by at most 0.009; 0.04 is more than four of that.
TEST(CandidateEdges, ApproximateSearchKeepsTheRecallThatWasAskedForAndAddsNothing) {
  constexpr uint64_t kSeeds = 8;
  const Csr x = planted_pairs();
  const Csr no_edges{x.num_rows, x.num_rows, std::vector<int32_t>(size_t(x.num_rows) + 1, 0)};
  const auto exact = candidate_edges(x, no_edges, {.threshold = 0.79});
  ASSERT_EQ(exact.size(), size_t(kPlanted));
  for (const double recall : {0.5, 0.7, 0.95}) {
    double share = 0.0;
    for (uint64_t seed = 0; seed < kSeeds; ++seed) {
      const auto found =
          candidate_edges(x, no_edges, {.threshold = 0.79, .recall = recall, .seed = seed});
      EXPECT_TRUE(
          std::includes(exact.begin(), exact.end(), found.begin(), found.end(), detail::before));
      share += double(found.size()) / double(kPlanted * kSeeds);
    }
    EXPECT_GE(share, recall - 0.04);
    EXPECT_LE(share, recall + 0.1);  // it is no exact search in disguise
  }
}

}  // namespace
}  // namespace emgnn
