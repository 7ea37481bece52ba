// SPDX-License-Identifier: Apache-2.0
// Networks that are linear in the graph or do not see it.
#include <emgnn/models/sgc.h>

#include "molecule_fixture.h"
#include "network_fixture.h"

#include <emgnn/space/no_graph.h>

namespace emgnn {
namespace {

class SgcTest : public NetworkTest, public testing::WithParamInterface<int64_t /* hops */> {
 protected:
  static Sgc make() {
    return {{.hops = GetParam(), .input_dropout = 0.2, .init = Init::kUniformOut}, kShape, 6};
  }
};

// S^K X W + b
TEST_P(SgcTest, MatchesTheDefinitionOnDenseMatrices) {
  const Sgc sgc = make();
  EXPECT_EQ(sgc.needs().num_hops, GetParam());
  expect_matches(sgc, [&](size_t g) {
    at::Tensor h = dense_features();
    for (int64_t k = 0; k < GetParam(); ++k) h = dense_propagation(g).matmul(h);
    return h.matmul(value_of(sgc, "weight")) + value_of(sgc, "bias");
  });
}

TEST_P(SgcTest, GradientsMatchFiniteDifferences) {
  // Linear in its parameters: off by rounding alone.
  expect_gradients_match(make(), 1e-4, 0.5);
}

TEST_P(SgcTest, PermutingNodesPermutesOutputs) { expect_permuting_nodes_permutes_outputs(make()); }

INSTANTIATE_TEST_SUITE_P(Hops, SgcTest, testing::Values(1, 2, 4));

class DenseLayerTest : public NetworkTest {
 protected:
  static StackOptions options_of(kernels::Activation activation) {
    return {.layers = 3,
            .hidden = 5,
            .activation = activation,
            .dropout = 0.3,
            .input_dropout = 0.2,
            .init = Init::kUniformOut};
  }
  static at::Tensor dense(const Network& mlp, const StackOptions& options, bool head_follows,
                          const at::Tensor& x) {
    return dense_stack(options, head_follows, x, [&](int64_t l, const at::Tensor& h) {
      return h.matmul(layer_value(mlp, l, "weight")) + layer_value(mlp, l, "bias");
    });
  }

  const StackOptions options_ = options_of(kernels::Activation::kRelu);
};

TEST_F(DenseLayerTest, MatchesTheDefinitionWhateverTheGraph) {
  const auto mlp = make_mlp(options_, kShape);
  expect_matches(*mlp, [&](size_t) { return dense(*mlp, options_, false, dense_features()); });
}

TEST_F(DenseLayerTest, NeedsNoGraph) {
  const at::NoGradGuard no_grad;
  const auto mlp = make_mlp(options_, kShape);
  const auto family = std::make_shared<NoGraphFamily>(data_);
  const std::vector<int32_t> some = {13, 2, 7};
  const GraphBatch batch = family->view(some, mlp->needs())->batch({});
  EXPECT_EQ(batch.input->num_rows(), 3);
  const at::Tensor want = dense(*mlp, options_, false, dense_features());
  EXPECT_TRUE(at::allclose(run_network(*mlp, batch)[0],
                           want.index_select(0, at::tensor(some)).to(at::kFloat), 1e-4, 1e-5));
}

TEST_F(DenseLayerTest, OnMoleculesReadsTheAtomsOut) {
  const at::NoGradGuard no_grad;
  const MoleculeFixture fixture;
  const HeadOptions head{.readout = Readout::kMeanAndMax, .head = 4};
  const auto mlp = make_mlp(
      options_, {.num_features = kNumAtomFeatures, .num_outputs = 2, .reads_out = true}, head);
  const std::vector<int32_t> some = {3, 1, 0};
  const at::Tensor got = run_network(*mlp, fixture.family->view(some, mlp->needs())->batch({}));
  for (size_t i = 0; i < some.size(); ++i) {
    const at::Tensor rows = dense(*mlp, options_, true, fixture.features(some[i]));
    const at::Tensor want = dense_head(*mlp, options_, head.readout, rows);
    EXPECT_TRUE(at::allclose(got[static_cast<int64_t>(i)], want.to(at::kFloat), 1e-4, 1e-4));
  }
}

TEST_F(DenseLayerTest, GradientsMatchFiniteDifferences) {
  // As for the channels of ACM, over three layers.
  expect_gradients_match(*make_mlp(options_of(kernels::Activation::kElu), kShape), 0.03);
}

}  // namespace
}  // namespace emgnn
