// SPDX-License-Identifier: Apache-2.0
#include <emgnn/em/chain_diagnostics.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

#include <emgnn/base/rng.h>

namespace emgnn {
namespace {

using Chain = std::vector<double>;
using Chains = std::vector<Chain>;

// ---- the same figures, slowly and as their definitions say ----

double mean_of(const Chain& x) {
  return std::accumulate(x.begin(), x.end(), 0.0) / static_cast<double>(x.size());
}

double variance_of(const Chain& x) {
  double sum = 0.0;
  const double mean = mean_of(x);
  for (double v : x) sum += (v - mean) * (v - mean);
  return sum / static_cast<double>(x.size() - 1);
}

Chain all_of(const Chains& chains) {
  Chain out;
  for (const Chain& c : chains) out.insert(out.end(), c.begin(), c.end());
  return out;
}

// Φ⁻¹ by bisection.
double slow_quantile(double p) {
  double low = -10.0, high = 10.0;
  for (int i = 0; i < 100; ++i) {
    const double middle = 0.5 * (low + high);
    (0.5 * std::erfc(-middle / std::sqrt(2.0)) < p ? low : high) = middle;
  }
  return low;
}

Chains slow_split(const Chains& chains) {
  Chains out;
  for (const Chain& c : chains) {
    const size_t half = c.size() / 2;
    out.emplace_back(c.begin(), c.begin() + static_cast<ptrdiff_t>(half));
    out.emplace_back(c.end() - static_cast<ptrdiff_t>(half), c.end());
  }
  return out;
}

// Ranks by counting.
Chains slow_ranks(const Chains& chains) {
  const Chain all = all_of(chains);
  Chains out = chains;
  for (Chain& c : out) {
    for (double& x : c) {
      double less = 0, equal = 0;
      for (double other : all) {
        less += other < x ? 1 : 0;
        equal += other == x ? 1 : 0;
      }
      const double rank = less + 0.5 * (equal + 1.0);
      x = slow_quantile((rank - 0.375) / (static_cast<double>(all.size()) + 0.25));
    }
  }
  return out;
}

struct Slow {
  double within = 0, pooled = 0;
  explicit Slow(const Chains& chains) {
    Chain means;
    for (const Chain& c : chains) {
      means.push_back(mean_of(c));
      within += variance_of(c) / static_cast<double>(chains.size());
    }
    const auto n = static_cast<double>(chains.front().size());
    pooled = within * (n - 1.0) / n + variance_of(means);
  }
};

double slow_rhat(const Chains& chains) {
  const Slow v(chains);
  return std::sqrt(v.pooled / v.within);
}

double slow_autocovariance(const Chain& x, size_t lag) {
  double sum = 0.0;
  const double mean = mean_of(x);
  for (size_t i = 0; i + lag < x.size(); ++i) sum += (x[i] - mean) * (x[i + lag] - mean);
  return sum / static_cast<double>(x.size());
}

// As the R package posterior computes it, step by step.
double slow_ess(const Chains& chains) {
  const Slow v(chains);
  const size_t n = chains.front().size();
  const auto rho = [&](size_t lag) {
    double sum = 0.0;
    for (const Chain& c : chains) sum += slow_autocovariance(c, lag);
    return 1.0 - (v.within - sum / static_cast<double>(chains.size())) / v.pooled;
  };
  Chain kept(n, 0.0);
  size_t t = 0;
  double even = 1.0, odd = rho(1);
  kept[0] = even;
  kept[1] = odd;
  while (t + 5 < n && even + odd > 0.0) {
    t += 2;
    even = rho(t);
    odd = rho(t + 1);
    if (even + odd >= 0.0) {
      kept[t] = even;
      kept[t + 1] = odd;
    }
  }
  const size_t last = t;
  if (even > 0.0) kept[last] = even;
  for (t = 2; t + 2 <= last; t += 2) {
    if (kept[t] + kept[t + 1] > kept[t - 2] + kept[t - 1])
      kept[t] = kept[t + 1] = 0.5 * (kept[t - 2] + kept[t - 1]);
  }
  double tau = -1.0 + kept[last];
  for (size_t k = 0; k < last; ++k) tau += 2.0 * kept[k];
  const auto draws = static_cast<double>(n * chains.size());
  return draws / std::max(tau, 1.0 / std::log10(draws));
}

double slow_share(Chain x, double share) {
  std::sort(x.begin(), x.end());
  const double place = share * static_cast<double>(x.size() - 1);
  const auto low = static_cast<size_t>(std::floor(place));
  const double part = place - std::floor(place);
  return part == 0.0 ? x[low] : (1.0 - part) * x[low] + part * x[low + 1];
}

Chains changed(Chains chains, const std::function<double(double)>& f) {
  for (Chain& c : chains)
    for (double& x : c) x = f(x);
  return chains;
}

ChainDiagnostics slow_diagnose(const Chains& chains) {
  const Chain all = all_of(chains);
  const Chains split = slow_split(chains);
  const double median = slow_share(all, 0.5);
  const auto tail = [&](double share) {
    const double border = slow_share(all, share);
    return slow_ess(changed(split, [&](double x) { return x <= border ? 1.0 : 0.0; }));
  };
  return {
      .rhat = std::max(
          slow_rhat(slow_ranks(split)),
          slow_rhat(slow_ranks(changed(split, [&](double x) { return std::abs(x - median); })))),
      .ess_bulk = slow_ess(slow_ranks(split)),
      .ess_tail = std::min(tail(0.05), tail(0.95)),
      .mean = mean_of(all),
      .sd = std::sqrt(variance_of(all)),
      .mcse_mean = std::sqrt(variance_of(all) / slow_ess(split))};
}

// ---- chains ----

// x_t = φ x_{t−1} + ε_t, started from its stationary distribution, of variance 1/(1 − φ²)
Chains autoregressive(size_t num_chains, size_t length, double phi, uint64_t seed = 7) {
  Chains chains(num_chains);
  for (size_t c = 0; c < num_chains; ++c) {
    Rng rng(seed, Stream::kTest, c);
    double x = rng.normal() / std::sqrt(1.0 - phi * phi);
    for (size_t t = 0; t < length; ++t) {
      chains[c].push_back(x);
      x = phi * x + rng.normal();
    }
  }
  return chains;
}

void expect_equal(const ChainDiagnostics& got, const ChainDiagnostics& want) {
  // Sums of at most 10⁴ products, each to 10⁻¹⁵, in another order; divided by no less than 10⁻³.
  constexpr double kRounding = 1e-8;
  EXPECT_NEAR(got.rhat, want.rhat, kRounding * want.rhat);
  EXPECT_NEAR(got.ess_bulk, want.ess_bulk, kRounding * want.ess_bulk);
  EXPECT_NEAR(got.ess_tail, want.ess_tail, kRounding * want.ess_tail);
  EXPECT_NEAR(got.mean, want.mean, kRounding);
  EXPECT_NEAR(got.sd, want.sd, kRounding * want.sd);
  EXPECT_NEAR(got.mcse_mean, want.mcse_mean, kRounding * want.mcse_mean);
}

TEST(ChainDiagnostics, AreThoseOfTheDefinitions) {
  // Of fewer draws the autocorrelations of a quantile may sum to 0, and rounding decides where it ends.
  for (double phi : {-0.6, 0.0, 0.5, 0.9, 0.99})
    for (size_t length : {60, 101, 250})  // an odd one, too
      for (size_t chains : {1, 2, 4})
        expect_equal(diagnose(autoregressive(chains, length, phi)),
                     slow_diagnose(autoregressive(chains, length, phi)));
}

TEST(ChainDiagnostics, AreThoseOfTheDefinitionsWhereManyDrawsAreEqual) {
  const auto grid = [](double x) { return std::round(2.0 * x) / 2.0; };
  for (double phi : {0.0, 0.7}) {
    const Chains chains = changed(autoregressive(3, 200, phi), grid);
    expect_equal(diagnose(chains), slow_diagnose(chains));
  }
}

TEST(ChainDiagnostics, AutocovarianceIsThatOfTheSum) {
  for (size_t length : {1, 2, 7, 64, 100}) {
    const Chain x = autoregressive(1, length, 0.8)[0];
    const Chain got = autocovariance(x);
    ASSERT_EQ(got.size(), length);
    for (size_t lag = 0; lag < length; ++lag)
      EXPECT_NEAR(got[lag], slow_autocovariance(x, lag), 1e-12) << length << " " << lag;
  }
}

TEST(ChainDiagnostics, NormalQuantileInvertsTheDistribution) {
  for (double p : {1e-12, 1e-6, 0.001, 0.02, 0.0243, 0.3, 0.5, 0.9, 0.99, 1.0 - 1e-6}) {
    const double x = normal_quantile(p);
    EXPECT_NEAR(0.5 * std::erfc(-x / std::sqrt(2.0)) / p, 1.0, 1e-12) << p;
  }
  EXPECT_NEAR(normal_quantile(0.975), 1.959963984540054, 1e-14);
}

TEST(ChainDiagnostics, IndependentDrawsCountInFull) {
  const ChainDiagnostics d = diagnose(autoregressive(4, 2000, 0.0));
  // Each ρ̂ has deviation 1/√n. Geyer's rule keeps a handful; allow six of them at five deviations.
  const double n = 8000.0, tolerance = 5.0 * 2.0 * std::sqrt(6.0 / n);
  EXPECT_NEAR(d.ess_bulk / n, 1.0, tolerance);
  EXPECT_NEAR(d.ess_tail / n, 1.0, tolerance);
  // Half chains of m = 1000 draws: R-hat² − 1 is about (χ²₇/7 − 1)/m, 5 deviations of which are
  // 5 √(2/7)/1000 = 0.003.
  EXPECT_NEAR(d.rhat, 1.0, 0.003);
  EXPECT_NEAR(d.mcse_mean, 1.0 / std::sqrt(n), tolerance / std::sqrt(n));
}

// τ = (1 + φ)/(1 − φ); the relative deviation of τ̂ with a window of m lags is √(2(2m + 1)/n), and ρ is
// lost in noise after φ^m = 1/√n.
TEST(ChainDiagnostics, CorrelatedDrawsCountByTheirAutocorrelationTime) {
  for (double phi : {0.3, 0.5, 0.8}) {
    const double n = 20000.0, window = std::log(std::sqrt(n)) / -std::log(phi);
    const ChainDiagnostics d = diagnose(autoregressive(4, 5000, phi));
    const double expected = n * (1.0 - phi) / (1.0 + phi);
    const double tolerance = 4.0 * std::sqrt(2.0 * (2.0 * window + 1.0) / n);
    EXPECT_NEAR(d.ess_bulk / expected, 1.0, tolerance) << phi;
    // The mean has variance σ²/(1 − φ²) τ/n.
    EXPECT_NEAR(d.mcse_mean * std::sqrt(expected * (1.0 - phi * phi)), 1.0, tolerance) << phi;
    EXPECT_LT(d.rhat, 1.01) << phi;
  }
}

TEST(ChainDiagnostics, AlternatingDrawsCountMoreThanIndependentOnes) {
  EXPECT_GT(diagnose(autoregressive(4, 2000, -0.5)).ess_bulk, 8000.0);
}

TEST(ChainDiagnostics, DisagreeingChainsAreSeen) {
  Chains chains = autoregressive(2, 1000, 0.0);
  for (double& x : chains[1]) x += 10.0;
  const ChainDiagnostics d = diagnose(chains);
  // Ranks of halves that do not overlap: z has mean ∓ √(2/π) and variance 1 − 2/π in each chain.
  const double within = 1.0 - 2.0 / M_PI, between = 4.0 / 3.0 * 2.0 / M_PI;
  EXPECT_NEAR(d.rhat, std::sqrt(1.0 + between / within), 0.05);
  EXPECT_LT(d.ess_bulk, 5.0);
}

// Every chain has the same mean; one has ten times the spread. Ordinary R-hat does not see that.
TEST(ChainDiagnostics, AChainOfAnotherSpreadIsSeen) {
  Chains chains = autoregressive(4, 1000, 0.0);
  for (double& x : chains[3]) x *= 10.0;
  EXPECT_LT(slow_rhat(slow_split(chains)), 1.01);
  EXPECT_GT(diagnose(chains).rhat, 1.01);
}

// Nor does it see chains of a distribution without a mean that are far apart.
TEST(ChainDiagnostics, HeavyTailsHideNoDisagreement) {
  Chains chains = changed(autoregressive(4, 1000, 0.0), [](double x) { return x * x * x * x * x; });
  EXPECT_LT(diagnose(chains).rhat, 1.01);
  for (double& x : chains[3]) x += 1.0;
  EXPECT_LT(slow_rhat(slow_split(chains)), 1.01);
  EXPECT_GT(diagnose(chains).rhat, 1.01);
}

TEST(ChainDiagnostics, ADriftInsideOneChainIsSeen) {
  Chains chains(1);
  for (int t = 0; t < 1000; ++t) chains[0].push_back(0.01 * t);
  EXPECT_GT(diagnose(chains).rhat, 1.5);
}

TEST(ChainDiagnostics, SequencesThatNeverMoveAgree) {
  const ChainDiagnostics d = diagnose(Chains(2, Chain(10, 0.25)));
  EXPECT_EQ(d.rhat, 1.0);
  EXPECT_EQ(d.ess_bulk, 20.0);
  EXPECT_EQ(d.ess_tail, 20.0);
  EXPECT_EQ(d.mcse_mean, 0.0);
}

TEST(ChainDiagnostics, ChainsThatNeverMoveAndDisagreeDoNotConverge) {
  EXPECT_GT(diagnose(Chains{Chain(10, 0.25), Chain(10, 0.5)}).rhat, 1.01);
}

TEST(ChainDiagnostics, TooFewDrawsGiveNoFigure) {
  const ChainDiagnostics d = diagnose(Chains{{1.0, 2.0, 3.0}});
  EXPECT_TRUE(std::isnan(d.rhat));
  EXPECT_TRUE(std::isnan(d.ess_bulk));
  EXPECT_TRUE(std::isnan(d.ess_tail));
  EXPECT_TRUE(std::isnan(diagnose({}).rhat));
}

}  // namespace
}  // namespace emgnn
