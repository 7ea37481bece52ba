// SPDX-License-Identifier: Apache-2.0
#include <emgnn/models/gin.h>

#include "molecule_fixture.h"
#include "network_fixture.h"

namespace emgnn {
namespace {

GinOptions options_of(bool learn_epsilon,
                      kernels::Activation activation = kernels::Activation::kRelu) {
  return {.stack = {.layers = 2,
                    .hidden = 5,
                    .activation = activation,
                    .dropout = 0.3,
                    .input_dropout = 0.2,
                    .init = Init::kUniformOut},
          .learn_epsilon = learn_epsilon};
}

// Away from ε = 0, which it begins with.
void move_epsilon(const Network& gin) {
  const at::NoGradGuard no_grad;
  for (const Parameter& p : gin.parameters())
    if (p.name.ends_with(".epsilon")) at::Tensor(p.value).fill_(0.3 - 0.7 * p.layer);
}

// ((1 + ε) I + A) h W₁ + b₁, an activation, W₂ and b₂.
at::Tensor dense_gin_layer(const Network& gin, const StackOptions& stack, int64_t layer,
                           const at::Tensor& a, const at::Tensor& h) {
  const bool learned = has_parameter(gin, "layers." + std::to_string(layer) + ".epsilon");
  const double own = 1.0 + (learned ? layer_value(gin, layer, "epsilon").item<double>() : 0.0);
  const at::Tensor sum = (own * h + a.matmul(h)).matmul(layer_value(gin, layer, "inner_weight")) +
                         layer_value(gin, layer, "inner_bias");
  return dense_activation(sum, stack).matmul(layer_value(gin, layer, "outer_weight")) +
         layer_value(gin, layer, "outer_bias");
}

class GinTest : public NetworkTest, public testing::WithParamInterface<bool /* learned ε */> {
 protected:
  static std::shared_ptr<Network> make(const GinOptions& options) {
    const auto gin = make_stack<GinLayer>(options, kShape);
    move_epsilon(*gin);
    return gin;
  }
};

TEST_P(GinTest, MatchesTheDefinitionOnDenseMatrices) {
  const GinOptions options = options_of(GetParam());
  const auto gin = make(options);
  EXPECT_EQ(gin->parameters().size(), GetParam() ? 10U : 8U);
  expect_matches(*gin, [&](size_t g) {
    return dense_stack(options.stack, false, dense_features(), [&](int64_t l, const at::Tensor& h) {
      return dense_gin_layer(*gin, options.stack, l, dense_adjacency(g), h);
    });
  });
}

// S_ij / S_ii = A_ij √(D_i / D_j).
TEST_P(GinTest, WithSymmetricNormalisationWeighsNeighboursByTheRootsOfDegrees) {
  const at::NoGradGuard no_grad;
  const GinOptions options = options_of(GetParam());
  const auto gin = make(options);
  const auto family =
      MixtureFamily::make(data_, {.normalisation = Normalisation::kSymmetric, .step = 0.25});
  const GraphBatch batch = family->view(rows_, gin->needs())->batch({.lam_ids = lams_});
  const at::Tensor got = run_network(*gin, batch);
  for (size_t g = 0; g < lams_.size(); ++g) {
    const at::Tensor a = dense_adjacency(g);
    const at::Tensor root = (a.sum(1) + 1.0).sqrt();
    const at::Tensor weighed = a * root.unsqueeze(1) / root.unsqueeze(0);
    const at::Tensor want =
        dense_stack(options.stack, false, dense_features(), [&](int64_t l, const at::Tensor& h) {
          return dense_gin_layer(*gin, options.stack, l, weighed, h);
        });
    EXPECT_TRUE(at::allclose(got[static_cast<int64_t>(g)], want.to(at::kFloat), 1e-4, 1e-4));
  }
}

TEST_P(GinTest, GradientsMatchFiniteDifferences) {
  // As for the channels of ACM, with two activations in each of two layers.
  expect_gradients_match(*make(options_of(GetParam(), kernels::Activation::kElu)), 0.03, 0.003);
}

TEST_P(GinTest, PermutingNodesPermutesOutputs) {
  expect_permuting_nodes_permutes_outputs(*make(options_of(GetParam())));
}

TEST_P(GinTest, OnMoleculesMatchesTheDefinitionAndPermutingAtomsChangesNothing) {
  const at::NoGradGuard no_grad;
  const MoleculeFixture fixture(5, 1, {.aggregation = Aggregation::kSum});
  const auto turned =
      MoleculeFamily::by_distance(permuted_atoms(*fixture.molecules, 1), fixture.space);
  const GinOptions options = options_of(GetParam());
  const HeadOptions head{.head = 4};
  const auto gin = make_stack<GinLayer>(
      options, {.num_features = kNumAtomFeatures, .num_outputs = 2, .reads_out = true}, head);
  move_epsilon(*gin);
  const std::vector<std::pair<int64_t, int64_t>> places = {{0, 3}, {0, 9}, {1, 4}, {3, 12}};
  std::vector<MoleculeItem> items;
  for (const auto& [molecule, lam_id] : places) items.push_back(turned->item(molecule, lam_id, 0));
  const at::Tensor got = run_network(*gin, fixture.batch(places, 2));
  EXPECT_TRUE(at::allclose(run_network(*gin, turned->batch(items, {2, false})), got, 1e-4, 1e-4));
  for (size_t i = 0; i < places.size(); ++i) {
    const DenseItem item = fixture.dense(places[i].first, places[i].second);
    const at::Tensor rows =
        dense_stack(options.stack, true, item.x, [&](int64_t l, const at::Tensor& h) {
          return dense_gin_layer(*gin, options.stack, l, item.propagation, h);
        });
    const at::Tensor want = dense_head(*gin, options.stack, head.readout, rows);
    EXPECT_TRUE(at::allclose(got[static_cast<int64_t>(i)], want.to(at::kFloat), 1e-4, 1e-4));
  }
}

INSTANTIATE_TEST_SUITE_P(Epsilon, GinTest, testing::Bool());

}  // namespace
}  // namespace emgnn
