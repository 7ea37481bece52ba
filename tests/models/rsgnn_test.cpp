// SPDX-License-Identifier: Apache-2.0
#include <emgnn/models/rsgnn.h>

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "gradient_check.h"

#include <emgnn/base/error.h>
#include <emgnn/data/generators.h>
#include <emgnn/models/edge_ops.h>

namespace emgnn {
namespace {

constexpr int64_t kLabelled = 12;  // the first nodes

struct Setting {
  explicit Setting(int64_t nearest, double smallest = 0.0)
      : min_weight(smallest),
        data(noisy_citations({.num_nodes = 40,
                              .num_classes = 3,
                              .num_words = 30,
                              .train_per_class = 2,
                              .validation_per_class = 2},
                             3)),
        links(std::make_shared<const LinkCandidates>(link_candidates(data, nearest))),
        network({.classifier = {.stack = {.layers = 2, .hidden = 5}}, .link_hidden = 6},
                {.num_nodes = 40, .num_features = 30, .num_outputs = 3}, 7) {
    std::vector<int32_t> rows(40);
    std::iota(rows.begin(), rows.end(), 0);
    input = c10::make_intrusive<InputFeatures>(data.features, rows);
    // Biases other than 0, or nothing would depend on them.
    for (const Parameter& p : network.parameters())
      if (p.value.dim() == 1)
        p.value.detach().copy_(random_tensor(p.value.sizes().vec(), 3, -0.2, 0.2));
  }

  LinkGraph graph() const {
    return LinkGraphMaker(links, min_weight).make(network.link_rows(input));
  }
  at::Tensor outputs(const LinkGraph& made) const {
    const GraphBatch batch{.input = input, .hops = {weighted_hop(*made.graph, made.values)}};
    return network.forward(batch, network.embed(input, {}), {})[0];
  }

  double min_weight;
  Dataset data;
  std::shared_ptr<const LinkCandidates> links;
  Rsgnn network;
  c10::intrusive_ptr<InputFeatures> input;
};

at::Tensor cross_entropy(const at::Tensor& outputs, const Dataset& data) {
  std::vector<int64_t> cls(data.labels.cls.begin(), data.labels.cls.begin() + kLabelled);
  const at::Tensor log_prob = at::log_softmax(outputs.to(at::kDouble).narrow(0, 0, kLabelled), 1);
  return -log_prob.gather(1, at::tensor(cls).unsqueeze(1)).mean();
}

// ---- the same in float64 on full matrices ----

at::Tensor dense_features(const Features& x) {
  at::Tensor out = at::zeros({x.num_rows, x.num_cols}, at::kDouble);
  for (int32_t i = 0; i < x.num_rows; ++i)
    for (const auto [e, c] : x.sparse.row(i)) out[i][c] = x.sparse.value(e);
  return out;
}

at::Tensor parameter(const Network& network, const std::string& name) {
  for (const Parameter& p : network.parameters())
    if (p.name == name) return p.value.to(at::kDouble);
  throw std::out_of_range(name);
}

at::Tensor as_matrix(const Csr& pairs) {
  at::Tensor out = at::zeros({pairs.num_rows, pairs.num_cols}, at::kDouble);
  for (int32_t i = 0; i < pairs.num_rows; ++i)
    for (const int32_t j : pairs.row(i).col) out[i][j] = out[j][i] = 1.0;
  return out;
}

struct Dense {
  explicit Dense(const Setting& s) {
    const auto p = [&](const char* name) { return parameter(s.network, name); };
    const at::Tensor x = dense_features(s.data.features);
    z = at::relu(x.matmul(p("links.0.weight")) + p("links.0.bias")).matmul(p("links.1.weight")) +
        p("links.1.bias");
    const at::Tensor product = z.matmul(z.t());
    weight = at::relu(product) * product.detach().ge(s.min_weight) * as_matrix(s.links->pairs);
    const at::Tensor w = s.links->loops ? weight : weight + at::eye(40, at::kDouble);
    const at::Tensor degree = w.sum(1), scale = degree.clamp_min(1e-30).pow(-0.5) * degree.gt(0.0);
    const at::Tensor hop = scale.unsqueeze(1) * w * scale.unsqueeze(0);
    const at::Tensor hidden =
        at::relu(hop.matmul(x).matmul(p("layers.0.weight")) + p("layers.0.bias"));
    outputs = hop.matmul(hidden).matmul(p("layers.1.weight")) + p("layers.1.bias");
  }

