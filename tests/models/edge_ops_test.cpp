// SPDX-License-Identifier: Apache-2.0
#include <emgnn/models/edge_ops.h>

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "gradient_check.h"

#include <emgnn/base/error.h>

namespace emgnn {
namespace {

constexpr int32_t kOutputs = 5, kInputs = 7;
constexpr int64_t kGraphs = 3, kHeads = 2, kWidth = 3;
constexpr double kSlope = 0.2;

// Row 1 has no entries and row 3 none in graph 2; each graph lacks some others.
c10::intrusive_ptr<Edges> make_edges(int64_t num_graphs) {
  Coo coo;
  for (int32_t i : {0, 2, 3, 4}) {
    for (int32_t j = 0; j < kInputs; ++j) {
      if ((i * j + i + j) % 3 == 1) continue;
      coo.row.push_back(i);
      coo.col.push_back(j);
    }
  }
  auto edges = c10::make_intrusive<Edges>();
  edges->pattern = csr_from_coo(kOutputs, kInputs, coo, Duplicates::kSum);
  edges->index();
  edges->weight = random_tensor({num_graphs, edges->num_entries()}, 40, 0.1, 1.0);
  for (int64_t g = 0; g < num_graphs; ++g) {
    for (int64_t e = 0; e < edges->num_entries(); ++e) {
      const bool none = g == 2 && edges->row[static_cast<size_t>(e)] == 3;
      if (none || (e + g) % 4 == 0) edges->weight[g][e] = 0.0;
    }
  }
  return edges;
}

bool has(const Edges& edges, int64_t graph, int64_t entry) {
  return edges.weight[graph][entry].item<float>() != 0.0F;
}

// Element [.., row, column] of what the graphs share or have each.
double at_row(const at::Tensor& t, int64_t graph, int64_t row, int64_t column) {
  return (t.dim() == 2 ? t : t[graph])[row][column].item<double>();
}

// Calls body(graph, row, column, entry) for every entry that is not absent.
template <class Body>
void for_each(const Edges& edges, const Body& body) {
  for (int64_t g = 0; g < edges.num_graphs(); ++g)
    for (int32_t i = 0; i < edges.pattern.num_rows; ++i)
      for (const auto [e, j] : edges.pattern.row(i))
        if (has(edges, g, e)) body(g, i, j, e);
}

at::Tensor dense_scores(const Edges& edges, const at::Tensor& left, const at::Tensor& right) {
  at::Tensor out = at::zeros({edges.num_graphs(), edges.num_entries(), kHeads}, at::kDouble);
  for_each(edges, [&](int64_t g, int32_t i, int32_t j, int32_t e) {
    for (int64_t h = 0; h < kHeads; ++h) {
      const double sum = at_row(left, g, i, h) + at_row(right, g, j, h);
      out[g][e][h] = sum > 0 ? sum : kSlope * sum;
    }
  });
  return out;
}

at::Tensor dense_softmax(const Edges& edges, const at::Tensor& scores) {
  at::Tensor sum = at::zeros({edges.num_graphs(), kOutputs, kHeads}, at::kDouble);
  at::Tensor out = at::zeros({edges.num_graphs(), edges.num_entries(), kHeads}, at::kDouble);
  for_each(edges, [&](int64_t g, int32_t i, int32_t, int32_t e) {
    sum[g][i] += scores[g][e].to(at::kDouble).exp();
  });
  for_each(edges, [&](int64_t g, int32_t i, int32_t, int32_t e) {
    out[g][e] = scores[g][e].to(at::kDouble).exp() / sum[g][i];
  });
  return out;
}

at::Tensor dense_aggregate(const Edges& edges, const at::Tensor& values, const at::Tensor& h) {
  at::Tensor out = at::zeros({edges.num_graphs(), kOutputs, kHeads * kWidth}, at::kDouble);
  for_each(edges, [&](int64_t g, int32_t i, int32_t j, int32_t e) {
    for (int64_t k = 0; k < kHeads * kWidth; ++k)
      out[g][i][k] += values[g][e][k / kWidth].item<double>() * at_row(h, g, j, k);
  });
  return out;
}

// Sums of at most kInputs products of size 1 in float32.
void expect_close(const at::Tensor& got, const at::Tensor& want) {
  EXPECT_TRUE(at::allclose(got, want.to(at::kFloat), 1e-5, 1e-6));
}

// The same numbers with something else where the graph has no entry.
at::Tensor spoiled(const Edges& edges, const at::Tensor& values) {
  return at::where(edges.weight.ne(0).unsqueeze(-1), values,
                   at::full_like(values, std::numeric_limits<float>::quiet_NaN()));
}

// Shared by the graphs, or one for each.
std::vector<at::Tensor> both(int64_t rows, int64_t width, uint64_t seed, double size) {
  return {random_tensor({rows, width}, seed, -size, size),
          random_tensor({kGraphs, rows, width}, seed + 1, -size, size)};
}

// Left terms of size 0.6 to 1 and right ones below 0.4: no sum is within 0.1 of the kink at 0.
std::vector<at::Tensor> left_terms() {
  std::vector<at::Tensor> out = both(kOutputs, kHeads, 1, 0.4);
  for (at::Tensor& t : out) t = t + 0.6 * t.sign();
  return out;
}
std::vector<at::Tensor> right_terms() { return both(kInputs, kHeads, 3, 0.4); }

TEST(EdgeScores, AreTheLeakyReluOfTheSumOfBothEnds) {
  const auto edges = make_edges(kGraphs);
  for (const at::Tensor& left : left_terms())
    for (const at::Tensor& right : right_terms())
      expect_close(edge_scores(edges, left, right, kSlope), dense_scores(*edges, left, right));
}

TEST(EdgeScores, GradientsMatchFiniteDifferences) {
  const auto edges = make_edges(kGraphs);
  for (const at::Tensor& left : left_terms()) {
    for (const at::Tensor& right : right_terms()) {
      // Linear on either side of the kink: off by rounding alone, ε·10/0.05.
      expect_gradient_matches(
          [&](const at::Tensor& x) { return edge_scores(edges, x, right, kSlope); }, left, 0.05,
          5e-5);
      expect_gradient_matches(
          [&](const at::Tensor& x) { return edge_scores(edges, left, x, kSlope); }, right, 0.05,
          5e-5);
    }
  }
}

// Terms of size 0.05: with the ends' sums of 0.2 and more in size none comes near the kink.
TEST(EdgeScores, OfKindsHaveATermOfTheKind) {
  const auto edges = make_edges(kGraphs);
  const auto kinds = c10::make_intrusive<EntryKinds>();
  for (int32_t e = 0; e < edges->num_entries(); ++e) kinds->kind.push_back(e * e % 4);
  const at::Tensor term = random_tensor({4, kHeads}, 8, -0.05, 0.05);
  const at::Tensor left = left_terms()[1], right = right_terms()[0];
  const auto run = [&](const at::Tensor& t) {
    return edge_scores(edges, left, right, kinds, t, kSlope);
  };
  at::Tensor want = dense_scores(*edges, left, right);
  for_each(*edges, [&](int64_t g, int32_t, int32_t, int32_t e) {
    for (int64_t h = 0; h < kHeads; ++h) {
      const double before = want[g][e][h].item<double>();
      const double sum = (before > 0 ? before : before / kSlope) +
                         term[kinds->kind[static_cast<size_t>(e)]][h].item<double>();
      want[g][e][h] = sum > 0 ? sum : kSlope * sum;
    }
  });
  expect_close(run(term), want);
  // Linear on either side of the kink: off by rounding alone, ε·30/0.05.
  expect_gradient_matches(run, term, 0.05, 1e-4);
  expect_gradient_matches(
      [&](const at::Tensor& x) { return edge_scores(edges, x, right, kinds, term, kSlope); }, left,
      0.05, 5e-5);
  kinds->kind.pop_back();
  EXPECT_THROW(run(term), UsageError);
}

TEST(EdgeScores, RejectARowTooFew) {
  const auto edges = make_edges(1);
  EXPECT_THROW(edge_scores(edges, at::zeros({kOutputs - 1, 1}), at::zeros({kInputs, 1}), 0.2),
               UsageError);
  EXPECT_THROW(edge_scores(edges, at::zeros({kOutputs, 1}), at::zeros({kInputs - 1, 1}), 0.2),
               UsageError);
}

TEST(EdgeSoftmax, IsOverTheEntriesThatTheGraphHas) {
  const auto edges = make_edges(kGraphs);
  const at::Tensor scores = random_tensor({kGraphs, edges->num_entries(), kHeads}, 5, -3.0, 3.0);
  const at::Tensor got = edge_softmax(edges, scores);
  expect_close(got, dense_softmax(*edges, scores));
  EXPECT_TRUE(edge_softmax(edges, spoiled(*edges, scores)).equal(got));
  // A shift of all scores changes nothing, however large they are.
  EXPECT_TRUE(at::allclose(edge_softmax(edges, scores + 1000.0), got, 1e-3, 1e-6));
}

TEST(EdgeSoftmax, GradientMatchesFiniteDifferences) {
  const auto edges = make_edges(kGraphs);
  // Third derivatives of a softmax are below 1: off by h²/6 plus rounding ε/h.
  expect_gradient_matches([&](const at::Tensor& x) { return edge_softmax(edges, x); },
                          random_tensor({kGraphs, edges->num_entries(), kHeads}, 5), 0.02, 2e-4);
}

TEST(EdgeDots, AreTheProductsOfBothEndsWithTheirGradients) {
  const auto edges = make_edges(1);
  const at::Tensor left = random_tensor({kOutputs, kWidth}, 6);
  const at::Tensor right = random_tensor({kInputs, kWidth}, 7);
  at::Tensor want = at::zeros({1, edges->num_entries(), 1}, at::kDouble);
  for_each(*edges, [&](int64_t, int32_t i, int32_t j, int32_t e) {
    want[0][e][0] = (left[i] * right[j]).to(at::kDouble).sum();
  });
  expect_close(edge_dots(edges, left, right), want);
  // Linear in either: off by rounding alone.
  expect_gradient_matches([&](const at::Tensor& x) { return edge_dots(edges, x, right); }, left,
                          0.5, 2e-5);
  expect_gradient_matches([&](const at::Tensor& x) { return edge_dots(edges, left, x); }, right,
                          0.5, 2e-5);
  EXPECT_THROW(edge_dots(edges, left, at::zeros({kInputs, kWidth + 1})), UsageError);
  EXPECT_THROW(edge_dots(edges, left.narrow(0, 1, 2), right), UsageError);
}

TEST(Aggregate, IsAWeightedSumOverTheEntriesOfARow) {
  const auto edges = make_edges(kGraphs);
  const at::Tensor values = random_tensor({kGraphs, edges->num_entries(), kHeads}, 6);
  for (const at::Tensor& h : both(kInputs, kHeads * kWidth, 7, 1.0)) {
    const at::Tensor got = aggregate(edges, values, h);
    expect_close(got, dense_aggregate(*edges, values, h));
    EXPECT_TRUE(aggregate(edges, spoiled(*edges, values), h).equal(got));
  }
}

TEST(Aggregate, GradientsMatchFiniteDifferences) {
  const auto edges = make_edges(kGraphs);
  const at::Tensor values = random_tensor({kGraphs, edges->num_entries(), kHeads}, 6);
  for (const at::Tensor& h : both(kInputs, kHeads * kWidth, 7, 1.0)) {
    // Linear in either: off by rounding alone.
    expect_gradient_matches([&](const at::Tensor& x) { return aggregate(edges, x, h); }, values,
                            0.5, 2e-5);
    expect_gradient_matches([&](const at::Tensor& x) { return aggregate(edges, values, x); }, h,
                            0.5, 2e-5);
  }
}

TEST(Aggregate, RejectsPartsOfHeadsAndRowsTooFew) {
  const auto edges = make_edges(1);
  const at::Tensor values = at::zeros({1, edges->num_entries(), 2});
  EXPECT_THROW(aggregate(edges, values, at::zeros({kInputs, 3})), UsageError);
  EXPECT_THROW(aggregate(edges, values, at::zeros({kInputs - 1, 4})), UsageError);
}

TEST(EdgeOps, OfGraphsLaidEndToEndHaveNoAxisOfGraphs) {
  const auto edges = make_edges(1);
  const at::Tensor left = left_terms()[0], right = right_terms()[0];
  const at::Tensor h = random_tensor({kInputs, kHeads * kWidth}, 7);
  const auto run = [&](const at::Tensor& x) {
    return aggregate(edges, edge_softmax(edges, edge_scores(edges, left, right, kSlope)), x);
  };
  const at::Tensor plain = run(h);
  ASSERT_EQ(plain.sizes(), (std::vector<int64_t>{1, kOutputs, kHeads * kWidth}));
  edges->blocks = true;
  const at::Tensor blocks = run(h);
  ASSERT_EQ(blocks.sizes(), (std::vector<int64_t>{kOutputs, kHeads * kWidth}));
  EXPECT_TRUE(blocks.equal(plain[0]));
  expect_gradient_matches(run, h, 0.5, 2e-5);
  expect_gradient_matches(
      [&](const at::Tensor& x) {
        return aggregate(edges, edge_softmax(edges, edge_scores(edges, x, right, kSlope)), h);
      },
      left, 0.02, 5e-4);
}

}  // namespace
}  // namespace emgnn
