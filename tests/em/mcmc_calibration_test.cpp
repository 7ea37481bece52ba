// SPDX-License-Identifier: Apache-2.0
// Simulation-based calibration (Talts et al. 2018): a truth drawn from the prior, data drawn from the
// truth, draws from the posterior given the data. The rank of the truth among the draws is uniform if,
// and only if, the sampler draws from that posterior.
#include <gtest/gtest.h>

#include <cmath>

#include <emgnn/em/chain_diagnostics.h>
#include <emgnn/em/mcmc.h>

#include "line_space.h"

namespace emgnn {
namespace {

constexpr int kSimulations = 3000, kDraws = 19, kThin = 40;
constexpr double kNoise = 2.0;

// y = λ + noise: L(λ) = (y − λ)² / (2 σ²), so that exp(−L) is the likelihood.
std::vector<double> losses_given(double y, std::span<const int64_t> ids) {
  std::vector<double> out;
  for (int64_t id : ids) {
    const double z = (y - static_cast<double>(id)) / kNoise;
    out.push_back(0.5 * z * z);
  }
  return out;
}

// How often the truth has each rank among the draws; ties are broken by a coin.
std::vector<int> ranks(const McmcOptions& sampler, double eta) {
  std::vector<int> count(kDraws + 1, 0);
  for (int s = 0; s < kSimulations; ++s) {
    Rng rng(3, Stream::kTest, static_cast<uint64_t>(s));
    const auto truth = static_cast<int64_t>(rng.below(kPoints));
    const double y = static_cast<double>(truth) + kNoise * rng.normal();
    LossCache cache([&](std::span<const int64_t> ids) { return losses_given(y, ids); });
    const McmcResult result =
        metropolis_hastings(LineSpace(), cache, eta, sampler, 5, static_cast<uint64_t>(s));
    const std::vector<int64_t>& chain = result.draws.lam_ids[0];
    int below = 0, equal = 0;
    for (int d = 0; d < kDraws; ++d) {
      const int64_t draw =
          chain.at(chain.size() - 1 - static_cast<size_t>(d) * (chain.size() / kDraws));
      below += draw < truth ? 1 : 0;
      equal += draw == truth ? 1 : 0;
    }
    ++count[static_cast<size_t>(below) + rng.below(static_cast<uint64_t>(equal) + 1)];
  }
  return count;
}

double chi_square(const std::vector<int>& count) {
  const double expected = static_cast<double>(kSimulations) / static_cast<double>(count.size());
  double sum = 0.0;
  for (int n : count) sum += (n - expected) * (n - expected) / expected;
  return sum;
}

// The value that χ² with k degrees of freedom exceeds with this probability (Wilson and Hilferty).
double chi_square_limit(double k, double probability) {
  const double z = normal_quantile(1.0 - probability), a = 2.0 / (9.0 * k);
  return k * std::pow(1.0 - a + z * std::sqrt(a), 3.0);
}

McmcOptions sampler(ProposalKind proposal) {
  return {.steps = kDraws * kThin + 100, .chains = 1, .burn_in = 100, .proposal = proposal};
}

// A correct sampler fails for one seed in 10 000.
const double kLimit = chi_square_limit(kDraws, 1e-4);

TEST(Calibration, RanksOfTheTruthAreUniform) {
  EXPECT_LT(chi_square(ranks(sampler(ProposalKind::kUniform), 1.0)), kLimit);
}

TEST(Calibration, AndSoTheyAreWithLocalProposals) {
  // Neighbours mix more slowly: the draws are farther apart.
  McmcOptions local = sampler(ProposalKind::kLocal);
  local.steps = 8 * kDraws * kThin + 100;
  EXPECT_LT(chi_square(ranks(local, 1.0)), kLimit);
}

TEST(Calibration, SeesAWrongTemperature) {
  EXPECT_GT(chi_square(ranks(sampler(ProposalKind::kUniform), 0.6)), kLimit);
  EXPECT_GT(chi_square(ranks(sampler(ProposalKind::kUniform), 1.6)), kLimit);
}

}  // namespace
}  // namespace emgnn
