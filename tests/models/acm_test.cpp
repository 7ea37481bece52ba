// SPDX-License-Identifier: Apache-2.0
#include <emgnn/models/acm.h>

#include "network_fixture.h"

#include <emgnn/base/error.h>

namespace emgnn {
namespace {

class AcmTest : public NetworkTest, public testing::WithParamInterface<bool> {
 protected:
  static std::shared_ptr<Network> make(
      kernels::Activation activation = kernels::Activation::kRelu) {
    return make_stack<AcmLayer>(AcmOptions{.stack = {.layers = 2,
                                                     .hidden = 5,
                                                     .activation = activation,
                                                     .dropout = 0.3,
                                                     .input_dropout = 0.2,
                                                     .init = Init::kUniformOut},
                                           .structure = GetParam()},
                                kShape);
  }

  // One layer as it is written down, in float64 on dense matrices.
  static at::Tensor dense_layer(const at::Tensor& a, const at::Tensor& h,
                                const std::vector<at::Tensor>& parameters) {
    const at::Tensor identity = at::eye(kNodes, at::kDouble);
    const at::Tensor s = (a + identity) / (a + identity).sum(1, true);
    const std::vector<at::Tensor> w = parameters[0].chunk(3, 1);
    std::vector<at::Tensor> channels = {s.matmul(h).matmul(w[0]),
                                        (identity - s).matmul(h).matmul(w[1]), h.matmul(w[2])};
    if (GetParam()) channels.push_back(a.matmul(parameters[1]));
    const at::Tensor &v = parameters[parameters.size() - 2], &m = parameters.back();
    std::vector<at::Tensor> scores;
    for (size_t c = 0; c < channels.size(); ++c) {
      channels[c] = channels[c].relu();
      scores.push_back(channels[c].matmul(v[static_cast<int64_t>(c)]).sigmoid());
    }
    const auto number = static_cast<double>(channels.size());
    const at::Tensor weight = at::softmax(at::stack(scores, 1).matmul(m) / number, 1);
    at::Tensor out = at::zeros_like(channels[0]);
    for (size_t c = 0; c < channels.size(); ++c)
      out += weight.select(1, static_cast<int64_t>(c)).unsqueeze(1) * channels[c];
    return GetParam() ? out : 3.0 * out;
  }
};

TEST_P(AcmTest, MatchesTheDefinitionOnDenseMatrices) {
  const auto acm = make();
  EXPECT_EQ(acm->has_node_weights(), GetParam());
  expect_matches(*acm, [&](size_t g) {
    at::Tensor h = dense_features();
    for (int layer = 0; layer < 2; ++layer) {
      std::vector<at::Tensor> parameters;
      for (const Parameter& p : acm->parameters())
        if (p.layer == layer) parameters.push_back(p.value.to(at::kDouble));
      EXPECT_EQ(parameters.size(), GetParam() ? 4U : 3U);
      h = dense_layer(dense_adjacency(g), h, parameters);
    }
    return h;
  });
}

TEST_P(AcmTest, GradientsMatchFiniteDifferences) {
  // ELU has no kink. Its second derivative jumps by 1 at zero: a difference of half-width 0.01 is
  // off by at most 0.5 % of what passes there, twice over two layers, plus float32 rounding.
  expect_gradients_match(*make(kernels::Activation::kElu), 0.02);
}

TEST_P(AcmTest, DropsInTrainingOnly) {
  const auto acm = make();
  const at::NoGradGuard no_grad;
  EXPECT_TRUE(run(*acm, rows_, lams_).equal(run(*acm, rows_, lams_, {.seed = 9, .step = 3})));
  EXPECT_FALSE(run(*acm, rows_, lams_, {.training = true, .seed = 9, .step = 3})
                   .equal(run(*acm, rows_, lams_, {.training = true, .seed = 9, .step = 4})));
}

TEST(Acm, WithWeightsPerNodeRefusesALargerGraph) {
  const AcmOptions options{.stack = {.layers = 1, .hidden = 2}};
  const auto acm =
      make_stack<AcmLayer>(options, {.num_nodes = 5, .num_features = 2, .num_outputs = 2});
  const auto family = MixtureFamily::observed_only(data_of(small_graph(6, 1, 9, 1)), {});
  const GraphBatch batch = family->view(all_rows(6), acm->needs())->batch({});
  EXPECT_THROW(run_network(*acm, batch), UsageError);
}

INSTANTIATE_TEST_SUITE_P(Structure, AcmTest, testing::Bool());

}  // namespace
}  // namespace emgnn
