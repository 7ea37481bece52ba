// SPDX-License-Identifier: Apache-2.0
#include <emgnn/models/gat.h>

#include "molecule_fixture.h"
#include "network_fixture.h"

namespace emgnn {
namespace {

// Three hidden heads side by side, two averaged heads of the output layer.
GatOptions options_of(kernels::Activation activation = kernels::Activation::kElu) {
  return {.stack = {.layers = 2,
                    .hidden = 4,
                    .activation = activation,
                    .dropout = 0.3,
                    .input_dropout = 0.2,
                    .init = Init::kUniformOut},
          .heads = 3,
          .output_heads = 2,
          .attention_dropout = 0.3};
}

struct DenseGat {
  const Network& network;
  const GatOptions& options;
  bool weighted, head_follows;

  // One layer on one graph; S is 0 where there is no edge.
  at::Tensor layer(int64_t l, const at::Tensor& s, const at::Tensor& h) const {
    const bool last = !head_follows && l + 1 == options.stack.layers;
    const at::Tensor left = layer_value(network, l, "attention_left");
    const at::Tensor right = layer_value(network, l, "attention_right");
    const std::vector<at::Tensor> z =
        h.matmul(layer_value(network, l, "weight")).chunk(left.size(0), 1);
    std::vector<at::Tensor> out;
    for (int64_t k = 0; k < left.size(0); ++k) {
      const at::Tensor& zk = z[static_cast<size_t>(k)];
      at::Tensor e = zk.matmul(left[k]).unsqueeze(1) + zk.matmul(right[k]).unsqueeze(0);
      e = at::leaky_relu(e, options.attention_slope).exp();
      const at::Tensor mass = weighted ? e * s : e * s.ne(0).to(at::kDouble);
      const at::Tensor total = mass.sum(1, true);
      out.push_back((mass / at::where(total.eq(0), at::ones_like(total), total)).matmul(zk));
    }
    const at::Tensor heads = last ? at::stack(out).mean(0) : at::cat(out, 1);
    return heads + layer_value(network, l, "bias");
  }

