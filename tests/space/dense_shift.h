// SPDX-License-Identifier: Apache-2.0
// The graphs of a mixture as dense matrices, from the definitions.
#pragma once

#include <ATen/ATen.h>

#include <emgnn/space/mixture.h>

namespace emgnn {

// A_λ = Σ_t λ_t A_t in float64.
inline at::Tensor dense_adjacency(const TypedGraph& graph, const LambdaPoint& lam) {
  at::Tensor a = at::zeros({graph.num_nodes, graph.num_nodes}, at::kDouble);
  for (size_t t = 0; t < lam.size(); ++t) {
    const Csr& adj = graph.relations[t].adjacency;
    for (int32_t i = 0; i < adj.num_rows; ++i) {
      for (int32_t e = adj.rowptr[i]; e < adj.rowptr[i + 1]; ++e)
        a[i][adj.col[e]] += lam[t] * adj.value(e);
    }
  }
  return a;
}

// S_λ
inline at::Tensor dense_shift(const TypedGraph& graph, const LambdaPoint& lam,
                              Normalisation normalisation) {
  const at::Tensor a = dense_adjacency(graph, lam) + at::eye(graph.num_nodes, at::kDouble);
  const at::Tensor degree = a.sum(1);
  if (normalisation == Normalisation::kRow) return a / degree.unsqueeze(1);
  return a / (degree.unsqueeze(1) * degree.unsqueeze(0)).sqrt();
}

}  // namespace emgnn
