// SPDX-License-Identifier: Apache-2.0
// Descriptors of whole molecules beside the readout.
#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <limits>
#include <numeric>

#include "gradient_check.h"
#include "molecule_fixture.h"
#include "networks.h"

#include <emgnn/base/error.h>

namespace emgnn {
namespace {

constexpr StackOptions kStack{.layers = 2,
                              .hidden = 5,
                              .activation = kernels::Activation::kElu,
                              .dropout = 0.0,
                              .init = Init::kUniformOut};

class HeadDescriptors : public testing::TestWithParam<const char*> {
 protected:
  HeadDescriptors() {
    std::iota(all_.begin(), all_.end(), 0);
    scale_ = DescriptorScale::fit(*fixture_.molecules, all_);
  }

  std::shared_ptr<Network> network(bool descriptors = true) const {
    return make_network(GetParam(), kStack,
                        {.num_features = kNumAtomFeatures,
                         .num_outputs = 2,
                         .reads_out = true,
                         .descriptors = descriptors ? &scale_ : nullptr});
  }
  GraphBatch batch(const Network& network) const {
    return fixture_.family->view(all_, network.needs())->batch({});
  }

  const MoleculeFixture fixture_{6};
  std::vector<int32_t> all_ = std::vector<int32_t>(6);
  DescriptorScale scale_;
};

TEST_P(HeadDescriptors, GradientsMatchFiniteDifferences) {
  const auto net = network();
  const GraphBatch b = batch(*net);
  // Rounding is 2⁻²⁴ of sums of size 10 over h; wider steps cross the corners of a maximum.
  expect_parameter_gradients_match(
      *net, [&] { return run_network(*net, b, {.training = true}); }, 0.001, 0.03);
}

TEST_P(HeadDescriptors, AreReadOnlyWhenAskedFor) {
  const auto with = network(), without = network(false);
  EXPECT_TRUE(with->needs().reads_descriptors);
  EXPECT_FALSE(without->needs().reads_descriptors);
  EXPECT_EQ(with->buffers().size(), without->buffers().size() + 2);
  const GraphBatch b = batch(*with);
  EXPECT_EQ(b.descriptors.sizes(), (at::IntArrayRef{6, kNumDescriptors}));
  EXPECT_FALSE(batch(*without).descriptors.defined());
}

TEST_P(HeadDescriptors, AreTheSameUnderEveryGraphAndInAnyTile) {
  const at::NoGradGuard no_grad;
  const auto net = network();
  // So wide a layer that every molecule is a tile of its own.
  NetworkNeeds narrow = net->needs();
  narrow.widest_layer = int64_t{1} << 19;
  const std::vector<int64_t> lam_ids = {0, 4, 9};
  const auto outputs = [&](const NetworkNeeds& needs) {
    at::Tensor out;
    fixture_.family->view(all_, needs)
        ->evaluate(
            {.lam_ids = lam_ids}, [&](const GraphBatch& b) { return run_network(*net, b); },
            [&](size_t, const at::Tensor& o) { out = o.clone(); }, {});
    return out;
  };
  EXPECT_TRUE(at::allclose(outputs(net->needs()), outputs(narrow), 1e-5, 1e-6));
}

INSTANTIATE_TEST_SUITE_P(Networks, HeadDescriptors,
                         testing::Values("gcn", "gat", "gin", "gcn-star", "mlp"),
                         [](const auto& info) {
                           std::string name = info.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

// Without a perceptron the output is linear in the readout and in the standardised descriptors.
TEST(GraphHead, StandardisesDescriptorsAsTheScaleDoes) {
  const at::NoGradGuard no_grad;
  const MoleculeFixture fixture(4);
  const std::vector<int32_t> some = {0, 1, 2, 3}, train = {0, 1, 2};
  const DescriptorScale scale = DescriptorScale::fit(*fixture.molecules, train);
  const GcnStar network({.stack = kStack}, {.head = 0},
                        {.num_features = kNumAtomFeatures,
                         .num_outputs = 2,
                         .reads_out = true,
                         .descriptors = &scale},
                        6);
  GraphBatch batch = fixture.family->view(some, network.needs())->batch({});
  batch.descriptors[0][1] = std::numeric_limits<float>::quiet_NaN();
  batch.descriptors[1][1] = 1e6F;
  const at::Tensor with = run_network(network, batch);
  at::Tensor z = at::zeros({4, kNumDescriptors}, at::kFloat);
  for (int64_t i = 0; i < 4; ++i)
    for (int64_t d = 0; d < kNumDescriptors; ++d)
      z[i][d] = scale.standardise(batch.descriptors[i][d].item<float>(), static_cast<size_t>(d));
  EXPECT_EQ(z[0][1].item<float>(), 0.0F);
  EXPECT_EQ(z[1][1].item<float>(), 4.0F);
  batch.descriptors =
      at::tensor(scale.mean).to(at::kFloat).expand({4, kNumDescriptors}).contiguous();
  at::Tensor weight;
  for (const Parameter& p : network.parameters())
    if (p.name == "output.weight") weight = p.value;
  ASSERT_EQ(weight.size(0), 10 + kNumDescriptors);
  const at::Tensor want =
      run_network(network, batch) + z.matmul(weight.narrow(0, 10, kNumDescriptors));
  EXPECT_TRUE(at::allclose(with, want, 1e-5, 1e-5));
}

TEST(GraphHead, MoleculesWithoutDescriptorsAreRefused) {
  Molecules bare = random_molecules(3, 1, 7);
  bare.descriptors.clear();
  const auto family =
      MoleculeFamily::bonds_only(std::make_shared<const Molecules>(std::move(bare)), {});
  const std::vector<int32_t> rows = {0, 1};
  EXPECT_THROW(family->view(rows, {.reads_descriptors = true})->batch({}), UsageError);
  EXPECT_NO_THROW(family->view(rows, {})->batch({}));
}

}  // namespace
}  // namespace emgnn
