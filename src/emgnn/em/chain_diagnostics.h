// SPDX-License-Identifier: Apache-2.0
// How far several Markov chains of one scalar can be trusted: the figures of Stan, as defined by
// Vehtari, Gelman, Simpson, Carpenter and Bürkner, "Rank-normalization, folding, and localization: an
// improved R-hat for assessing convergence of MCMC", Bayesian Analysis 16 (2021).
#pragma once

#include <span>
#include <vector>

namespace emgnn {

struct ChainDiagnostics {
  double rhat = 1.0;      // the larger of R-hat of the ranks and of the ranks of |x − median|
  double ess_bulk = 0.0;  // effective draws of all chains, of the ranks
  double ess_tail = 0.0;  // the smaller of those for the 5 % and the 95 % quantile
  double mean = 0.0, sd = 0.0;
  double mcse_mean = 0.0;  // Monte Carlo standard error of the mean: sd / √(effective draws of x)
};

// Every chain is split in half. Chains of unequal length are cut to the shortest; all figures are NaN
// below four draws per chain. Sequences that never move have R-hat 1 and count as independent draws
// when all agree; so does a quantile that no draw lies beyond.
ChainDiagnostics diagnose(std::span<const std::vector<double>> chains);

// ---- parts of it ----

// Σ_i (x_i − mean)(x_{i+t} − mean) / n for t = 0, .., n − 1; by a Fourier transform, n log n.
std::vector<double> autocovariance(std::span<const double> x);

// Φ⁻¹(p) for 0 < p < 1, to a few units in the last place.
double normal_quantile(double p);

}  // namespace emgnn
