// SPDX-License-Identifier: Apache-2.0
// The chains are compared with the exact distribution. Standard errors come from the spread between
// independent chains, so the tolerance needs no assumption about how strongly a chain is correlated
// with itself.
#include <emgnn/em/mcmc.h>

#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include <emgnn/base/error.h>

#include "line_space.h"

namespace emgnn {
namespace {

constexpr double kEta = 3.0;

double loss(int64_t id) {
  return 0.15 * std::abs(static_cast<double>(id) - 7.5) + 0.1 * static_cast<double>(id % 3);
}

std::vector<double> losses(std::span<const int64_t> ids) {
  std::vector<double> out;
  for (int64_t id : ids) out.push_back(loss(id));
  return out;
}

Posterior exact() {
  const std::vector<int64_t> ids = LineSpace().all_ids();
  return Posterior::gibbs(ids, losses(ids), {}, kEta);
}

struct Estimate {
  double mean, standard_error;
};

// The share of states equal to `id`, with the error estimated between chains.
Estimate share(const std::vector<std::vector<int64_t>>& chains, int64_t id) {
  double sum = 0, square = 0;
  for (const auto& chain : chains) {
    const double m = static_cast<double>(std::count(chain.begin(), chain.end(), id)) /
                     static_cast<double>(chain.size());
    sum += m;
    square += m * m;
  }
  const auto n = static_cast<double>(chains.size());
  const double variance = (square / n - sum / n * sum / n) * n / (n - 1);
  return {sum / n, std::sqrt(variance / n)};
}

McmcResult run(ProposalKind proposal, RecordedStates record) {
  LossCache cache(losses);
  const McmcOptions options{
      .steps = 200 * 4000, .chains = 200, .burn_in = 1000, .proposal = proposal, .record = record};
  return metropolis_hastings(LineSpace(), cache, kEta, options, 11, 1);
}

// 24 comparisons at 4.5 standard errors (200 chains): a correct sampler fails once in about 4,000
// seeds.
constexpr double kErrors = 4.5;

TEST(MetropolisHastings, SamplesTheExactPosteriorWithBothProposals) {
  const Posterior want = exact();
  for (ProposalKind proposal : {ProposalKind::kUniform, ProposalKind::kLocal}) {
    const McmcResult result = run(proposal, RecordedStates::kAll);
    for (int64_t id = 0; id < kPoints; ++id) {
      const Estimate got = share(result.draws.lam_ids, id);
      EXPECT_NEAR(got.mean, want.prob(id), kErrors * got.standard_error) << "point " << id;
      // The comparison must be sharp: at least 5,000 effective draws per point.
      const double p = want.prob(id);
      EXPECT_GT(p * (1 - p) / (got.standard_error * got.standard_error), 5000);
      EXPECT_NEAR(result.posterior.prob(id), got.mean, 1e-12);
    }
  }
}

// With only accepted proposals recorded, uniform proposals give E[p(λ)] = m(λ)/Σm, m(λ) = Σ_x
// min(π(x), π(λ)): the top of π is flattened.
TEST(MetropolisHastings, RecordingOnlyAcceptedProposalsIsBiased) {
  const Posterior pi = exact();
  const McmcResult result = run(ProposalKind::kUniform, RecordedStates::kAccepted);
  std::vector<double> m(kPoints);
  double sum = 0;
  for (int64_t a = 0; a < kPoints; ++a) {
    for (int64_t b = 0; b < kPoints; ++b) m[a] += std::min(pi.prob(a), pi.prob(b));
    sum += m[a];
  }
  double worst = 0;
  for (int64_t id = 0; id < kPoints; ++id) {
    const Estimate got = share(result.draws.lam_ids, id);
    EXPECT_NEAR(got.mean, m[id] / sum, kErrors * got.standard_error) << "point " << id;
    worst = std::max(worst, std::abs(got.mean - pi.prob(id)) / got.standard_error);
  }
  EXPECT_GT(worst, 20.0);
  EXPECT_NEAR(result.acceptance, sum / kPoints, 0.01);
}

TEST(MetropolisHastings, KeepsDensityAndAcceptanceOfEveryDraw) {
  LossCache cache(losses);
  const McmcResult result = metropolis_hastings(LineSpace(), cache, kEta,
                                                {.steps = 8000, .chains = 2, .burn_in = 0}, 1, 1);
  double accepted = 0.0, draws = 0.0;
  for (size_t c = 0; c < 2; ++c) {
    const std::vector<int64_t>& ids = result.draws.lam_ids[c];
    ASSERT_EQ(ids.size(), 4000U);
    ASSERT_EQ(result.draws.accept[c].size(), ids.size());
    for (size_t i = 0; i < ids.size(); ++i) {
      EXPECT_EQ(result.draws.log_density[c][i], -kEta * loss(ids[i]));
      accepted += result.draws.accept[c][i];
      draws += 1.0;
    }
  }
  // The share that was accepted is a mean of coins with these probabilities: 5 deviations.
  EXPECT_NEAR(result.acceptance, accepted / draws, 5.0 * 0.5 / std::sqrt(draws));
}

TEST(MetropolisHastings, ComputesEachLossOnce) {
  std::multiset<int64_t> asked;
  LossCache cache([&](std::span<const int64_t> ids) {
    asked.insert(ids.begin(), ids.end());
    return losses(ids);
  });
  const McmcResult result = metropolis_hastings(LineSpace(), cache, kEta,
                                                {.steps = 2000, .chains = 3, .burn_in = 0}, 1, 1);
  EXPECT_EQ(asked.size(), std::set<int64_t>(asked.begin(), asked.end()).size());
  EXPECT_EQ(result.evaluated, static_cast<int64_t>(asked.size()));
}

TEST(MetropolisHastings, RejectsABurnInThatLeavesNothing) {
  LossCache cache(losses);
  EXPECT_THROW(metropolis_hastings(LineSpace(), cache, kEta,
                                   {.steps = 100, .chains = 4, .burn_in = 25}, 1, 1),
               UsageError);
}

}  // namespace
}  // namespace emgnn
