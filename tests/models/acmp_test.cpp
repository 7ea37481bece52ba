// SPDX-License-Identifier: Apache-2.0
#include <emgnn/models/acmp.h>

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <map>

#include "../base/with_threads.h"
#include "../space/dense_propagation.h"
#include "../space/small_graph.h"
#include "gradient_check.h"
#include "networks.h"

#include <emgnn/space/mixture.h>

namespace emgnn {
namespace {

// Two edge types, which overlap and carry weights.
class AcmpTest : public testing::TestWithParam<Coupling> {
 protected:
  static constexpr int32_t kNodes = 19, kWords = 7, kClasses = 3;
  static constexpr NetworkShape kShape{
      .num_nodes = kNodes, .num_features = kWords, .num_outputs = kClasses};

  static AcmpOptions options(OdeGradient gradient = OdeGradient::kDirect) {
    return {.hidden = 5,
            .time = 1.0,
            .coupling = GetParam(),
            .heads = 2,
            .repulsion = 0.2,
            .ode = {.method = OdeMethod::kRk4, .step = 0.05, .gradient = gradient}};
  }

  // With weights at which every part of the equation matters.
  static Acmp network(const AcmpOptions& options) {
    Acmp out(options, kShape, 6);
    uint64_t draw = 0;
    for (const Parameter& p : out.parameters()) {
      if (p.name == "encode.weight" || p.name == "decode.weight") continue;
      const double bound = p.name.ends_with(".weight") ? 0.2 : 1.0;
      p.value.detach().copy_(random_tensor(p.value.sizes().vec(), ++draw, -bound, bound));
    }
    return out;
  }

  at::Tensor run(const Network& network, std::span<const int32_t> rows,
                 const Mode& mode = {}) const {
    return run_network(network, family_->view(rows, network.needs())->batch({}), mode);
  }

  // C - β 1_E as a dense matrix, from the definition.
  at::Tensor dense_forces(std::map<std::string, at::Tensor>& p, const at::Tensor& x) const {
    const at::Tensor a = dense_adjacency(data_->graph, {1.0, 1.0});
    const at::Tensor entry = ((a + at::eye(kNodes, at::kDouble)) > 0).to(at::kDouble);
    at::Tensor c = dense_propagation(a, Normalisation::kRow);
    if (GetParam() == Coupling::kAttention) {
      const at::Tensor q = (x.matmul(p["query.weight"]) + p["query.bias"]).view({kNodes, 2, 16});
      const at::Tensor k = (x.matmul(p["key.weight"]) + p["key.bias"]).view({kNodes, 2, 16});
      const at::Tensor s = at::einsum("ihc,jhc->hij", {q, k}) / 4.0;
      const at::Tensor u = s - s.masked_fill(entry == 0, -1e30).max();
      const at::Tensor v = (u + (u * u + 4.0).sqrt()) / 2.0 * entry;
      c = (v / v.sum(1, true)).mean(0);
    }
    return (c - 0.2) * entry;
  }

  // Every product with dense matrices in float64, steps of the 3/8 rule written out.
  at::Tensor dense_output(const Network& network) const {
    std::map<std::string, at::Tensor> p;
    for (const Parameter& parameter : network.parameters())
      p[parameter.name] = parameter.value.to(at::kDouble);
    const at::Tensor features =
        at::tensor(data_->features.dense.to_vector()).view({kNodes, kWords}).to(at::kDouble);
    at::Tensor x = features.matmul(p["encode.weight"]) + p["encode.bias"];
    const at::Tensor first = x.detach(), forces = dense_forces(p, x);
    const auto slope = [&](const at::Tensor& y) {
      return at::sigmoid(p["alpha"]) * (forces.matmul(y) - y) +
             at::sigmoid(p["delta"]) * y * (1.0 - y * y) + p["gamma"] * first;
    };
    const double h = 0.05;
    for (int step = 0; step < 20; ++step) {
      const at::Tensor k1 = slope(x), k2 = slope(x + h / 3 * k1), k3 = slope(x + h * (k2 - k1 / 3)),
                       k4 = slope(x + h * (k1 - k2 + k3));
      x = x + h / 8 * (k1 + 3 * k2 + 3 * k3 + k4);
    }
    return at::relu(x).matmul(p["decode.weight"]) + p["decode.bias"];
  }

