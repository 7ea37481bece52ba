// SPDX-License-Identifier: Apache-2.0
#include <emgnn/models/gcn_star.h>

#include <ATen/Parallel.h>
#include <gtest/gtest.h>

#include "gradient_check.h"
#include "molecule_fixture.h"

#include <emgnn/base/error.h>
#include <emgnn/base/threads.h>

namespace emgnn {
namespace {

using kernels::Activation;

constexpr ModelOptions kBase{.layers = 3,
                             .hidden = 5,
                             .activation = Activation::kElu,
                             .dropout = 0.0,
                             .init = Init::kUniformOut,
                             .head = 4};

struct Case {
  const char* name;
  ModelOptions options;
};

ModelOptions with(void (*change)(ModelOptions&)) {
  ModelOptions options = kBase;
  change(options);
  return options;
}

// Every choice that has code of its own.
std::vector<Case> cases() {
  return {
      {"plain", kBase},
      {"one_layer", with([](ModelOptions& o) { o.layers = 1; })},
      {"without_bias", with([](ModelOptions& o) { o.bias = false; })},
      {"scalar", with([](ModelOptions& o) { o.filter = Filter::kScalar; })},
      {"affine", with([](ModelOptions& o) { o.affine = true; })},
      {"scalar_affine", with([](ModelOptions& o) {
         o.filter = Filter::kScalar;
         o.affine = true;
       })},
      {"batch_norm", with([](ModelOptions& o) { o.norm = Norm::kBatch; })},
      {"batch_norm_affine", with([](ModelOptions& o) {
         o.norm = Norm::kBatch;
         o.affine = true;
       })},
      {"layer_norm", with([](ModelOptions& o) { o.norm = Norm::kLayer; })},
      {"residual", with([](ModelOptions& o) { o.residual = true; })},
      {"embedding", with([](ModelOptions& o) { o.embedding = true; })},
      {"embedding_residual_silu", with([](ModelOptions& o) {
         o.embedding = true;
         o.residual = true;
         o.activation = Activation::kSilu;
       })},
      {"sum", with([](ModelOptions& o) { o.readout = Readout::kSum; })},
      {"mean", with([](ModelOptions& o) { o.readout = Readout::kMean; })},
      {"max", with([](ModelOptions& o) { o.readout = Readout::kMax; })},
      {"mean_and_max", with([](ModelOptions& o) { o.readout = Readout::kMeanAndMax; })},
  };
}

class GcnStarTest : public testing::TestWithParam<Case> {
 protected:
  GcnStarTest() : network_(GetParam().options, kNumAtomFeatures, 6) {
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

  std::vector<MoleculeItem> items() const {
    std::vector<MoleculeItem> items;
    for (const auto& [molecule, lam_id] : places_)
      items.push_back(fixture_.family.item(molecule, lam_id, 0));
    return items;
  }

  at::Tensor run(bool share_rows, const Pass& pass) const {
    const bool share = share_rows && !network_.reads_lambda();
    return network_.forward(fixture_.family.batch(items(), network_.num_hops(), share), pass);
  }

  at::Tensor reference(bool batch_moments) const {
    std::vector<DenseItem> dense;
    for (const auto& [molecule, lam_id] : places_)
      dense.push_back(fixture_.dense(molecule, lam_id));
    return DenseGcnStar(GetParam().options, network_)(dense, batch_moments);
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
    EXPECT_TRUE(at::allclose(run(share, Pass{}), expected, kRelative, kAbsolute)) << share;
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
  std::vector<DenseItem> dense;
  for (int32_t m : some) dense.push_back(fixture_.dense_bonds(m));
  EXPECT_TRUE(
      at::allclose(network_.forward(fixture_.family.observed(some, network_.num_hops()), Pass{}),
                   DenseGcnStar(GetParam().options, network_)(dense, false).to(at::kFloat),
                   kRelative, kAbsolute));
}

INSTANTIATE_TEST_SUITE_P(Choices, GcnStarTest, testing::ValuesIn(cases()),
                         [](const auto& info) { return std::string(info.param.name); });

TEST(GcnStar, BitsDoNotDependOnThreads) {
  const MoleculeFixture fixture(40);
  ModelOptions options = kBase;
  options.hidden = 64;
  options.dropout = options.head_dropout = options.input_dropout = 0.2;
  options.norm = Norm::kBatch;
  options.residual = true;
  std::vector<MoleculeItem> items;
  for (int64_t m = 0; m < 40; ++m) {
    for (int64_t lam_id : {4, 8, 12}) items.push_back(fixture.family.item(m, lam_id, 0));
  }
  at::set_num_threads(1);
  std::vector<std::vector<at::Tensor>> results;
  for (int threads : {1, 2, 5}) {
    set_num_threads(threads);
    const GcnStar network(options, kNumAtomFeatures, 3);
    const MoleculeBatch batch = fixture.family.batch(items, network.num_hops(), false);
    std::vector<at::Tensor> result = {
        network.forward(batch, {.training = true, .seed = 4, .step = 2})};
    result[0].square().sum().backward();
    for (const Parameter& p : network.parameters()) result.push_back(p.value.grad());
    for (const Buffer& b : network.buffers()) result.push_back(b.value);
    result.push_back(network.forward(batch, Pass{}));
    results.push_back(std::move(result));
  }
  for (size_t k = 1; k < results.size(); ++k) {
    for (size_t i = 0; i < results[k].size(); ++i)
      EXPECT_TRUE(results[k][i].equal(results[0][i])) << "tensor " << i;
  }
}

TEST(GcnStar, DropsInTrainingOnly) {
  const MoleculeFixture fixture;
  for (double ModelOptions::*place :
       {&ModelOptions::dropout, &ModelOptions::input_dropout, &ModelOptions::head_dropout}) {
    ModelOptions options = kBase;
    options.*place = 0.5;
    const GcnStar network(options, kNumAtomFeatures, 3);
    const MoleculeItem items[] = {fixture.family.item(0, 9, 0), fixture.family.item(3, 9, 0)};
    const MoleculeBatch batch = fixture.family.batch(items, 3, false);
    const Pass first{.training = true, .seed = 1, .step = 1};
    EXPECT_TRUE(network.forward(batch, first).equal(network.forward(batch, first)));
    EXPECT_FALSE(network.forward(batch, first)
                     .equal(network.forward(batch, {.training = true, .seed = 1, .step = 2})));
    EXPECT_TRUE(network.forward(batch, Pass{}).equal(network.forward(batch, {.seed = 8})));
  }
}

TEST(GcnStar, WithoutATermOfLambdaAtFirst) {
  const MoleculeFixture fixture;
  ModelOptions affine = kBase;
  affine.affine = true;
  const MoleculeItem items[] = {fixture.family.item(0, 9, 0), fixture.family.item(3, 2, 0)};
  const MoleculeBatch batch = fixture.family.batch(items, 3, false);
  EXPECT_TRUE(at::allclose(GcnStar(kBase, kNumAtomFeatures, 3).forward(batch, Pass{}),
                           GcnStar(affine, kNumAtomFeatures, 3).forward(batch, Pass{})));
}

TEST(GcnStar, NeedsRowsOfTheirOwnForWeightsThatDependOnLambda) {
  const MoleculeFixture fixture;
  ModelOptions affine = kBase;
  affine.affine = true;
  const MoleculeItem items[] = {fixture.family.item(0, 9, 0)};
  const GcnStar network(affine, kNumAtomFeatures, 3);
  EXPECT_THROW(network.forward(fixture.family.batch(items, 3, true), Pass{}), UsageError);
}

}  // namespace
}  // namespace emgnn
