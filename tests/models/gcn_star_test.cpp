// SPDX-License-Identifier: Apache-2.0
#include <emgnn/models/gcn_star.h>

#include <ATen/Parallel.h>
#include <gtest/gtest.h>

#include "gradient_check.h"
#include "molecule_fixture.h"
#include "networks.h"

#include <emgnn/base/context.h>
#include <emgnn/base/error.h>

namespace emgnn {
namespace {

using kernels::Activation;

constexpr StackOptions kStack{.layers = 3,
                              .hidden = 5,
                              .activation = Activation::kElu,
                              .dropout = 0.0,
                              .init = Init::kUniformOut};
constexpr NetworkShape kShape{
    .num_features = kNumAtomFeatures, .num_outputs = 2, .reads_out = true};

struct Options {
  GcnStarOptions layers{.stack = kStack};
  HeadOptions head{.head = 4};

  GcnStar network(uint64_t seed) const { return {layers, head, kShape, seed}; }
};

struct Case {
  const char* name;
  Options options;
};

Options with(void (*change)(GcnStarOptions&)) {
  Options options;
  change(options.layers);
  return options;
}

Options with(Readout readout) {
  Options options;
  options.head.readout = readout;
  return options;
}

// Every choice that has code of its own.
std::vector<Case> cases() {
  return {
      {"plain", {}},
      {"one_layer", with([](GcnStarOptions& o) { o.stack.layers = 1; })},
      {"without_bias", with([](GcnStarOptions& o) { o.bias = false; })},
      {"scalar", with([](GcnStarOptions& o) { o.filter = Filter::kScalar; })},
      {"affine", with([](GcnStarOptions& o) { o.affine = true; })},
      {"scalar_affine", with([](GcnStarOptions& o) {
         o.filter = Filter::kScalar;
         o.affine = true;
       })},
      {"batch_norm", with([](GcnStarOptions& o) { o.norm = Norm::kBatch; })},
      {"batch_norm_affine", with([](GcnStarOptions& o) {
         o.norm = Norm::kBatch;
         o.affine = true;
       })},
      {"layer_norm", with([](GcnStarOptions& o) { o.norm = Norm::kLayer; })},
      {"residual", with([](GcnStarOptions& o) { o.residual = true; })},
      {"embedding", with([](GcnStarOptions& o) { o.embedding = true; })},
      {"embedding_residual_silu", with([](GcnStarOptions& o) {
         o.embedding = true;
         o.residual = true;
         o.stack.activation = Activation::kSilu;
       })},
      {"sum", with(Readout::kSum)},
      {"mean", with(Readout::kMean)},
      {"max", with(Readout::kMax)},
      {"mean_and_max", with(Readout::kMeanAndMax)},
  };
}

class GcnStarTest : public testing::TestWithParam<Case> {
 protected:
  GcnStarTest() : network_(GetParam().options.network(6)) {
    // Away from the values that terms of λ and norms begin with.
    const at::NoGradGuard no_grad;
    uint64_t k = 50;
    for (const Parameter& p : network_.parameters()) {
      if (p.name.find("lambda") == std::string::npos && p.name.find("norm") == std::string::npos)
        continue;
      at::Tensor(p.value).add_(random_tensor(p.value.sizes().vec(), ++k, -0.3, 0.3));
    }
    for (const Buffer& b : network_.buffers())
      at::Tensor(b.value).add_(random_tensor(b.value.sizes().vec(), ++k, -0.3, 0.3));
  }

  at::Tensor run(bool share_rows, const Mode& mode) const {
    const NetworkNeeds needs = network_.needs();
    return run_network(
        network_, fixture_.batch(places_, needs.num_hops, share_rows && !needs.reads_lambda), mode);
  }

  DenseGcnStar dense() const {
    return {GetParam().options.layers, GetParam().options.head, network_};
  }
  at::Tensor reference(bool batch_moments) const {
    std::vector<DenseItem> items;
    for (const auto& [molecule, lam_id] : places_)
      items.push_back(fixture_.dense(molecule, lam_id));
    return dense()(items, batch_moments);
  }

