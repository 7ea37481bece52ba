// SPDX-License-Identifier: Apache-2.0
// The temperature of many predictions at once.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <functional>
#include <vector>

namespace emgnn {

// Of each graph's mean loss as a function of β = 1/T: float64 [graphs].
struct LossSlope {
  at::Tensor first, second;  // derivatives
};

// T in [0.1, 3] of the smallest loss of each graph. The losses are convex in β; Newton's steps,
// kept inside the interval that the signs of the derivatives leave.
std::vector<double> best_temperatures(
    int64_t num_graphs, const std::function<LossSlope(const at::Tensor& beta)>& slope);

}  // namespace emgnn
