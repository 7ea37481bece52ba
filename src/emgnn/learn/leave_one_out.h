// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ATen/core/Tensor.h>

namespace emgnn {

// What a linear head with an intercept says of each row when it is fitted to all other rows:
// features [graphs, rows, width], target float64 [rows, outputs] -> float64 [graphs, rows, outputs].
// The head minimises Σ |y − f|² + σ |W|², each graph with the σ of a small grid whose own
// leave-one-out error is the smallest. Exact, from one decomposition per graph. UsageError with
// fewer than two rows, or when a feature is not finite.
at::Tensor leave_one_out(const at::Tensor& features, const at::Tensor& target);

// The same with one σ for all graphs, relative to the mean of |h_i − mean|² over the rows.
at::Tensor leave_one_out(const at::Tensor& features, const at::Tensor& target, double sigma);

}  // namespace emgnn