  const MoleculeFixture fixture_;
  // Molecule 1 is a single atom.
  const std::vector<std::pair<int64_t, int64_t>> places_ = {{0, 3}, {0, 9}, {0, 15}, {1, 4},
                                                            {2, 0}, {2, 6}, {3, 12}, {4, 2}};
  const GcnStar network_;
};

// float32 through three layers of sums of up to 74 products of size 1.
constexpr double kRelative = 1e-4, kAbsolute = 1e-4;

TEST_P(GcnStarTest, MatchesTheDefinitionOnDenseMatrices) {
  const at::NoGradGuard no_grad;
  const at::Tensor expected = reference(false).to(at::kFloat);
  for (const bool share : {false, true})
    EXPECT_TRUE(at::allclose(run(share, Mode{}), expected, kRelative, kAbsolute)) << share;
}

TEST_P(GcnStarTest, TrainingUsesTheMomentsOfTheBatch) {
  const at::NoGradGuard no_grad;
  const at::Tensor expected = reference(true).to(at::kFloat);
  EXPECT_TRUE(at::allclose(run(false, {.training = true}), expected, kRelative, kAbsolute));
}

TEST_P(GcnStarTest, GradientsMatchFiniteDifferences) {
  // As for the channels of ACM, over three layers.
  expect_parameter_gradients_match(
      network_, [&] { return run(false, {.training = true}); }, 0.003, 0.03);
}

TEST_P(GcnStarTest, ObservedGraphIsTheBonds) {
  const at::NoGradGuard no_grad;
  const std::vector<int32_t> some = {3, 1, 0};
  std::vector<DenseItem> items;
  for (int32_t m : some) items.push_back(fixture_.dense_bonds(m));
  const GraphBatch batch = fixture_.family->view(some, network_.needs())->batch({});
  EXPECT_TRUE(at::allclose(run_network(network_, batch), dense()(items, false).to(at::kFloat),
                           kRelative, kAbsolute));
}

INSTANTIATE_TEST_SUITE_P(Choices, GcnStarTest, testing::ValuesIn(cases()),
                         [](const auto& info) { return std::string(info.param.name); });

TEST(GcnStar, BitsDoNotDependOnThreads) {
  const MoleculeFixture fixture(40);
  Options options;
  options.layers.stack.hidden = 64;
  options.layers.stack.dropout = options.layers.stack.input_dropout = 0.2;
  options.head.head_dropout = 0.2;
  options.layers.norm = Norm::kBatch;
  options.layers.residual = true;
  std::vector<std::pair<int64_t, int64_t>> places;
  for (int64_t m = 0; m < 40; ++m)
    for (int64_t lam_id : {4, 8, 12}) places.emplace_back(m, lam_id);
  at::set_num_threads(1);
  std::vector<std::vector<at::Tensor>> results;
  for (int threads : {1, 2, 5}) {
    const Context::Scope scope{Context(threads)};
    const GcnStar network = options.network(3);
    const GraphBatch batch = fixture.batch(places, network.needs().num_hops);
    std::vector<at::Tensor> result = {
        run_network(network, batch, {.training = true, .seed = 4, .step = 2})};
    result[0].square().sum().backward();
    for (const Parameter& p : network.parameters()) result.push_back(p.value.grad());
    for (const Buffer& b : network.buffers()) result.push_back(b.value);
    result.push_back(run_network(network, batch));
    results.push_back(std::move(result));
  }
  for (size_t k = 1; k < results.size(); ++k) {
    for (size_t i = 0; i < results[k].size(); ++i)
      EXPECT_TRUE(results[k][i].equal(results[0][i])) << "tensor " << i;
  }
}

TEST(GcnStar, DropsInTrainingOnly) {
  const GraphBatch batch = MoleculeFixture().batch({{0, 9}, {3, 9}}, 3);
  for (double* (*place)(Options&) : {+[](Options& o) { return &o.layers.stack.dropout; },
                                     +[](Options& o) { return &o.layers.stack.input_dropout; },
                                     +[](Options& o) { return &o.head.head_dropout; }}) {
    Options options;
    *place(options) = 0.5;
    const GcnStar network = options.network(3);
    const Mode first{.training = true, .seed = 1, .step = 1};
    const at::Tensor dropped = run_network(network, batch, first);
    EXPECT_TRUE(dropped.equal(run_network(network, batch, first)));
    EXPECT_FALSE(
        dropped.equal(run_network(network, batch, {.training = true, .seed = 1, .step = 2})));
    EXPECT_TRUE(run_network(network, batch).equal(run_network(network, batch, {.seed = 8})));
  }
}

TEST(GcnStar, WithoutATermOfLambdaAtFirst) {
  const GraphBatch batch = MoleculeFixture().batch({{0, 9}, {3, 2}}, 3);
  const Options affine = with([](GcnStarOptions& o) { o.affine = true; });
  EXPECT_TRUE(at::allclose(run_network(Options{}.network(3), batch),
                           run_network(affine.network(3), batch)));
}

TEST(GcnStar, NeedsRowsOfTheirOwnForWeightsThatDependOnLambda) {
  const Options affine = with([](GcnStarOptions& o) { o.affine = true; });
  const GcnStar network = affine.network(3);
  EXPECT_TRUE(network.needs().reads_lambda);
  EXPECT_FALSE(Options{}.network(3).needs().reads_lambda);
  EXPECT_THROW(run_network(network, MoleculeFixture().batch({{0, 9}}, 3, true)), UsageError);
}

}  // namespace
}  // namespace emgnn
