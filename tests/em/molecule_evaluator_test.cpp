// SPDX-License-Identifier: Apache-2.0
#include <emgnn/em/molecule_evaluator.h>

#include <gtest/gtest.h>

#include "../models/molecule_fixture.h"

#include <emgnn/base/error.h>
#include <emgnn/base/threads.h>
#include <emgnn/models/gcn_star.h>

namespace emgnn {
namespace {

constexpr int64_t kMolecules = 6, kConformers = 2;

class MoleculeEvaluatorTest : public testing::TestWithParam<bool /* affine */> {
 protected:
  MoleculeEvaluatorTest()
      : options_{.layers = 2, .hidden = 6, .affine = GetParam(), .head = 4},
        network_(options_, kNumAtomFeatures, 3) {
    // The terms of λ begin with zero.
    const at::NoGradGuard no_grad;
    for (const Parameter& p : network_.parameters())
      if (p.name.find("lambda") != std::string::npos) at::Tensor(p.value).fill_(0.1);
  }

  double slow(int32_t molecule, int64_t lam_id, int64_t conformer) const {
    return DenseGcnStar(options_, network_)({fixture_.dense(molecule, lam_id, conformer)}, false)
        .item<double>();
  }

  const MoleculeFixture fixture_{kMolecules, kConformers};
  const std::vector<int32_t> some_ = {4, 1, 2, 5};
  const std::vector<double> target_ = {0.3, -1.0, 2.0, 0.0};
  const ModelOptions options_;
  const GcnStar network_;
};

TEST_P(MoleculeEvaluatorTest, LossesAreThoseOfOneRadiusAtATime) {
  const MoleculeEvaluator evaluator(fixture_.family, network_, some_);
  for (RegressionLoss loss : {RegressionLoss::kSquared, RegressionLoss::kSmoothL1}) {
    for (const std::vector<int64_t>& ids :
         {fixture_.family.all_ids(), std::vector<int64_t>{7, 3, 3, 12}}) {
      const std::vector<double> losses = evaluator.losses(ids, target_, loss);
      ASSERT_EQ(losses.size(), ids.size());
      for (size_t l = 0; l < ids.size(); ++l) {
        double expected = 0.0;
        for (size_t i = 0; i < some_.size(); ++i) {
          const double z = (slow(some_[i], ids[l], 0) + slow(some_[i], ids[l], 1)) / 2;
          expected += regression_loss(loss, z, target_[i]) / 4;
        }
        EXPECT_NEAR(losses[l], expected, 1e-4 * (1 + expected)) << ids[l];
      }
    }
  }
}

TEST_P(MoleculeEvaluatorTest, ExpectationIsOverRadiiAndConformers) {
  const std::vector<int64_t> ids = {2, 5, 11};
  const std::vector<double> prob = {0.5, 0.2, 0.3};
  const auto posterior =
      Posterior::from_log_prob(ids, {std::log(0.5), std::log(0.2), std::log(0.3)});
  const TargetScale scale{.mean = 3.0, .std = 2.0};
  const MoleculeExpectation e =
      MoleculeEvaluator(fixture_.family, network_, some_).expect(posterior, scale);
  for (size_t i = 0; i < some_.size(); ++i) {
    double mean = 0.0, square = 0.0;
    for (size_t l = 0; l < ids.size(); ++l) {
      for (int64_t c = 0; c < kConformers; ++c) {
        const double z = scale.restore(slow(some_[i], ids[l], c));
        mean += prob[l] / kConformers * z;
        square += prob[l] / kConformers * z * z;
      }
    }
    EXPECT_NEAR(e.mean[i], mean, 1e-3);
    EXPECT_NEAR(e.spread[i], std::sqrt(std::max(0.0, square - mean * mean)), 1e-3);
  }
}

INSTANTIATE_TEST_SUITE_P(Weights, MoleculeEvaluatorTest, testing::Bool(),
                         [](const auto& info) { return info.param ? "affine" : "constant"; });

// Enough rows for several tiles.
struct ManyMolecules {
  const MoleculeFixture fixture{60};
  const ModelOptions options{.layers = 3, .hidden = 512, .head = 4};
  const GcnStar network{options, kNumAtomFeatures, 3};
  std::vector<int32_t> all;
  std::vector<double> target;

  ManyMolecules() {
    for (int32_t m = 0; m < 60; ++m) {
      all.push_back(m);
      target.push_back(0.1 * m);
    }
  }
};

TEST(MoleculeEvaluator, EveryGraphOnceEqualsEveryRadiusInItsTurn) {
  const ManyMolecules many;
  const MoleculeEvaluator evaluator(many.fixture.family, many.network, many.all);
  const std::vector<int64_t> ids = many.fixture.family.all_ids();
  std::vector<std::vector<double>> results;
  for (int threads : {1, 3}) {
    set_num_threads(threads);
    results.push_back(evaluator.losses(ids, many.target, RegressionLoss::kSquared));
  }
  EXPECT_EQ(results[0], results[1]);
  const at::NoGradGuard no_grad;
  for (size_t l = 0; l < ids.size(); ++l) {
    std::vector<MoleculeItem> items;
    for (int32_t m : many.all) items.push_back(many.fixture.family.item(m, ids[l], 0));
    const at::Tensor z = many.network.forward(many.fixture.family.batch(items, 3, false), Pass{});
    const at::Tensor loss =
        regression_loss(RegressionLoss::kSquared, z, at::tensor(many.target)).mean();
    // The readout's sigmoid is rounded differently at the end of a vector.
    EXPECT_NEAR(results[0][l], loss.item<double>(), 1e-6 * loss.item<double>());
  }
}

TEST(MoleculeEvaluator, AsksBetweenTilesWhetherToGoOn) {
  const ManyMolecules many;
  MoleculeEvaluator evaluator(many.fixture.family, many.network, many.all);
  int asked = 0;
  evaluator.set_poll([&] {
    if (++asked == 3) throw Interrupted("enough");
  });
  EXPECT_THROW(
      evaluator.losses(many.fixture.family.all_ids(), many.target, RegressionLoss::kSquared),
      Interrupted);
  EXPECT_EQ(asked, 3);
}

TEST(MoleculeEvaluator, ObservedPredictionsAreOnTheBonds) {
  const MoleculeFixture fixture;
  const ModelOptions options{.layers = 2, .hidden = 6};
  const GcnStar network(options, kNumAtomFeatures, 3);
  const std::vector<int32_t> some = {3, 1};
  const MoleculeExpectation e =
      MoleculeEvaluator(fixture.family, network, some).observed({.mean = 3.0, .std = 2.0});
  const at::Tensor z =
      DenseGcnStar(options, network)({fixture.dense_bonds(3), fixture.dense_bonds(1)}, false);
  for (size_t i = 0; i < 2; ++i) {
    EXPECT_NEAR(e.mean[i], 3.0 + 2.0 * z[static_cast<int64_t>(i)].item<double>(), 1e-4);
    EXPECT_EQ(e.spread[i], 0.0);
  }
}

TEST(MoleculeEvaluator, NeedsATargetForEachMolecule) {
  const MoleculeFixture fixture;
  const GcnStar network({.layers = 1, .hidden = 4}, kNumAtomFeatures, 3);
  const std::vector<int32_t> some = {0, 1};
  const std::vector<double> target = {1.0};
  const std::vector<int64_t> ids = {0};
  EXPECT_THROW(MoleculeEvaluator(fixture.family, network, some)
                   .losses(ids, target, RegressionLoss::kSquared),
               UsageError);
}

}  // namespace
}  // namespace emgnn
