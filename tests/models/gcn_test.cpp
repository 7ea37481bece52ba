// SPDX-License-Identifier: Apache-2.0
#include <emgnn/models/gcn.h>

#include "molecule_fixture.h"
#include "network_fixture.h"

namespace emgnn {
namespace {

// Three layers: the embedded one, one that keeps its width and one that narrows.
GcnOptions options_of(SelfWeights self,
                      kernels::Activation activation = kernels::Activation::kRelu) {
  return {.stack = {.layers = 3,
                    .hidden = 5,
                    .activation = activation,
                    .dropout = 0.3,
                    .input_dropout = 0.2,
                    .init = Init::kUniformOut},
          .self = self};
}

// S h W + h W_self + b, without the second term where the weights are shared.
at::Tensor dense_gcn_layer(const Network& gcn, int64_t layer, const at::Tensor& s,
                           const at::Tensor& h) {
  const at::Tensor out =
      s.matmul(h).matmul(layer_value(gcn, layer, "weight")) + layer_value(gcn, layer, "bias");
  const bool separate = has_parameter(gcn, "layers." + std::to_string(layer) + ".self_weight");
  return separate ? out + h.matmul(layer_value(gcn, layer, "self_weight")) : out;
}

class GcnTest : public NetworkTest, public testing::WithParamInterface<SelfWeights> {};

TEST_P(GcnTest, MatchesTheDefinitionOnDenseMatrices) {
  const GcnOptions options = options_of(GetParam());
  const auto gcn = make_stack<GcnLayer>(options, kShape);
  expect_matches(*gcn, [&](size_t g) {
    return dense_stack(options.stack, false, dense_features(), [&](int64_t l, const at::Tensor& h) {
      return dense_gcn_layer(*gcn, l, dense_propagation(g), h);
    });
  });
}

TEST_P(GcnTest, OnMoleculesMatchesTheDefinitionOnDenseMatrices) {
  const at::NoGradGuard no_grad;
  const MoleculeFixture fixture;
  const GcnOptions options = options_of(GetParam());
  const HeadOptions head{.head = 4};
  const auto gcn = make_stack<GcnLayer>(
      options, {.num_features = kNumAtomFeatures, .num_outputs = 2, .reads_out = true}, head);
  const std::vector<std::pair<int64_t, int64_t>> places = {{0, 3}, {0, 9}, {1, 4}, {3, 12}};
  for (const bool share : {false, true}) {
    const at::Tensor got = run_network(*gcn, fixture.batch(places, gcn->needs().num_hops, share));
    for (size_t i = 0; i < places.size(); ++i) {
      const DenseItem item = fixture.dense(places[i].first, places[i].second);
      const at::Tensor rows =
          dense_stack(options.stack, true, item.x, [&](int64_t l, const at::Tensor& h) {
            return dense_gcn_layer(*gcn, l, item.propagation, h);
          });
      const at::Tensor want = dense_head(*gcn, options.stack, head.readout, rows);
      EXPECT_TRUE(at::allclose(got[static_cast<int64_t>(i)], want.to(at::kFloat), 1e-4, 1e-4));
    }
  }
}

TEST_P(GcnTest, HasWeightsForTheNodeItselfOnlyWhenAsked) {
  const auto gcn = make_stack<GcnLayer>(options_of(GetParam()), kShape);
  EXPECT_EQ(gcn->parameters().size(), GetParam() == SelfWeights::kSeparate ? 9U : 6U);
}

TEST_P(GcnTest, GradientsMatchFiniteDifferences) {
  // As for the channels of ACM, over three layers.
  const GcnOptions options = options_of(GetParam(), kernels::Activation::kElu);
  expect_gradients_match(*make_stack<GcnLayer>(options, kShape), 0.03);
}

TEST_P(GcnTest, PermutingNodesPermutesOutputs) {
  expect_permuting_nodes_permutes_outputs(*make_stack<GcnLayer>(options_of(GetParam()), kShape));
}

TEST(Gcn, HasNoBiasWhereNoneIsWanted) {
  const auto gcn =
      make_stack<GcnLayer>(GcnOptions{.stack = {.layers = 2, .hidden = 3}, .bias = false},
                           {.num_nodes = 4, .num_features = 2, .num_outputs = 2});
  EXPECT_EQ(gcn->parameters().size(), 2U);
}

INSTANTIATE_TEST_SUITE_P(Self, GcnTest,
                         testing::Values(SelfWeights::kShared, SelfWeights::kSeparate));

}  // namespace
}  // namespace emgnn
