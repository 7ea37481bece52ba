// SPDX-License-Identifier: Apache-2.0
#include <emgnn/models/gtn.h>

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "../base/with_threads.h"
#include "../space/dense_propagation.h"
#include "../space/small_graph.h"
#include "gradient_check.h"
#include "networks.h"

#include <emgnn/space/edge_types.h>

namespace emgnn {
namespace {

// Five edge types, which overlap and carry weights.
class GtnTest : public testing::Test {
 protected:
  static constexpr int32_t kNodes = 19, kWords = 7, kClasses = 3;
  static constexpr NetworkShape kShape{
      .num_nodes = kNodes, .num_features = kWords, .num_outputs = kClasses};

  static Gtn network(const GtnOptions& options, const GraphFamily& family) {
    Gtn out(options, kShape, family.coordinate_names(), 6);
    // Selections that differ, and a bias.
    uint64_t draw = 0;
    for (const Parameter& p : out.parameters()) {
      if (p.name.starts_with("select.") || p.name == "bias")
        p.value.detach().copy_(random_tensor(p.value.sizes().vec(), ++draw, -1.5, 1.5));
    }
    return out;
  }

  // Steps of P are sums of positive numbers, one for each neighbour and its types; the products with
  // W and W' and the rest are at most 32 roundings.
  static double rounding(int64_t path_length) {
    return static_cast<double>((kNodes + 6) * path_length + 32) * kUnitRounding;
  }

  at::Tensor run(const Network& network, std::span<const int32_t> rows,
                 const Mode& mode = {}) const {
    return run_network(network, family_->view(rows, network.needs())->batch({}), mode);
  }

  // From the definition: every product is formed, and so is what is normalised.
  at::Tensor dense_output(const Network& network, const GtnOptions& options) const {
    std::map<std::string, at::Tensor> p;
    std::vector<at::Tensor> select;
    for (const Parameter& parameter : network.parameters()) {
      p[parameter.name] = parameter.value.to(at::kDouble);
      if (parameter.name.starts_with("select.")) select.push_back(p[parameter.name]);
    }
    std::vector<at::Tensor> types;
    for (const Relation& relation : data_->graph.relations)
      types.push_back(dense_matrix(relation.adjacency));
    types.push_back(at::eye(kNodes, at::kDouble));
    const at::Tensor eye = types.back();
    const at::Tensor xw = at::tensor(data_->features.dense.to_vector())
                              .view({kNodes, kWords})
                              .to(at::kDouble)
                              .matmul(p["weight"]);
    const at::Tensor alpha = at::softmax(at::stack(select), 0);  // [types, steps, channels]
    std::vector<at::Tensor> channels;
    for (int64_t c = 0; c < options.channels; ++c) {
      at::Tensor h = eye;
      for (int64_t s = 0; s < options.path_length; ++s) {
        at::Tensor q = at::zeros_like(eye);
        for (size_t k = 0; k < types.size(); ++k)
          q = q + alpha[static_cast<int64_t>(k)][s][c] * types[k];
        h = h.matmul(q);
        h = h / h.sum(1, true);
      }
      h = h + eye;
      h = h / h.sum(1, true);
      channels.push_back(at::relu(h.matmul(xw) + p["bias"]));
    }
    return at::cat(channels, 1).matmul(p["last.weight"]) + p["last.bias"];
  }

