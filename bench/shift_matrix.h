// SPDX-License-Identifier: Apache-2.0
// The S_λ of a family, one matrix at a time, for programs that know no batches of graphs.
#pragma once

#include <ATen/ATen.h>

#include <vector>

#include <emgnn/graph/csr.h>
#include <emgnn/space/mixture.h>
#include <emgnn/space/rewire.h>

namespace emgnn {

inline at::Tensor csr_tensor(const Csr& a) {
  return at::sparse_csr_tensor(at::tensor(a.rowptr.to_vector()), at::tensor(a.col.to_vector()),
                               at::tensor(a.val.to_vector()), {a.num_rows, a.num_cols}, at::kFloat);
}

// The form whose product LibTorch can differentiate.
inline at::Tensor coo_tensor(const Csr& a) {
  const at::Tensor col = at::tensor(a.col.to_vector()).to(at::kLong);
  const at::Tensor length = at::tensor(a.rowptr.to_vector()).to(at::kLong).diff();
  const at::Tensor row = at::arange(a.num_rows).repeat_interleave(length);
  return at::sparse_coo_tensor(at::stack({row, col}), at::tensor(a.val.to_vector()),
                               {a.num_rows, a.num_cols})
      .coalesce();
}

inline Csr normalised(const Csr& a, Normalisation normalisation) {
  return normalisation == Normalisation::kRow ? normalise_rows(a) : normalise_symmetric(a);
}

// The edges of G_λ and the diagonal, normalised.
inline std::vector<Csr> shift_matrices(const RewireDraws& draws, int32_t num_nodes,
                                       const ParameterSpace& space, Normalisation normalisation) {
  std::vector<Csr> out;
  for (int64_t id : space.all_ids()) {
    Coo coo;
    for (int32_t v = 0; v < num_nodes; ++v) {
      coo.row.push_back(v);
      coo.col.push_back(v);
    }
    for (size_t p = 0; p < draws.pairs().size(); ++p) {
      if (!draws.holds(id, static_cast<int64_t>(p))) continue;
      const auto [u, v] = draws.pairs()[p];
      coo.row.insert(coo.row.end(), {u, v});
      coo.col.insert(coo.col.end(), {v, u});
    }
    const Csr a = csr_from_coo(num_nodes, num_nodes, coo, Duplicates::kKeepFirst);
    out.push_back(normalised(a, normalisation));
  }
  return out;
}

// Σ λ_i A_i and the diagonal, normalised.
inline std::vector<Csr> shift_matrices(const TypedGraph& graph, const MixtureFamily& family,
                                       const MixtureOptions& options) {
  const UnionPattern all = union_pattern(graph);
  std::vector<Csr> out;
  for (int64_t id : family.all_ids()) {
    const LambdaPoint lam = family.point(id);
    Csr a = all.pattern;
    a.val.assign(a.col.size(), 0.0F);
    for (int32_t i = 0; i < a.num_rows; ++i) {
      for (int32_t e = a.rowptr[i]; e < a.rowptr[i + 1]; ++e) {
        double value = e == all.diagonal[i] ? 1.0 : 0.0;
        for (size_t t = 0; t < lam.size(); ++t) value += options.total * lam[t] * all.weight[t][e];
        a.val[static_cast<size_t>(e)] = static_cast<float>(value);
      }
    }
    out.push_back(normalised(a, options.normalisation));
  }
  return out;
}

}  // namespace emgnn
