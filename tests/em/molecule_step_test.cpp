// SPDX-License-Identifier: Apache-2.0
#include <emgnn/em/molecule_step.h>

#include <gtest/gtest.h>

#include <set>

#include "../models/molecule_fixture.h"

#include <emgnn/models/gcn_star.h>

namespace emgnn {
namespace {

constexpr ModelOptions kOptions{.layers = 2, .hidden = 6, .dropout = 0.0, .head = 4};
constexpr Pass kPass{.training = true, .seed = 5, .step = 9};

TEST(MoleculeStep, WeighsTheLossOfEachMoleculeUnderItsOwnRadius) {
  const MoleculeFixture fixture;
  const GcnStar network(kOptions, kNumAtomFeatures, 3);
  const std::vector<MoleculeDraw> draws = {{.molecule = 0, .lam_id = 3, .target = 0.5},
                                           {.molecule = 1, .lam_id = 9, .weight = -0.5},
                                           {.molecule = 3, .lam_id = 12, .weight = 2.0}};
  const MoleculeStep step =
      molecule_step(fixture.family, network, draws, RegressionLoss::kSquared, kPass);
  double objective = 0.0, mean = 0.0;
  for (const MoleculeDraw& draw : draws) {
    const double z =
        DenseGcnStar(kOptions, network)({fixture.dense(draw.molecule, draw.lam_id)}, false)
            .item<double>();
    const double loss = regression_loss(RegressionLoss::kSquared, z, draw.target);
    objective += draw.weight * loss / 3;
    mean += loss / 3;
  }
  EXPECT_NEAR(step.objective.item<double>(), objective, 1e-4);
  EXPECT_NEAR(step.mean_loss, mean, 1e-4);
  step.objective.backward();
  for (const Parameter& p : network.parameters()) EXPECT_TRUE(p.value.grad().defined()) << p.name;
}

TEST(MoleculeStep, DrawsAConformerByThePass) {
  const MoleculeFixture fixture(1, 3);
  const GcnStar network(kOptions, kNumAtomFeatures, 3);
  const std::vector<MoleculeDraw> draws = {{.molecule = 0, .lam_id = 6}};
  std::set<double> losses, expected;
  for (uint64_t step = 0; step < 40; ++step) {
    const Pass pass{.training = true, .seed = 5, .step = step};
    const double loss =
        molecule_step(fixture.family, network, draws, RegressionLoss::kSquared, pass).mean_loss;
    EXPECT_EQ(
        loss,
        molecule_step(fixture.family, network, draws, RegressionLoss::kSquared, pass).mean_loss);
    losses.insert(loss);
  }
  const at::NoGradGuard no_grad;
  for (int64_t c = 0; c < 3; ++c) {
    const MoleculeItem items[] = {fixture.family.item(0, 6, c)};
    const at::Tensor z = network.forward(fixture.family.batch(items, 2, false), Pass{});
    expected.insert(regression_loss(RegressionLoss::kSquared, z, at::zeros({1})).item<double>());
  }
  EXPECT_EQ(losses, expected);
}

TEST(MoleculeStep, OfTheObservedGraphReadsTheBonds) {
  const MoleculeFixture fixture;
  const GcnStar network(kOptions, kNumAtomFeatures, 3);
  const std::vector<MoleculeDraw> draws = {{.molecule = 2, .target = 0.5}};
  const double z = DenseGcnStar(kOptions, network)({fixture.dense_bonds(2)}, false).item<double>();
  EXPECT_NEAR(
      observed_step(fixture.family, network, draws, RegressionLoss::kSmoothL1, kPass).mean_loss,
      regression_loss(RegressionLoss::kSmoothL1, z, 0.5), 1e-4);
}

}  // namespace
}  // namespace emgnn
