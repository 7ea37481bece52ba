// SPDX-License-Identifier: Apache-2.0
#include <emgnn/em/chain_diagnostics.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include <emgnn/learn/mean_std.h>

namespace emgnn {

namespace {

constexpr size_t kMinDraws = 4;

// Both halves of each chain, all of one length.
std::vector<std::span<const double>> halves(std::span<const std::vector<double>> chains) {
  size_t length = std::numeric_limits<size_t>::max();
  for (const auto& chain : chains) length = std::min(length, chain.size());
  std::vector<std::span<const double>> out;
  if (chains.empty() || length < kMinDraws) return out;
  const size_t half = length / 2;
  for (const auto& chain : chains) {
    out.push_back(std::span(chain).first(half));
    out.push_back(std::span(chain).subspan(length - half, half));
  }
  return out;
}

// Mean over the sequences of their autocovariance at one lag (divided by n, not n − lag: fewer
// surprises at the end).
double mean_autocovariance(const std::vector<std::span<const double>>& sequences,
                           const std::vector<double>& means, size_t lag) {
  double total = 0.0;
  for (size_t s = 0; s < sequences.size(); ++s) {
    double sum = 0.0;
    for (size_t i = lag; i < sequences[s].size(); ++i) {
      sum += (sequences[s][i] - means[s]) * (sequences[s][i - lag] - means[s]);
    }
    total += sum / static_cast<double>(sequences[s].size());
  }
  return total / static_cast<double>(sequences.size());
}

// τ = 1 + 2 Σ ρ_t, with the sum cut by Geyer's rule: sums of neighbouring ρ are positive and do not
// grow.
template <class Correlation>
double autocorrelation_time(size_t length, Correlation&& rho) {
  double tau = -1.0;
  double smallest = std::numeric_limits<double>::infinity();
  for (size_t lag = 0; lag + 1 < length; lag += 2) {
    const double pair = (lag == 0 ? 1.0 : rho(lag)) + rho(lag + 1);
    if (pair <= 0.0) break;
    smallest = std::min(smallest, pair);
    tau += 2.0 * smallest;
  }
  return tau;
}

}  // namespace

ChainDiagnostics diagnose(std::span<const std::vector<double>> chains) {
  const std::vector<std::span<const double>> sequences = halves(chains);
  constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();
  if (sequences.empty()) return {kUnknown, kUnknown};
  const size_t length = sequences[0].size();
  const auto n = static_cast<double>(length);
  const double draws = n * static_cast<double>(sequences.size());
  std::vector<double> means;
  double within = 0.0;  // W, the mean variance of a sequence
  for (const auto& sequence : sequences) {
    const MeanStd moments = mean_std(sequence);
    means.push_back(moments.mean);
    within += moments.std * moments.std / static_cast<double>(sequences.size());
  }
  const double spread = mean_std(means).std;
  // var⁺ = (n−1)/n W + B/n
  const double pooled = (n - 1.0) / n * within + spread * spread;
  if (pooled == 0.0) return {1.0, draws};
  const auto rho = [&](size_t lag) {
    return 1.0 - (within - mean_autocovariance(sequences, means, lag)) / pooled;
  };
  // Alternating chains can beat independent draws; more than n log10 n is noise.
  const double tau = std::max(autocorrelation_time(length, rho), 1.0 / std::log10(draws));
  return {std::sqrt(pooled / within), draws / tau};
}

}  // namespace emgnn
