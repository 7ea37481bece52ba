// SPDX-License-Identifier: Apache-2.0
// Stacks of layers with norms, residual connections and outputs that read all layers.
#include <gtest/gtest.h>

#include "network_fixture.h"

namespace emgnn {
namespace {

using DeepStackTest = NetworkTest;

StackOptions deep(Norm norm, bool residual, Jumping jumping) {
  return {.layers = 3,
          .hidden = 5,
          .activation = kernels::Activation::kElu,
          .dropout = 0.0,
          .init = Init::kUniformOut,
          .norm = norm,
          .residual = residual,
          .jumping = jumping};
}

std::vector<StackOptions> all_forms() {
  std::vector<StackOptions> out;
  for (const Norm norm : {Norm::kNone, Norm::kBatch, Norm::kLayer})
    for (const bool residual : {false, true})
      for (const Jumping jumping : {Jumping::kLast, Jumping::kConcat, Jumping::kMax, Jumping::kSum})
        out.push_back(deep(norm, residual, jumping));
  return out;
}

// Parameters and moments that are not those of a network that was never trained.
void disturb(const Network& network) {
  const at::NoGradGuard no_grad;
  uint64_t step = 100;
  for (const Parameter& p : network.parameters()) {
    if (p.name.find("norm") == std::string::npos) continue;
    at::Tensor(p.value).add_(random_tensor(p.value.sizes().vec(), ++step, 0.0, 0.5));
  }
  for (const Buffer& b : network.buffers())
    at::Tensor(b.value).add_(random_tensor(b.value.sizes().vec(), ++step, 0.0, 0.5));
}

at::Tensor dense_norm(const Network& network, const StackOptions& options, int64_t l,
                      const at::Tensor& h) {
  if (options.norm == Norm::kNone) return h;
  const bool batch = options.norm == Norm::kBatch;
  const at::Tensor mean = batch ? layer_value(network, l, "norm_mean") : h.mean(1, true);
  const at::Tensor var =
      batch ? layer_value(network, l, "norm_var") : (h - mean).square().mean(1, true);
  return (h - mean) / (var + kNormEpsilon).sqrt() * layer_value(network, l, "norm_weight") +
         layer_value(network, l, "norm_bias");
}

at::Tensor dense_gcn(const Network& network, const StackOptions& options, const at::Tensor& shift,
                     at::Tensor h) {
  const bool jumps = options.jumping != Jumping::kLast;
  std::vector<at::Tensor> states;
  for (int64_t l = 0; l < options.layers; ++l) {
    at::Tensor next =
        shift.matmul(h.matmul(layer_value(network, l, "weight"))) + layer_value(network, l, "bias");
    if (jumps || l + 1 < options.layers) {
      next = dense_activation(dense_norm(network, options, l, next), options);
      if (options.residual && l > 0) next = next + h;
    }
    states.push_back(h = next);
  }
  if (!jumps) return h;
  const at::Tensor read = options.jumping == Jumping::kConcat ? at::cat(states, 1)
                          : options.jumping == Jumping::kMax  ? at::stack(states).amax(0)
                                                              : at::stack(states).sum(0);
  return read.matmul(value_of(network, "output.weight")) + value_of(network, "output.bias");
}

TEST_F(DeepStackTest, MatchesItsDefinitionInEveryForm) {
  for (const StackOptions& options : all_forms()) {
    const auto network = make_stack<GcnLayer>(GcnOptions{.stack = options}, kShape);
    disturb(*network);
    expect_matches(*network, [&](size_t g) {
      return dense_gcn(*network, options, dense_propagation(g), dense_features());
    });
  }
}

// Of the largest of each column, too, which differences would cross now and then.
TEST_F(DeepStackTest, GradientsMatchThoseOfTheDefinitionInEveryForm) {
  for (const StackOptions& options : all_forms()) {
    const auto network = make_stack<GcnLayer>(GcnOptions{.stack = options}, kShape);
    disturb(*network);
    std::vector<at::Tensor> slow;
    for (size_t g = 0; g < lams_.size(); ++g)
      slow.push_back(dense_gcn(*network, options, dense_propagation(g), dense_features()));
    // float32 sums of a few hundred numbers over three layers
    expect_same_parameter_gradients(*network, run(*network, rows_, lams_), at::stack(slow), 1e-4);
  }
}

// In training the moments of a batch have gradients of their own. A bias in front of them has none.
TEST_F(DeepStackTest, GradientsThroughBatchMomentsMatchDifferences) {
  for (const Jumping jumping : {Jumping::kLast, Jumping::kConcat, Jumping::kSum}) {
    const StackOptions options = deep(Norm::kBatch, true, jumping);
    const auto network = make_stack<GcnLayer>(GcnOptions{.stack = options, .bias = false}, kShape);
    disturb(*network);
    const Mode mode{.training = true, .seed = 4, .step = 2};
    expect_parameter_gradients_match(
        *network, [&] { return run(*network, rows_, lams_, mode); }, 0.002, 0.02);
  }
}

TEST_F(DeepStackTest, GradientsOfOtherLayersMatchDifferences) {
  const StackOptions options = deep(Norm::kLayer, true, Jumping::kConcat);
  expect_gradients_match(*make_stack<GinLayer>(GinOptions{.stack = options}, kShape), 0.02, 0.002);
  expect_gradients_match(*make_stack<AcmLayer>(AcmOptions{options, false}, kShape), 0.03, 0.002);
  expect_gradients_match(*make_mlp(options, kShape), 0.02, 0.002);
}

// In training each graph is normalised by its own moments.
TEST_F(DeepStackTest, BatchOfGraphsIsGraphByGraphInTraining) {
  const at::NoGradGuard no_grad;
  const Mode mode{.training = true, .seed = 4, .step = 2};
  for (const StackOptions& options : all_forms()) {
    const auto network = make_stack<GcnLayer>(GcnOptions{.stack = options}, kShape);
    const at::Tensor batched = run(*network, rows_, lams_, mode);
    for (size_t g = 0; g < lams_.size(); ++g) {
      const int64_t one[] = {lams_[g]};
      const at::Tensor alone = run(*network, rows_, one, mode)[0];
      EXPECT_TRUE(at::allclose(batched[static_cast<int64_t>(g)], alone, 1e-4, 1e-5)) << g;
    }
  }
}

// Heads side by side are as wide as what is added to them and what is read of all layers.
TEST_F(DeepStackTest, AttentionHeadsAreNormalisedAddedAndReadTogether) {
  const at::NoGradGuard no_grad;
  const StackOptions options = deep(Norm::kLayer, true, Jumping::kConcat);
  const auto gat = make_gat({.stack = options, .heads = 2}, true, kShape);
  disturb(*gat);
  EXPECT_EQ(value_of(*gat, "output.weight").size(0), 3 * 2 * options.hidden);
  const at::Tensor batched = run(*gat, rows_, lams_);
  for (size_t g = 0; g < lams_.size(); ++g) {
    const int64_t one[] = {lams_[g]};
    EXPECT_TRUE(
        at::allclose(batched[static_cast<int64_t>(g)], run(*gat, rows_, one)[0], 1e-4, 1e-5));
  }
}

TEST_F(DeepStackTest, BatchMomentsAreThoseOfTheRows) {
  const at::NoGradGuard no_grad;
  StackOptions options = deep(Norm::kBatch, false, Jumping::kLast);
  options.layers = 2;
  options.activation = kernels::Activation::kIdentity;
  const auto network = make_stack<GcnLayer>(GcnOptions{.stack = options}, kShape);
  const int64_t one[] = {lams_[0]};
  const at::Tensor h =
      dense_propagation(0).matmul(dense_features().matmul(layer_value(*network, 0, "weight"))) +
      layer_value(*network, 0, "bias");
  run(*network, rows_, one, {.training = true});
  const at::Tensor mean = layer_value(*network, 0, "norm_mean");
  const at::Tensor var = layer_value(*network, 0, "norm_var");
  // From 0 and 1, a tenth of the way to those of the rows; the variance without its bias.
  EXPECT_TRUE(at::allclose(mean, kNormMomentum * h.mean(0), 1e-4, 1e-6));
  EXPECT_TRUE(at::allclose(var, (1.0 - kNormMomentum) + kNormMomentum * h.var(0), 1e-4, 1e-6));
}

TEST_F(DeepStackTest, PermutingNodesPermutesOutputs) {
  const StackOptions options = deep(Norm::kLayer, true, Jumping::kMax);
  expect_permuting_nodes_permutes_outputs(
      *make_stack<GcnLayer>(GcnOptions{.stack = options}, kShape));
}

}  // namespace
}  // namespace emgnn
