// SPDX-License-Identifier: Apache-2.0
#include <emgnn/em/chain_diagnostics.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <numbers>

#include <emgnn/learn/mean_std.h>

namespace emgnn {

namespace {

constexpr size_t kMinDraws = 4;
constexpr double kTail = 0.05;

// Of one length each, none empty.
using Sequences = std::vector<std::vector<double>>;

// As long as the shortest.
Sequences cut(std::span<const std::vector<double>> chains) {
  size_t length = std::numeric_limits<size_t>::max();
  for (const auto& chain : chains) length = std::min(length, chain.size());
  Sequences out(chains.begin(), chains.end());
  for (auto& chain : out) chain.resize(length);
  return out;
}

// Both halves of each; of an odd number of draws the middle one belongs to neither.
Sequences halves(const Sequences& chains) {
  Sequences out;
  for (const auto& chain : chains) {
    const auto half = static_cast<ptrdiff_t>(chain.size() / 2);
    out.emplace_back(chain.begin(), chain.begin() + half);
    out.emplace_back(chain.end() - half, chain.end());
  }
  return out;
}

std::vector<double> joined(const Sequences& sequences) {
  std::vector<double> out;
  for (const auto& sequence : sequences) out.insert(out.end(), sequence.begin(), sequence.end());
  return out;
}

template <class Map>
Sequences mapped(Sequences sequences, const Map& map) {
  for (auto& sequence : sequences)
    for (double& x : sequence) x = map(x);
  return sequences;
}

// Between two neighbours of the sorted draws, as R and NumPy do by default.
double quantile(const std::vector<double>& sorted, double share) {
  const double place = share * static_cast<double>(sorted.size() - 1);
  const auto low = static_cast<size_t>(place);
  const size_t high = std::min(low + 1, sorted.size() - 1);
  return sorted[low] + (place - static_cast<double>(low)) * (sorted[high] - sorted[low]);
}

// z = Φ⁻¹((r − 3/8) / (S + 1/4)), r the rank among all S draws; equal draws share their mean rank.
Sequences rank_normalised(const Sequences& sequences) {
  std::vector<double> sorted = joined(sequences);
  std::sort(sorted.begin(), sorted.end());
  const auto count = static_cast<double>(sorted.size());
  std::vector<double> value, z;  // of the draws that differ
  for (size_t i = 0, end = 0; i < sorted.size(); i = end) {
    while (end < sorted.size() && sorted[end] == sorted[i]) ++end;
    const double rank = 0.5 * static_cast<double>(i + 1 + end);
    value.push_back(sorted[i]);
    z.push_back(normal_quantile((rank - 0.375) / (count + 0.25)));
  }
  return mapped(sequences, [&](double x) {
    const auto at = std::lower_bound(value.begin(), value.end(), x) - value.begin();
    return z[static_cast<size_t>(at)];
  });
}

// W, the mean variance of a sequence, and var⁺ = (n − 1)/n W + B/n.
struct Variances {
  double within = 0.0, pooled = 0.0;
};

Variances variances(const Sequences& sequences) {
  const auto n = static_cast<double>(sequences.front().size());
  Variances out;
  std::vector<double> means;
  for (const auto& sequence : sequences) {
    const MeanStd moments = mean_std(sequence);
    means.push_back(moments.mean);
    out.within += moments.std * moments.std / static_cast<double>(sequences.size());
  }
  const double between = mean_std(means).std;
  out.pooled = (n - 1.0) / n * out.within + between * between;
  return out;
}

double rhat(const Sequences& sequences) {
  const Variances v = variances(sequences);
  return v.pooled == 0.0 ? 1.0 : std::sqrt(v.pooled / v.within);
}

// ρ_t = 1 − (W − mean autocovariance) / var⁺
std::vector<double> autocorrelations(const Sequences& sequences) {
  const Variances v = variances(sequences);
  std::vector<double> rho(sequences.front().size(), 0.0);
  for (const auto& sequence : sequences) {
    const std::vector<double> each = autocovariance(sequence);
    for (size_t t = 0; t < rho.size(); ++t)
      rho[t] += each[t] / static_cast<double>(sequences.size());
  }
  for (double& r : rho) r = 1.0 - (v.within - r) / v.pooled;
  rho[0] = 1.0;
  return rho;
}

// τ = −1 + 2 Σ ρ_t with Geyer's rules: sums of two neighbouring ρ are positive, and do not grow. The
// first ρ behind the sum is added once, which helps where chains alternate.
double autocorrelation_time(const std::vector<double>& rho) {
  const size_t n = rho.size();
  size_t end = 0;
  while (end + 5 < n && rho[end] + rho[end + 1] > 0.0) end += 2;
  if (end == 0) return 1.0 + 2.0 * std::max(0.0, rho[1]);  // too short for the rules
  double tau = -1.0 + std::max(0.0, rho[end]);
  double smallest = std::numeric_limits<double>::infinity();
  for (size_t t = 0; t < end; t += 2) {
    smallest = std::min(smallest, rho[t] + rho[t + 1]);
    tau += 2.0 * smallest;
  }
  return tau;
}

double effective_draws(const Sequences& sequences) {
  const auto draws = static_cast<double>(sequences.size() * sequences.front().size());
  if (variances(sequences).pooled == 0.0) return draws;
  // Alternating chains can beat independent draws; more than S log10 S is noise.
  const double tau =
      std::max(autocorrelation_time(autocorrelations(sequences)), 1.0 / std::log10(draws));
  return draws / tau;
}

void fourier(std::vector<std::complex<double>>& x) {
  const size_t n = x.size();
  for (size_t i = 1, j = 0; i < n; ++i) {  // the order of reversed bits
    size_t bit = n >> 1;
    for (; (j & bit) != 0; bit >>= 1) j ^= bit;
    j ^= bit;
    if (i < j) std::swap(x[i], x[j]);
  }
  for (size_t width = 2; width <= n; width *= 2) {
    std::vector<std::complex<double>> root(width / 2);
    for (size_t k = 0; k < root.size(); ++k)
      root[k] = std::polar(
          1.0, -2.0 * std::numbers::pi * static_cast<double>(k) / static_cast<double>(width));
    for (size_t begin = 0; begin < n; begin += width) {
      for (size_t k = 0; k < width / 2; ++k) {
        const std::complex<double> even = x[begin + k];
        const std::complex<double> odd = x[begin + k + width / 2] * root[k];
        x[begin + k] = even + odd;
        x[begin + k + width / 2] = even - odd;
      }
    }
  }
}

double polynomial(std::span<const double> coefficients, double x) {
  double out = 0.0;
  for (double c : coefficients) out = out * x + c;
  return out;
}

}  // namespace

std::vector<double> autocovariance(std::span<const double> x) {
  const double mean = mean_std(x).mean;
  size_t size = 1;
  while (size < 2 * x.size()) size *= 2;  // zeros, so that the end does not meet the beginning
  std::vector<std::complex<double>> work(size, 0.0);
  for (size_t i = 0; i < x.size(); ++i) work[i] = x[i] - mean;
  fourier(work);
  for (std::complex<double>& w : work) w = std::norm(w);
  fourier(work);  // of a real, symmetric sequence: its inverse, times the size
  std::vector<double> out(x.size());
  const double scale = static_cast<double>(size) * static_cast<double>(x.size());
  for (size_t t = 0; t < out.size(); ++t) out[t] = work[t].real() / scale;
  return out;
}

// Acklam's rational approximation, then one step of Halley's method.
double normal_quantile(double p) {
  constexpr double kA[] = {-3.969683028665376e+01, 2.209460984245205e+02,  -2.759285104469687e+02,
                           1.383577518672690e+02,  -3.066479806614716e+01, 2.506628277459239e+00};
  constexpr double kB[] = {-5.447609879822406e+01, 1.615858368580409e+02,  -1.556989798598866e+02,
                           6.680131188771972e+01,  -1.328068155288572e+01, 1.0};
  constexpr double kC[] = {-7.784894002430293e-03, -3.223964580411365e-01, -2.400758277161838e+00,
                           -2.549732539343734e+00, 4.374664141464968e+00,  2.938163982698783e+00};
  constexpr double kD[] = {7.784695709041462e-03, 3.224671290700398e-01, 2.445134137142996e+00,
                           3.754408661907416e+00, 1.0};
  constexpr double kLow = 0.02425;
  if (p > 0.5) return -normal_quantile(1.0 - p);
  double x = 0.0;
  if (p < kLow) {
    const double q = std::sqrt(-2.0 * std::log(p));
    x = polynomial(kC, q) / polynomial(kD, q);
  } else {
    const double q = p - 0.5;
    x = q * polynomial(kA, q * q) / polynomial(kB, q * q);
  }
  const double error = 0.5 * std::erfc(-x / std::numbers::sqrt2) - p;
  const double u = error * std::sqrt(2.0 * std::numbers::pi) * std::exp(0.5 * x * x);
  return x - u / (1.0 + 0.5 * x * u);
}

ChainDiagnostics diagnose(std::span<const std::vector<double>> chains) {
  constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();
  const Sequences whole = cut(chains);
  if (whole.empty() || whole.front().size() < kMinDraws)
    return {kUnknown, kUnknown, kUnknown, kUnknown, kUnknown, kUnknown};
  const Sequences x = halves(whole);
  std::vector<double> sorted = joined(whole);
  std::sort(sorted.begin(), sorted.end());
  const MeanStd moments = mean_std(sorted);
  ChainDiagnostics out{.mean = moments.mean, .sd = moments.std};
  const Sequences ranks = rank_normalised(x);
  out.ess_bulk = effective_draws(ranks);
  // The same spread around the median in all chains: R-hat of the folded draws.
  const double median = quantile(sorted, 0.5);
  const Sequences folded =
      rank_normalised(mapped(x, [&](double v) { return std::abs(v - median); }));
  out.rhat = std::max(rhat(ranks), rhat(folded));
  out.ess_tail = std::numeric_limits<double>::infinity();
  for (double share : {kTail, 1.0 - kTail}) {
    const double border = quantile(sorted, share);
    const Sequences below = mapped(x, [&](double v) { return v <= border ? 1.0 : 0.0; });
    out.ess_tail = std::min(out.ess_tail, effective_draws(below));
  }
  out.mcse_mean = moments.std / std::sqrt(effective_draws(x));
  return out;
}

}  // namespace emgnn
