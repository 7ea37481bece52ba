// SPDX-License-Identifier: Apache-2.0
#include <emgnn/em/chain_diagnostics.h>

#include <gtest/gtest.h>

#include <cmath>

#include <emgnn/base/rng.h>

namespace emgnn {
namespace {

using Chains = std::vector<std::vector<double>>;

// x_t = φ x_{t−1} + ε_t, started from its stationary distribution
Chains autoregressive(size_t num_chains, size_t length, double phi) {
  Chains chains(num_chains);
  for (size_t c = 0; c < num_chains; ++c) {
    Rng rng(7, Stream::kTest, c);
    double x = rng.normal() / std::sqrt(1.0 - phi * phi);
    for (size_t t = 0; t < length; ++t) {
      chains[c].push_back(x);
      x = phi * x + rng.normal();
    }
  }
  return chains;
}

TEST(ChainDiagnostics, IndependentDrawsCountInFull) {
  const ChainDiagnostics d = diagnose(autoregressive(4, 2000, 0.0));
  // Each ρ̂ has deviation 1/√n. Geyer's rule keeps a handful; allow six of them at five deviations.
  const double n = 8000.0;
  EXPECT_NEAR(d.ess / n, 1.0, 5.0 * 2.0 * std::sqrt(6.0 / n));
  EXPECT_NEAR(d.rhat, 1.0, 0.01);
}

TEST(ChainDiagnostics, CorrelatedDrawsCountByTheirAutocorrelationTime) {
  const double phi = 0.5, n = 20000.0;
  const ChainDiagnostics d = diagnose(autoregressive(4, 5000, phi));
  const double expected = n * (1.0 - phi) / (1.0 + phi);
  // The relative deviation of τ̂ with a window of m lags is √(2(2m + 1)/n); ρ is lost in noise after
  // m ≈ 10.
  EXPECT_NEAR(d.ess / expected, 1.0, 4.0 * std::sqrt(2.0 * 21.0 / n));
  EXPECT_NEAR(d.rhat, 1.0, 0.01);
}

TEST(ChainDiagnostics, AlternatingDrawsCountMoreThanIndependentOnes) {
  EXPECT_GT(diagnose(autoregressive(4, 2000, -0.5)).ess, 8000.0);
}

TEST(ChainDiagnostics, DisagreeingChainsAreSeen) {
  Chains chains = autoregressive(2, 1000, 0.0);
  for (double& x : chains[1]) x += 10.0;
  const ChainDiagnostics d = diagnose(chains);
  // Half-chain means 0, 0, 10, 10 have variance 100/3: R̂ ≈ √(1 + 33.3).
  EXPECT_NEAR(d.rhat, std::sqrt(1.0 + 100.0 / 3.0), 0.5);
  EXPECT_LT(d.ess, 5.0);
}

TEST(ChainDiagnostics, ADriftInsideOneChainIsSeen) {
  Chains chains(1);
  for (int t = 0; t < 1000; ++t) chains[0].push_back(0.01 * t);
  EXPECT_GT(diagnose(chains).rhat, 1.5);
}

TEST(ChainDiagnostics, SequencesThatNeverMoveAgree) {
  const ChainDiagnostics d = diagnose(Chains(2, std::vector<double>(10, 0.25)));
  EXPECT_EQ(d.rhat, 1.0);
  EXPECT_EQ(d.ess, 20.0);
}

TEST(ChainDiagnostics, TooFewDrawsGiveNoFigure) {
  const ChainDiagnostics d = diagnose(Chains{{1.0, 2.0, 3.0}});
  EXPECT_TRUE(std::isnan(d.rhat));
  EXPECT_TRUE(std::isnan(d.ess));
}

}  // namespace
}  // namespace emgnn