  at::Tensor z, weight, outputs;
};

TEST(Rsgnn, WeightsAndOutputsMatchFullMatrices) {
  for (const int64_t nearest : {0, 1, 8}) {
    for (const double smallest : {0.0, 0.4, 2.0}) {
      const Setting s(nearest, smallest);
      const LinkGraph got = s.graph();
      const Dense want(s);
      at::Tensor weight = at::zeros({40, 40}, at::kDouble);
      for (int32_t i = 0; i < 40; ++i)
        for (const auto [e, j] : got.pairs.row(i))
          weight[i][j] = weight[j][i] = got.weight[e].item<double>();
      // Sums of 30 and 6 numbers of size 1 in float32.
      EXPECT_TRUE(at::allclose(weight, want.weight, 1e-5, 1e-5)) << nearest << " " << smallest;
      EXPECT_TRUE(at::allclose(s.outputs(got).to(at::kDouble), want.outputs, 1e-4, 1e-5));
      EXPECT_GT(want.weight.gt(0.0).sum().item<int64_t>(), 0);
      EXPECT_EQ(got.pairs.num_entries() < s.links->pairs.num_entries(),
                nearest == 8 && smallest == 2.0);
    }
  }
}

// Edges that weigh nothing keep their place: they are to be reconstructed.
TEST(Rsgnn, ObservedPairsAreTheEdgesInTheirOrder) {
  const Setting s(8, 0.4);
  const LinkGraph got = s.graph();
  std::vector<NodePair> edges;
  for (int32_t i = 0; i < 40; ++i)
    for (const auto [e, j] : got.pairs.row(i))
      if (got.observed.eq(e).any().item<bool>()) edges.push_back({i, j});
  EXPECT_EQ(edges, undirected_edges(s.data.graph.relations[0].adjacency));
}

constexpr double kScale = 3.0;

at::Tensor rec_loss(const Setting& s, const LinkGraph& links, const Csr& others) {
  const SquaredDistances distances(std::make_shared<const Features>(s.data.features));
  const Csr edges = link_candidates(s.data, 0).pairs;
  const at::Tensor product = edge_dots(whole_pattern(others), links.rows, links.rows).view(-1);
  return reconstruction_loss(40,
                             {links.product.index_select(0, links.observed),
                              distance_factor(distances.of(edges), -1.0, kScale)},
                             {product, distance_factor(distances.of(others), 1.0, kScale)});
}

at::Tensor dense_rec_loss(const Setting& s, const at::Tensor& z, const Csr& others) {
  const at::Tensor x = dense_features(s.data.features), product = z.matmul(z.t());
  const at::Tensor distance = (x.unsqueeze(0) - x.unsqueeze(1)).square().sum(2) / (kScale * kScale);
  at::Tensor edges = as_matrix(s.data.graph.relations[0].adjacency).triu(1);
  at::Tensor apart = at::zeros({40, 40}, at::kDouble);
  for (int32_t i = 0; i < 40; ++i)
    for (const int32_t j : others.row(i).col) apart[i][j] = 1.0;
  const at::Tensor sum = (edges * (-distance).exp() * (product - 1.0).square()).sum() +
                         (apart * distance.exp() * product.square()).sum();
  return sum * 40.0 / (edges.sum() + apart.sum());
}

Csr non_edges(const Setting& s) {
  return draw_non_edges(s.links->adjacency, 6, Rng(1, Stream::kNonEdges));
}

TEST(Rsgnn, ReconstructionLossMatchesFullMatrices) {
  for (const int64_t nearest : {0, 8}) {
    const Setting s(nearest, 0.4);
    const Csr others = non_edges(s);
    const double want = dense_rec_loss(s, Dense(s).z, others).item<double>();
    EXPECT_NEAR(rec_loss(s, s.graph(), others).item<double>(), want, 1e-5 * want);
  }
}

TEST(Rsgnn, LossOfTheLinkPredictorHasTheGradientOfFullMatrices) {
  for (const int64_t nearest : {0, 8}) {
    for (const double smallest : {0.0, 0.4}) {
      const Setting s(nearest, smallest);
      const Csr others = non_edges(s);
      const LinkGraph links = s.graph();
      const Dense dense(s);
      const at::Tensor got =
          cross_entropy(s.outputs(links), s.data) + rec_loss(s, links, others) * 0.05;
      const at::Tensor want =
          cross_entropy(dense.outputs, s.data) + dense_rec_loss(s, dense.z, others) * 0.05;
      expect_same_parameter_gradients(s.network, got.view({1}), want.view({1}), 2e-4);
    }
  }
}

// Without a smallest weight the loss has no jumps. Of the kinks of its three ReLUs a step of 1e-3
// crosses few, each with a small part of the derivative.
TEST(Rsgnn, LossOfTheLinkPredictorHasTheGradientOfFiniteDifferences) {
  const Setting s(8);
  const Csr others = non_edges(s);
  const auto loss = [&] {
    const LinkGraph links = s.graph();
    return (cross_entropy(s.outputs(links), s.data) + rec_loss(s, links, others) * 0.05).view({1});
  };
  expect_parameter_gradients_match(s.network, loss, 1e-3, 0.02);
}

TEST(Rsgnn, OnlyTheLinkPredictorGetsAGradientWhenAsked) {
  const Setting s(8);
  const at::Tensor loss = cross_entropy(s.outputs(s.graph()), s.data);
  loss.backward({}, false, false, s.network.link_parameters());
  for (const Parameter& p : s.network.parameters())
    EXPECT_EQ(p.value.grad().defined(), p.optimiser == Rsgnn::kLinkOptimiser) << p.name;
}

// Direction by direction, as the definition says.
double slow_smoothness(const LinkGraph& links, const at::Tensor& y, double sure) {
  double sum = 0.0;
  for (int32_t a = 0; a < 40; ++a) {
    for (const auto [e, b] : links.pairs.row(a)) {
      const double w = links.weight[e].item<double>();
      const double apart = (y[a] - y[b]).square().sum().item<double>();
      for (const auto& [i, j] : {std::pair(a, b), std::pair(b, a)}) {
        const bool counts = (i >= kLabelled && i < j && w >= sure) || j < kLabelled;
        if (counts && i != j) sum += w * apart;
      }
    }
  }
  return sum / 40.0;
}

TEST(Rsgnn, SmoothnessIsTheSumOverThePairsThatCount) {
  std::vector<uint8_t> labelled(40);
  std::fill_n(labelled.begin(), kLabelled, uint8_t{1});
  for (const int64_t nearest : {0, 8}) {
    const Setting s(nearest);
    const LinkGraph links = s.graph();
    for (const double sure : {0.0, 0.5, 1e6}) {
      const SmoothnessMatrix matrix = smoothness_matrix(links, labelled, sure);
      const auto loss = [&](const at::Tensor& y) {
        return smoothness_loss(matrix, y).to(at::kFloat).view({1});
      };
      const at::Tensor y = random_tensor({40, 3}, 4, 0.0, 1.0);
      const double want = slow_smoothness(links, y, sure);
      EXPECT_NEAR(loss(y).item<double>(), want, 1e-5 * want + 1e-6);
      // Quadratic: off by rounding alone.
      expect_gradient_matches(loss, y, 0.1, 1e-4);
    }
  }
}

TEST(Rsgnn, FeaturesTooFarApartForTheScaleAreNamed) {
  EXPECT_THROW(distance_factor(std::vector<float>{1000.0F}, 1.0, 3.0), UsageError);
  EXPECT_EQ(distance_factor(std::vector<float>{1000.0F}, -1.0, 3.0).item<float>(),
            static_cast<float>(std::exp(-1000.0 / 9.0)));
}

}  // namespace
}  // namespace emgnn
