// SPDX-License-Identifier: Apache-2.0
// How far several Markov chains of one scalar can be trusted (Gelman et al., Bayesian Data
// Analysis, 3rd ed., 11.4-11.5).
#pragma once

#include <span>
#include <vector>

namespace emgnn {

struct ChainDiagnostics {
  double rhat = 1.0;  // split R-hat: near 1 when the halves of all chains agree
  double ess = 0.0;   // effective sample size, of all chains together
};

// Chains of unequal length are cut to the shortest; both figures are NaN below four draws per
// chain. Sequences that never move have R-hat 1 and count as independent draws when all agree.
ChainDiagnostics diagnose(std::span<const std::vector<double>> chains);

}  // namespace emgnn