  const std::shared_ptr<const Dataset> data_ = data_of(small_graph(kNodes, 5, 12, 3), kWords);
  const std::shared_ptr<const EdgeTypeFamily> family_ =
      std::make_shared<const EdgeTypeFamily>(data_);
  const std::vector<int32_t> rows_ = all_rows(kNodes);
};

TEST_F(GtnTest, MatchesTheProductsThatItNeverForms) {
  const at::NoGradGuard no_grad;
  for (int64_t length : {1, 2, 3, 5}) {
    for (int64_t channels : {1, 3}) {
      const GtnOptions options{.hidden = 5, .channels = channels, .path_length = length};
      const Gtn gtn = network(options, *family_);
      const at::Tensor got = run(gtn, rows_), want = dense_output(gtn, options);
      ASSERT_EQ(got.sizes(), (std::vector<int64_t>{1, kNodes, kClasses}));
      const double close = rounding(length);
      EXPECT_TRUE(at::allclose(got[0].to(at::kDouble), want, close, close))
          << length << " " << channels;
      // Only the rows that are asked for, in their order.
      const std::vector<int32_t> some = {13, 2, 7};
      EXPECT_TRUE(at::allclose(run(gtn, some)[0].to(at::kDouble),
                               want.index_select(0, at::tensor(some)), close, close));
    }
  }
}

TEST_F(GtnTest, GradientsAreThoseOfTheProducts) {
  const GtnOptions options{.hidden = 5, .channels = 2, .path_length = 3};
  const Gtn gtn = network(options, *family_);
  // There and back.
  expect_same_parameter_gradients(gtn, run(gtn, rows_)[0], dense_output(gtn, options),
                                  2 * rounding(options.path_length));
}

TEST_F(GtnTest, GradientsMatchFiniteDifferences) {
  const GtnOptions options{
      .hidden = 4, .channels = 2, .path_length = 2, .dropout = 0.2, .input_dropout = 0.2};
  Gtn gtn = network(options, *family_);
  // No ReLU near its corner: differences are taken where the output is smooth.
  for (const Parameter& p : gtn.parameters())
    if (p.name == "bias") p.value.detach().fill_(4.0);
  const std::vector<int32_t> some = {13, 2, 7, 0, 5, 18};
  // Rounding: 18 outputs of size 1 and either sign, √18 · 2⁻²⁴ / h = 1e-5, beside derivatives of 0.004
  // and more. Curvature: h²/6 = 7e-5 of a third derivative.
  expect_parameter_gradients_match(
      gtn, [&] { return run(gtn, some, {.training = true, .seed = 4, .step = 2}); }, 0.02, 0.01);
}

TEST_F(GtnTest, BitsDoNotDependOnThreads) {
  const GtnOptions options{.hidden = 16, .path_length = 2};
  const auto data = data_of(small_graph(3000, 5, 6000, 3), kWords);
  const EdgeTypeFamily family(data);
  const std::vector<int32_t> rows = all_rows(3000);
  const auto bits = [&] {
    const Gtn gtn = network(options, family);
    const at::Tensor out = run_network(
        gtn, std::make_shared<const EdgeTypeFamily>(data)->view(rows, gtn.needs())->batch({}));
    std::vector<at::Tensor> all = parameter_gradients(gtn, out);
    all.push_back(out.detach());
    for (at::Tensor& t : all) t = t.flatten();
    const at::Tensor flat = at::cat(all);
    return std::vector<float>(flat.data_ptr<float>(), flat.data_ptr<float>() + flat.numel());
  };
  EXPECT_EQ(with_threads(1, bits), with_threads(4, bits));
}

// The factor that the softmax then lacks is the same in every row, and rows are normalised.
TEST_F(GtnTest, ATypeWithoutEdgesMayAsWellNotBeThere) {
  const at::NoGradGuard no_grad;
  Dataset more = *data_;
  more.graph.relations.insert(more.graph.relations.begin() + 2,
                              {"empty", csr_from_coo(kNodes, kNodes, {}, Duplicates::kKeepFirst)});
  const auto family =
      std::make_shared<const EdgeTypeFamily>(std::make_shared<const Dataset>(std::move(more)));
  const GtnOptions options{.hidden = 5, .path_length = 3};
  const Gtn here = network(options, *family_), there = network(options, *family);
  for (const Parameter& to : there.parameters())
    for (const Parameter& from : here.parameters())
      if (to.name == from.name) to.value.detach().copy_(from.value.detach());
  const at::Tensor want = run(here, rows_);
  const at::Tensor got = run_network(there, family->view(rows_, there.needs())->batch({}));
  const double close = 2 * rounding(options.path_length);  // of either
  EXPECT_TRUE(at::allclose(got, want, close, close));
}

// exp(-60)³ is no float32: such a node has only itself, and nothing becomes infinite.
TEST(Gtn, ANodeWithoutEdgesMayHaveNoPathAtAll) {
  const Coo edge{.row = {0, 1}, .col = {1, 0}, .val = {}};
  const auto data = data_of(
      {.num_nodes = 3, .relations = {{"a", csr_from_coo(3, 3, edge, Duplicates::kKeepFirst)}}}, 4);
  const auto family = std::make_shared<const EdgeTypeFamily>(data);
  const NetworkShape shape{.num_nodes = 3, .num_features = 4, .num_outputs = 2};
  const Gtn gtn({.hidden = 5, .path_length = 3}, shape, family->coordinate_names(), 6);
  for (const Parameter& p : gtn.parameters())
    if (p.name == "select.none") p.value.detach().fill_(-60.0);
  const at::Tensor out = run_network(gtn, family->view(all_rows(3), gtn.needs())->batch({}));
  EXPECT_TRUE(at::isfinite(out).all().item<bool>());
  const std::vector<at::Tensor> gradients = parameter_gradients(gtn, out);
  for (size_t k = 0; k < gradients.size(); ++k)
    EXPECT_TRUE(at::isfinite(gradients[k]).all().item<bool>()) << gtn.parameters()[k].name;
}

TEST_F(GtnTest, SharesAreTheMeanOfTheSelections) {
  const GtnOptions options{.hidden = 3, .channels = 2, .path_length = 2};
  const Gtn gtn = network(options, *family_);
  const at::Tensor selection = gtn.selection();
  EXPECT_EQ(selection.sizes(), (std::vector<int64_t>{2, 6, 2}));
  EXPECT_TRUE(at::allclose(selection.sum(1), at::ones({2, 2})));
  const std::vector<double> shares = gtn.shares();
  ASSERT_EQ(shares.size(), 6U);
  for (int64_t k = 0; k < 6; ++k) {
    EXPECT_NEAR(shares[static_cast<size_t>(k)], selection.select(1, k).mean().item<double>(), 1e-6);
  }
}

}  // namespace
}  // namespace emgnn