  const std::shared_ptr<const Dataset> data_ = data_of(small_graph(kNodes, 2, 25, 3), kWords);
  const std::shared_ptr<const MixtureFamily> family_ = MixtureFamily::observed_only(data_, {});
  const std::vector<int32_t> rows_ = all_rows(kNodes);
  // 80 slopes of sums of at most 20 terms of size 1, which grow by less than e.
  static constexpr double kClose = 80 * 32 * kUnitRounding;
};

TEST_P(AcmpTest, MatchesTheEquationWithDenseMatrices) {
  const at::NoGradGuard no_grad;
  const Acmp acmp = network(options());
  const at::Tensor got = run(acmp, rows_), want = dense_output(acmp);
  ASSERT_EQ(got.sizes(), (std::vector<int64_t>{1, kNodes, kClasses}));
  EXPECT_TRUE(at::allclose(got[0].to(at::kDouble), want, kClose, kClose));
  // Only the rows that are asked for, in their order.
  const std::vector<int32_t> some = {13, 2, 7};
  EXPECT_TRUE(at::allclose(run(acmp, some)[0].to(at::kDouble),
                           want.index_select(0, at::tensor(some)), kClose, kClose));
}

TEST_P(AcmpTest, GradientsAreThoseOfTheEquationWithDenseMatrices) {
  const Acmp acmp = network(options());
  expect_same_parameter_gradients(acmp, run(acmp, rows_)[0], dense_output(acmp), 4 * kClose);
}

// The error of steps of 0.05, h⁴ = 6e-6, is beside rounding.
TEST_P(AcmpTest, BothWaysToAGradientAgree) {
  const Acmp direct = network(options()), adjoint = network(options(OdeGradient::kAdjoint));
  const std::vector<at::Tensor> want = parameter_gradients(direct, run(direct, rows_));
  const std::vector<at::Tensor> got = parameter_gradients(adjoint, run(adjoint, rows_));
  for (size_t k = 0; k < want.size(); ++k) {
    const std::string& name = direct.parameters()[k].name;
    const double size = want[k].abs().max().item<double>();
    EXPECT_GT(size, 1e-4) << name;
    EXPECT_LE((got[k] - want[k]).abs().max().item<double>(), 4 * kClose * size) << name;
  }
}

// Ten times the tolerance of a step, of which there are a few.
TEST_P(AcmpTest, AdaptiveStepsGiveTheSame) {
  const at::NoGradGuard no_grad;
  AcmpOptions adaptive = options();
  adaptive.ode = {.absolute_tolerance = 1e-5, .relative_tolerance = 1e-5};
  EXPECT_TRUE(
      at::allclose(run(network(adaptive), rows_), run(network(options()), rows_), 1e-4, 1e-4));
}

TEST_P(AcmpTest, BitsDoNotDependOnThreads) {
  const auto data = data_of(small_graph(1500, 2, 3000, 3), kWords);
  const auto family = MixtureFamily::observed_only(data, {});
  const std::vector<int32_t> rows = all_rows(1500);
  const auto bits = [&] {
    const Acmp acmp = network(options());
    const at::Tensor out = run_network(acmp, family->view(rows, acmp.needs())->batch({}));
    std::vector<at::Tensor> all = parameter_gradients(acmp, out);
    all.push_back(out.detach());
    for (at::Tensor& t : all) t = t.flatten();
    const at::Tensor flat = at::cat(all);
    return std::vector<float>(flat.data_ptr<float>(), flat.data_ptr<float>() + flat.numel());
  };
  EXPECT_EQ(with_threads(1, bits), with_threads(4, bits));
}

INSTANTIATE_TEST_SUITE_P(Both, AcmpTest,
                         testing::Values(Coupling::kAttention, Coupling::kConstant));

}  // namespace
}  // namespace emgnn
