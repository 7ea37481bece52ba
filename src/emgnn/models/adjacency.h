// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <emgnn/space/propagation.h>

namespace emgnn {

// A_λ h, the plain sum over the neighbours. A node's own weight in S_λ = D⁻¹ (A_λ + I) is 1/D, so
//   A_λ h = (S_λ h) / diag(S_λ) − self(h);
// with symmetric normalisation the same expression weights neighbour j by √(D_i / D_j).
inline at::Tensor adjacency_product(const Propagation& hop, const at::Tensor& h) {
  return hop.apply(h) / hop.diagonal() - hop.self(h);
}

}  // namespace emgnn
