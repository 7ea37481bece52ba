// SPDX-License-Identifier: Apache-2.0
#include <emgnn/models/learned_mixture.h>

#include <numeric>

#include "network_fixture.h"

#include <emgnn/base/error.h>

namespace emgnn {
namespace {

constexpr StackOptions kStack{.layers = 2,
                              .hidden = 5,
                              .activation = kernels::Activation::kElu,
                              .dropout = 0.3,
                              .input_dropout = 0.2};

class LearnedMixtureTest : public NetworkTest {
 protected:
  static constexpr int64_t kShares = 3;  // two views and the node itself

  std::shared_ptr<const GraphFamily> family(Mixing mixing) const {
    return MixtureFamily::observed_only(
        data_, {.normalisation = Normalisation::kSymmetric, .mixing = mixing});
  }
  static at::Tensor alpha(const Network& network) { return network.parameters().back().value; }
  at::Tensor run_on(const Network& network, Mixing mixing, std::span<const int32_t> rows,
                    const Mode& mode) const {
    return run_network(network, family(mixing)->view(rows, network.needs())->batch({}), mode);
  }
};

TEST_F(LearnedMixtureTest, BeginsAsTheNetworkOnEqualShares) {
  const Mode training{.training = true, .seed = 4, .step = 2};
  for (const char* name : {"gcn", "gcn-separate", "acm", "gin"}) {
    const std::shared_ptr<Network> inner = make_network(name, kStack, kShape);
    const LearnedMixture learned(inner, kShares);
    for (const double share : learned.shares()) EXPECT_DOUBLE_EQ(share, 1.0 / kShares);
    for (const Mode& mode : {Mode{}, training}) {
      const at::NoGradGuard no_grad;
      const at::Tensor got = run_on(learned, Mixing::kLearned, rows_, mode);
      const at::Tensor want = run_on(*inner, Mixing::kShares, rows_, mode);
      ASSERT_EQ(got.sizes(), want.sizes());
      // The same sums of at most kNodes · kShares products in another order, through two layers.
      const double rounding = 2 * kNodes * kShares * 6e-8;
      EXPECT_LE((got - want).abs().max().item<double>(),
                rounding * (1.0 + want.abs().max().item<double>()))
          << name;
    }
  }
}

TEST_F(LearnedMixtureTest, MixesByTheSoftmaxOfItsParameter) {
  const LearnedMixture learned(make_network("gcn", kStack, kShape), kShares);
  at::Tensor(alpha(learned)).detach().copy_(at::tensor({2.0F, -1.0F, 0.5F}));
  const std::vector<double> shares = learned.shares();
  EXPECT_NEAR(shares[0] / shares[1], std::exp(3.0), 1e-12 * std::exp(3.0));
  EXPECT_NEAR(std::accumulate(shares.begin(), shares.end(), 0.0), 1.0, 1e-15);
  const at::NoGradGuard no_grad;
  const GraphBatch batch = family(Mixing::kLearned)->view(rows_, {})->batch({});
  const at::Tensor h = random_tensor({kNodes, 4}, 3), each = batch.hop(0).apply(h);
  at::Tensor want = at::zeros_like(each[0]);
  for (int64_t v = 0; v < kShares; ++v) want += each[v] * shares[static_cast<size_t>(v)];
  const auto one = mixed(batch.hops[0], at::softmax(alpha(learned), 0));
  EXPECT_EQ(one->num_graphs(), 1);
  EXPECT_TRUE(at::allclose(one->apply(h)[0], want, 1e-5, 1e-6));
  EXPECT_TRUE(one->apply(h).equal(one->apply(h.unsqueeze(0))));  // shared, or of each graph
}

TEST_F(LearnedMixtureTest, GradientsAreThoseOfFiniteDifferences) {
  const std::vector<int32_t> some = {13, 2, 7, 0, 5, 18};
  const Mode mode{.training = true, .seed = 4, .step = 2};
  for (const char* name : {"gcn", "gcn-separate", "acm"}) {
    const LearnedMixture learned(make_network(name, kStack, kShape), kShares);
    at::Tensor(alpha(learned)).detach().copy_(at::tensor({0.7F, -0.4F, 0.1F}));
    // As for the networks alone: float32 outputs of size 1 over 2 h, and h² from the third
    // derivative.
    expect_parameter_gradients_match(
        learned, [&] { return run_on(learned, Mixing::kLearned, some, mode); }, 0.01, 0.01);
  }
}

TEST_F(LearnedMixtureTest, GradientInTheInputIsThatOfTheSum) {
  const GraphBatch batch = family(Mixing::kLearned)->view(rows_, {})->batch({});
  const auto one = mixed(batch.hops[0], at::tensor({0.5F, 0.3F, 0.2F}));
  // Linear: only the rounding of sums of size 20, over 2 h.
  expect_gradient_matches([&](const at::Tensor& h) { return one->apply(h); },
                          random_tensor({kNodes, 2}, 5), 0.5, 20 * 6e-8 / 0.5 * 10);
}

TEST_F(LearnedMixtureTest, IsNoWeightThatDecays) {
  const LearnedMixture learned(make_network("gcn", kStack, kShape), kShares);
  EXPECT_EQ(learned.parameters().back().layer, kNoLayer);
  EXPECT_EQ(learned.parameters().size(),
            make_network("gcn", kStack, kShape)->parameters().size() + 1);
}

TEST_F(LearnedMixtureTest, NetworksThatLookAtEdgesAreRefused) {
  const LearnedMixture learned(make_network("gat", kStack, kShape), kShares);
  EXPECT_THROW(run_on(learned, Mixing::kLearned, rows_, {}), UsageError);
}

}  // namespace
}  // namespace emgnn
