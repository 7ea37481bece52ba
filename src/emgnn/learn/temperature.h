// SPDX-License-Identifier: Apache-2.0
// The temperature of many predictions at once.
#pragma once

#include <ATen/core/Tensor.h>

#include <functional>
#include <vector>

namespace emgnn {

// Of each graph's mean loss as a function of β = 1/T: float64 [graphs].
struct LossSlope {
  at::Tensor first, second;  // derivatives
};

// Of some graphs: z  float64 [graphs, rows, width], beta  [graphs, 1, 1].
using SlopeOf = std::function<LossSlope(const at::Tensor& z, const at::Tensor& beta)>;

// T in [0.1, 3] of the smallest loss of each graph of `outputs` [graphs, rows, width]. The losses are
// convex in β; Newton's steps, kept inside the interval that the signs of the derivatives leave.
// A few graphs at a time, with check_overdue() in between.
std::vector<double> best_temperatures(const at::Tensor& outputs, const SlopeOf& slope);

}  // namespace emgnn
