// SPDX-License-Identifier: Apache-2.0
// Allen-Cahn message passing (Wang et al. 2023): nodes attract or repel each other along edges while
// a double well keeps them near ±1. With x(0) = X W + b,
//   dx/dt = σ(α) ⊙ ((C - β 1_E) x - x) + σ(δ) ⊙ x ⊙ (1 - x ⊙ x) + γ x(0),    z = relu(x(T)) W' + b'
// where C couples neighbours and the node itself, and 1_E has a 1 on each of these entries. α and δ
// have an entry per column.
#pragma once

#include <emgnn/models/network.h>
#include <emgnn/models/ode_solver.h>

namespace emgnn {

enum class Coupling { kAttention, kConstant };

struct AcmpOptions {
  int64_t hidden = 80;
  double dropout = 0.05;
  double input_dropout = 0.5;
  Init init = Init::kXavierUniform;
  double time = 5.0;
  Coupling coupling = Coupling::kAttention;
  int64_t heads = 8;
  double repulsion = 0.5;
  bool source = true;
  OdeOptions ode;
};
void describe(OptionVisitor& visitor, AcmpOptions& options);

class Acmp : public Network {
 public:
  Acmp(const AcmpOptions& options, const NetworkShape& shape, uint64_t seed);

  NetworkNeeds needs() const override;
  at::Tensor embed(const c10::intrusive_ptr<InputFeatures>& x, const Mode& mode) const override;
  at::Tensor forward(const GraphBatch& batch, const at::Tensor& embedded,
                     const Mode& mode) const override;

  // C of the entries of the whole graph, [entries]: S, or of x(0) [nodes, hidden]
  //   the mean over heads of v_ij / Σ_i v_ij, v = (u + √(u² + 4)) / 2, u = s - max s, s = q_i·k_j / 4.
  at::Tensor coupling(const Edges& edges, const at::Tensor& x) const;

 private:
  AcmpOptions options_;
  at::Tensor encode_, encode_bias_, decode_, decode_bias_;
  at::Tensor alpha_, delta_, gamma_;
  at::Tensor query_, query_bias_, key_, key_bias_;  // undefined without attention
};

}  // namespace emgnn
