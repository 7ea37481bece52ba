// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ATen/core/Tensor.h>

#include <span>

namespace emgnn {

// Of a contiguous float64 tensor, valid while it lives.
inline std::span<const double> numbers(const at::Tensor& t) {
  return {t.data_ptr<double>(), static_cast<size_t>(t.numel())};
}

}  // namespace emgnn
