// SPDX-License-Identifier: Apache-2.0
#include <emgnn/models/pair_graph.h>

#include <gtest/gtest.h>

#include "../base/with_threads.h"
#include "gradient_check.h"

#include <emgnn/models/edge_ops.h>

namespace emgnn {
namespace {

// Pairs of n nodes, with or without all (i, i). The last node has no pair with another.
Csr some_pairs(int32_t n, bool loops) {
  Coo coo;
  for (int32_t i = 0; i < n; ++i) {
    for (int32_t j = i; j < n; ++j) {
      if (i == j ? !loops : (i * j + i + j) % 3 == 0 || j == n - 1) continue;
      coo.row.push_back(i);
      coo.col.push_back(j);
    }
  }
  return csr_from_coo(n, n, coo, Duplicates::kSum);
}

// D^-1/2 W D^-1/2, with rows of zeros where W has them.
at::Tensor dense(const Csr& pairs, bool loops, const at::Tensor& weight) {
  at::Tensor w = loops ? at::zeros({pairs.num_rows, pairs.num_rows}, at::kDouble)
                       : at::eye(pairs.num_rows, at::kDouble);
  for (int32_t i = 0; i < pairs.num_rows; ++i)
    for (const auto [e, j] : pairs.row(i)) w[i][j] = w[j][i] = weight[e].item<double>();
  const at::Tensor degree = w.sum(1), scale = degree.pow(-0.5).masked_fill(degree.le(0.0), 0.0);
  return scale.unsqueeze(1) * w * scale.unsqueeze(0);
}

at::Tensor positive_weights(const Csr& pairs) {
  return random_tensor({pairs.num_entries()}, 5, 0.3, 1.5);
}

TEST(PairGraph, HopIsTheSymmetricallyNormalisedMatrixOfTheWeights) {
  for (const bool loops : {true, false}) {
    const Csr pairs = some_pairs(9, loops);
    const at::Tensor weight = positive_weights(pairs);
    weight[2] = 0.0;
    if (loops) weight[pairs.num_entries() - 1] = 0.0;  // the last node is left with nothing
    const auto graph = pair_graph(pairs, loops);
    const auto hop = weighted_hop(*graph, normalised(graph, weight));
    const at::Tensor want = dense(pairs, loops, weight).to(at::kFloat);
    // Sums of at most 9 positive numbers.
    EXPECT_TRUE(at::allclose(hop->apply(at::eye(9, at::kFloat))[0], want, 1e-6, 1e-7));
    EXPECT_TRUE(at::allclose(hop->diagonal().view(-1), want.diagonal(), 1e-6, 1e-7));
    EXPECT_EQ(want[8].abs().sum().item<float>() == 0.0F, loops);
    const at::Tensor h = random_tensor({9, 4}, 6);
    EXPECT_TRUE(hop->self(h).equal(h));
    EXPECT_TRUE(hop->edges()->weight.equal(normalised(graph, weight).view({1, -1})));
  }
}

TEST(PairGraph, GradientInTheWeightsMatchesFiniteDifferences) {
  for (const bool loops : {true, false}) {
    const Csr pairs = some_pairs(9, loops);
    const auto graph = pair_graph(pairs, loops);
    // Weights are at least 0.3 and so are degrees: third derivatives are below 15/8 · 0.3^-3.5 < 130
    // for each of at most 18 entries, off by 3 · h² · 130, plus rounding of 1e-6/h.
    expect_gradient_matches([&](const at::Tensor& w) { return normalised(graph, w); },
                            positive_weights(pairs), 0.003, 4e-3);
  }
}

TEST(PairGraph, GradientInTheRowsIsThatOfTheSymmetricMatrix) {
  const Csr pairs = some_pairs(9, false);
  const auto graph = pair_graph(pairs, false);
  const auto hop = weighted_hop(*graph, normalised(graph, positive_weights(pairs)));
  expect_gradient_matches([&](const at::Tensor& h) { return hop->apply(h); },
                          random_tensor({9, 3}, 7), 0.5, 2e-5);
}

TEST(PairGraph, ProductsHaveTheGradientOfBothEnds) {
  for (const bool loops : {true, false}) {
    const Csr pairs = some_pairs(9, loops);
    const auto graph = pair_graph(pairs, loops);
    const auto edges = whole_pattern(pairs);
    const auto products = [&](const at::Tensor& rows) {
      return pair_products(graph, rows, edge_dots(edges, rows.detach(), rows.detach()).view(-1));
    };
    // Differences of a quadratic function are exact; 45 products of at most 3 are off by 1e-5.
    expect_gradient_matches(products, random_tensor({9, 3}, 9), 0.5, 5e-5);
  }
}

TEST(PairGraph, BitsDoNotDependOnThreads) {
  const Csr pairs = some_pairs(700, true);
  const at::Tensor weight = positive_weights(pairs);
  const auto bits = [&] {
    const auto graph = pair_graph(pairs, true);
    at::Tensor w = weight.clone().set_requires_grad(true);
    const at::Tensor values = normalised(graph, w);
    (values * random_tensor(values.sizes().vec(), 8)).sum().backward();
    at::Tensor rows = random_tensor({700, 12}, 10).set_requires_grad(true);
    (pair_products(graph, rows, weight) * weight).sum().backward();
    return std::pair(values.detach(), at::cat({w.grad(), rows.grad().view(-1)}));
  };
  const auto one = with_threads(1, bits), three = with_threads(3, bits);
  EXPECT_TRUE(one.first.equal(three.first));
  EXPECT_TRUE(one.second.equal(three.second));
}

}  // namespace
}  // namespace emgnn
