// SPDX-License-Identifier: Apache-2.0
// The graphs of the families of nodes as dense float64 matrices, from the definitions.
#pragma once

#include <ATen/ATen.h>

#include <emgnn/graph/typed_graph.h>
#include <emgnn/space/options.h>
#include <emgnn/space/parameter_space.h>
#include <emgnn/space/rewire_draws.h>

namespace emgnn {

inline at::Tensor dense_matrix(const Csr& a) {
  at::Tensor out = at::zeros({a.num_rows, a.num_cols}, at::kDouble);
  for (int32_t i = 0; i < a.num_rows; ++i)
    for (const auto [e, j] : a.row(i)) out[i][j] = a.value(e);
  return out;
}

// A_λ = Σ_t λ_t A_t
inline at::Tensor dense_adjacency(const TypedGraph& graph, const LambdaPoint& lam) {
  at::Tensor a = at::zeros({graph.num_nodes, graph.num_nodes}, at::kDouble);
  for (size_t t = 0; t < lam.size(); ++t) a += lam[t] * dense_matrix(graph.relations[t].adjacency);
  return a;
}

// A_λ of the rewire family: edges keep their weight, candidates have the mean weight.
inline at::Tensor dense_adjacency(const RewireGraph& graph, const RewireDraws& draws,
                                  int64_t lam_id) {
  const at::Tensor given = dense_matrix(graph.adjacency);
  const double mean =
      given.sum().item<double>() / static_cast<double>(graph.adjacency.num_entries());
  at::Tensor a = at::zeros_like(given);
  for (int64_t p = 0; p < static_cast<int64_t>(draws.pairs().size()); ++p) {
    if (!draws.holds(lam_id, p)) continue;
    const auto [u, v] = draws.pairs()[static_cast<size_t>(p)];
    a[u][v] = a[v][u] = p < draws.num_edges() ? given[u][v].item<double>() : mean;
  }
  return a;
}

// S = D⁻¹ (A + I), or D^-1/2 (A + I) D^-1/2
inline at::Tensor dense_propagation(const at::Tensor& adjacency, Normalisation normalisation) {
  const at::Tensor a = adjacency + at::eye(adjacency.size(0), at::kDouble);
  const at::Tensor degree = a.sum(1);
  if (normalisation == Normalisation::kRow) return a / degree.unsqueeze(1);
  return a / (degree.unsqueeze(1) * degree.unsqueeze(0)).sqrt();
}

}  // namespace emgnn
