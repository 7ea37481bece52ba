// SPDX-License-Identifier: Apache-2.0
// Stacking of predictive distributions (Yao et al. 2018): weights for an average, not for its best
// member.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace emgnn {

struct StackResult {
  std::vector<double> log_prob;  // [graphs]
  // How far the weights are from optimal: the spread of ∂F/∂p_λ over the graphs, weighted by p.
  double residual = 0.0;
};

// p = argmin over the simplex of
//   F(p) = −(1/n) Σ_i log Σ_λ p_λ q_λ(i) + (κ/n) KL(p ‖ uniform)
// for log_likelihood[λ, i] = log q_λ(i). Convex; by exponentiated gradient with a line search.
StackResult stack(std::span<const double> log_likelihood, int64_t num_graphs, double kappa);

}  // namespace emgnn
