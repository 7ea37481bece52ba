// SPDX-License-Identifier: Apache-2.0
#include <emgnn/models/acm.h>

#include "../space/rewire_graph.h"
#include "network_fixture.h"

#include <emgnn/base/error.h>
#include <emgnn/models/learned_mixture.h>
#include <emgnn/space/distinct_rows.h>

namespace emgnn {
namespace {

struct AcmForm {
  bool structure = false, layer_norm = false;
};

class AcmTest : public NetworkTest, public testing::WithParamInterface<AcmForm> {
 protected:
  static std::shared_ptr<Network> make(
      kernels::Activation activation = kernels::Activation::kRelu) {
    return make_stack<AcmLayer>(AcmOptions{.stack = {.layers = 2,
                                                     .hidden = 5,
                                                     .activation = activation,
                                                     .dropout = 0.3,
                                                     .input_dropout = 0.2,
                                                     .init = Init::kUniformOut},
                                           .structure = GetParam().structure,
                                           .layer_norm = GetParam().layer_norm},
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
    const auto [structure, layer_norm] = GetParam();
    if (structure) channels.push_back(a.matmul(parameters[1]));
    const size_t first = structure ? 2 : 1;
    const at::Tensor &v = parameters[first], &m = parameters[first + 1];
    std::vector<at::Tensor> scores;
    for (size_t c = 0; c < channels.size(); ++c) {
      channels[c] = channels[c].relu();
      const auto at = static_cast<int64_t>(c);
      const at::Tensor read =
          layer_norm ? at::layer_norm(channels[c], {channels[c].size(1)}, parameters[first + 2][at],
                                      parameters[first + 3][at])
                     : channels[c];
      scores.push_back(read.matmul(v[at]).sigmoid());
    }
    const auto number = static_cast<double>(channels.size());
    const at::Tensor weight = at::softmax(at::stack(scores, 1).matmul(m) / number, 1);
    at::Tensor out = at::zeros_like(channels[0]);
    for (size_t c = 0; c < channels.size(); ++c)
      out += weight.select(1, static_cast<int64_t>(c)).unsqueeze(1) * channels[c];
    return structure ? out : 3.0 * out;
  }
};

TEST_P(AcmTest, MatchesTheDefinitionOnDenseMatrices) {
  const auto acm = make();
  const auto [structure, layer_norm] = GetParam();
  EXPECT_EQ(acm->has_node_weights(), structure);
  // Scales and shifts that a norm does not begin with.
  const at::NoGradGuard no_grad;
  for (const Parameter& p : acm->parameters())
    if (p.name.find("norm") != std::string::npos)
      at::Tensor(p.value).add_(random_tensor(p.value.sizes().vec(), 5));
  const size_t number = (structure ? 4 : 3) + (layer_norm ? 2 : 0);
  expect_matches(*acm, [&](size_t g) {
    at::Tensor h = dense_features();
    for (int layer = 0; layer < 2; ++layer) {
      std::vector<at::Tensor> parameters;
      for (const Parameter& p : acm->parameters())
        if (p.layer == layer) parameters.push_back(p.value.to(at::kDouble));
      EXPECT_EQ(parameters.size(), number);
      h = dense_layer(dense_adjacency(g), h, parameters);
    }
    return h;
  });
}

TEST_P(AcmTest, GradientsMatchFiniteDifferences) {
  const auto acm = make(kernels::Activation::kElu);
  {  // A mix that depends on the scores more than at first.
    const at::NoGradGuard no_grad;
    for (const Parameter& p : acm->parameters())
      if (p.name.find("mixing") != std::string::npos) at::Tensor(p.value).mul_(5.0);
  }
  // ELU has no kink. Its second derivative jumps by 1 at zero: a difference of half-width 0.01 is
  // off by at most 0.5 % of what passes there, twice over two layers, plus float32 rounding.
  expect_gradients_match(*acm, 0.02);
}

// Graphs that have most rows in common: these are computed once, and dropout tells them apart.
TEST_P(AcmTest, RowsThatGraphsShareHaveTheSameOutputsAndGradients) {
  const auto family = rewire_family(random_rewire_graph(kNodes, 30, 10, 3),
                                    {.grid = 4, .max_drop = 0.1, .max_add = 0.3}, 5, kWords);
  const std::vector<int64_t> lams = {0, 3, 5, 15};
  const std::vector<int32_t> some = {13, 2, 7, 0, 5, 18};
  const auto acm = make(kernels::Activation::kElu);
  const auto view = family->view(some, acm->needs());
  const GraphBatch batch = view->batch({.lam_ids = lams});
  const auto shared = distinct_rows(batch.hop(0), true);
  ASSERT_TRUE(shared);
  ASSERT_LT(shared->num_rows(), static_cast<int64_t>(shared->place.size()) / 2);
  {
    const at::NoGradGuard no_grad;
    const at::Tensor all = run_network(*acm, batch);
    for (size_t g = 0; g < lams.size(); ++g) {
      const GraphBatch alone = view->batch({.lam_ids = {&lams[g], 1}});
      EXPECT_TRUE(run_network(*acm, alone)[0].equal(all[static_cast<int64_t>(g)])) << g;
    }
    for (const Parameter& p : acm->parameters())
      if (p.name.find("mixing") != std::string::npos) at::Tensor(p.value).mul_(5.0);
  }
  const Mode mode{.training = true, .seed = 4, .step = 2};
  // Narrower than elsewhere: some rows have almost equal numbers, which a norm tears apart.
  expect_parameter_gradients_match(
      *acm, [&] { return run_network(*acm, batch, mode); }, 0.002, 0.02);
}

// Behind a mixture of one graph the hops say nothing of their rows: the layer is put together from
// single operations.
TEST_P(AcmTest, OneOperationEqualsTheSingleOnes) {
  const auto family = rewire_family(random_rewire_graph(kNodes, 30, 10, 3),
                                    {.grid = 4, .max_drop = 0.1, .max_add = 0.3}, 5, kWords);
  const auto acm = make();
  const int64_t lams[] = {5};
  const std::vector<int32_t> some = {13, 2, 7, 0, 5, 18};
  const GraphBatch batch = family->view(some, acm->needs())->batch({.lam_ids = lams});
  GraphBatch single = batch;
  for (auto& hop : single.hops) hop = mixed(hop, at::ones({1}));
  ASSERT_TRUE(distinct_rows(batch.hop(0), true) && !distinct_rows(single.hop(0), true));
  const auto run = [&](const GraphBatch& graphs) {
    const at::Tensor out = run_network(*acm, graphs, {.training = true, .seed = 4, .step = 2});
    out.square().sum().backward();
    std::vector<at::Tensor> all = {out.detach()};
    for (const Parameter& p : acm->parameters()) {
      all.push_back(p.value.grad().clone());
      at::Tensor(p.value).mutable_grad().reset();
    }
    return all;
  };
  const std::vector<at::Tensor> one = run(batch), many = run(single);
  EXPECT_TRUE(one[0].equal(many[0]));
  for (size_t k = 1; k < one.size(); ++k) {
    // The same sums of at most 100 terms in another order.
    const double scale = many[k].abs().max().item<double>();
    EXPECT_LE((one[k] - many[k]).abs().max().item<double>(), 100 * kUnitRounding * scale) << k;
  }
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

INSTANTIATE_TEST_SUITE_P(Forms, AcmTest,
                         testing::Values(AcmForm{}, AcmForm{.structure = true},
                                         AcmForm{.layer_norm = true},
                                         AcmForm{.structure = true, .layer_norm = true}),
                         [](const testing::TestParamInfo<AcmForm>& form) {
                           return std::string(form.param.structure ? "Structure" : "Plain") +
                                  (form.param.layer_norm ? "Norm" : "");
                         });

}  // namespace
}  // namespace emgnn