  at::Tensor operator()(const at::Tensor& x, const at::Tensor& s) const {
    return dense_stack(options.stack, head_follows, x,
                       [&](int64_t l, const at::Tensor& h) { return layer(l, s, h); });
  }
};

class GatTest : public NetworkTest, public testing::WithParamInterface<bool /* weighted */> {};

TEST_P(GatTest, MatchesTheDefinitionOnDenseMatrices) {
  const GatOptions options = options_of();
  const auto gat = make_gat(options, GetParam(), kShape);
  const DenseGat dense{*gat, options, GetParam(), false};
  expect_matches(*gat, [&](size_t g) { return dense(dense_features(), dense_propagation(g)); });
}

TEST_P(GatTest, OnOneGraphMatchesTheDefinition) {
  const at::NoGradGuard no_grad;
  const GatOptions options = options_of();
  const auto gat = make_gat(options, GetParam(), kShape);
  const auto family = MixtureFamily::observed_only(data_, {});
  const GraphBatch batch = family->view(rows_, gat->needs())->batch({});
  const at::Tensor s =
      emgnn::dense_propagation(emgnn::dense_adjacency(data_->graph, {1, 1}), Normalisation::kRow);
  const DenseGat dense{*gat, options, GetParam(), false};
  EXPECT_TRUE(at::allclose(run_network(*gat, batch)[0], dense(dense_features(), s).to(at::kFloat),
                           1e-4, 1e-5));
}

TEST_P(GatTest, WeightsOfEdgesCountOnlyWhereTheyShould) {
  const at::NoGradGuard no_grad;
  const auto gat = make_gat(options_of(), GetParam(), kShape);
  // Points 1 and 3 of five have the same edges with other weights.
  const int64_t lams[] = {1, 3};
  const at::Tensor out = run(*gat, rows_, lams);
  EXPECT_EQ(at::allclose(out[0], out[1], 1e-4, 1e-5), !GetParam());
}

// Finite differences of so many scores would cross the kink of the leaky ReLU now and then.
TEST_P(GatTest, GradientsMatchThoseOfTheDefinition) {
  const GatOptions options = options_of();
  const auto gat = make_gat(options, GetParam(), kShape);
  const DenseGat dense{*gat, options, GetParam(), false};
  std::vector<at::Tensor> slow;
  for (size_t g = 0; g < lams_.size(); ++g)
    slow.push_back(dense(dense_features(), dense_propagation(g)));
  // float32 sums of a few hundred numbers over two layers
  expect_same_parameter_gradients(*gat, run(*gat, rows_, lams_), at::stack(slow), 1e-4);
}

TEST_P(GatTest, PermutingNodesPermutesOutputs) {
  expect_permuting_nodes_permutes_outputs(*make_gat(options_of(), GetParam(), kShape));
}

TEST_P(GatTest, DropsInTrainingOnly) {
  GatOptions options = options_of();
  options.stack.dropout = options.stack.input_dropout = 0.0;  // the attention alone
  const auto gat = make_gat(options, GetParam(), kShape);
  const at::NoGradGuard no_grad;
  EXPECT_TRUE(run(*gat, rows_, lams_).equal(run(*gat, rows_, lams_, {.seed = 9, .step = 3})));
  EXPECT_FALSE(run(*gat, rows_, lams_, {.training = true, .seed = 9, .step = 3})
                   .equal(run(*gat, rows_, lams_, {.training = true, .seed = 9, .step = 4})));
}

INSTANTIATE_TEST_SUITE_P(Weighted, GatTest, testing::Bool());

constexpr NetworkShape kMolecules{
    .num_features = kNumAtomFeatures, .num_outputs = 2, .reads_out = true};
const std::vector<std::pair<int64_t, int64_t>> kPlaces = {{0, 3}, {0, 9},  {0, 15},
                                                          {1, 4}, {3, 12}, {4, 2}};

TEST(Gat, OnMoleculesMatchesTheDefinitionOnDenseMatrices) {
  const at::NoGradGuard no_grad;
  const GatOptions options = options_of();
  const HeadOptions head{.head = 4};
  for (const bool weighted : {false, true}) {
    for (const bool self_loops : {false, true}) {
      const MoleculeFixture fixture(
          5, 1, {.aggregation = Aggregation::kSymmetric, .self_loops = self_loops});
      const auto gat = make_gat(options, weighted, kMolecules, head);
      const DenseGat dense{*gat, options, weighted, true};
      const at::Tensor got = run_network(*gat, fixture.batch(kPlaces, gat->needs().num_hops));
      for (size_t i = 0; i < kPlaces.size(); ++i) {
        const DenseItem item = fixture.dense(kPlaces[i].first, kPlaces[i].second);
        const at::Tensor want =
            dense_head(*gat, options.stack, head.readout, dense(item.x, item.propagation));
        EXPECT_TRUE(at::allclose(got[static_cast<int64_t>(i)], want.to(at::kFloat), 1e-4, 1e-4))
            << "item " << i << " weighted " << weighted << " self loops " << self_loops;
      }
    }
  }
}

TEST(Gat, OnMoleculesGradientsMatchFiniteDifferences) {
  const MoleculeFixture fixture;
  const auto gat = make_gat(options_of(), true, kMolecules, {.readout = Readout::kSum, .head = 4});
  const GraphBatch batch = fixture.batch(kPlaces, gat->needs().num_hops);
  const Mode mode{.training = true, .seed = 4, .step = 2};
  // As for the channels of ACM; at this half-width hardly a score of these few crosses its kink.
  expect_parameter_gradients_match(
      *gat, [&] { return run_network(*gat, batch, mode); }, 0.003, 0.03);
}

TEST(Gat, OnMoleculesPermutingAtomsChangesNothing) {
  const at::NoGradGuard no_grad;
  const MoleculeFixture fixture;
  const auto gat = make_gat(options_of(), true, kMolecules);
  const auto family =
      MoleculeFamily::by_distance(permuted_atoms(*fixture.molecules, 1), fixture.space);
  const std::vector<int32_t> some = {0, 2, 3, 4};
  const std::vector<int64_t> lams = {3, 9, 15};
  const auto outputs = [&](const MoleculeFamily& of) {
    at::Tensor out;
    of.view(some, gat->needs())
        ->evaluate(
            {.lam_ids = lams}, [&](const GraphBatch& batch) { return run_network(*gat, batch); },
            [&](size_t, const at::Tensor& taken) { out = taken; }, {});
    return out;
  };
  const at::Tensor want = outputs(*fixture.family);
  EXPECT_TRUE(at::allclose(outputs(*family), want, 1e-4, 1e-4));
  EXPECT_GT((want[0] - want[2]).abs().max().item<float>(), 1e-2F);
}

}  // namespace
}  // namespace emgnn
