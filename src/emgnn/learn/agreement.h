// SPDX-License-Identifier: Apache-2.0
// How far the predictions under several graphs are from one shared, sharpened answer. It needs no
// labels: nodes without one take part in training.
#pragma once

#include <ATen/core/Tensor.h>

#include <emgnn/base/options.h>

namespace emgnn {

struct AgreementOptions {
  double weight = 0.0;
  double temperature = 0.5;
  double balance = 0.0;
};
void describe(OptionVisitor& visitor, AgreementOptions& options);

// With p_gi the class probabilities of row i under graph g, p_i their mean over g and m the mean of
// p_i over the rows, the shared answer is t_i ∝ (p_i / m^balance)^(1/temperature), a constant to
// the gradient. Returns the mean over g and i of |p_gi - t_i|², float64; logits
// [num_graphs, rows, classes].
at::Tensor disagreement(const at::Tensor& logits, const AgreementOptions& options);

}  // namespace emgnn
