// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ATen/core/Tensor.h>
#include <ATen/core/ivalue.h>

#include <cstdint>
#include <span>

#include <emgnn/data/dataset.h>

namespace emgnn {

// The features of the rows that a batch reads, ready for products.
struct InputFeatures : torch::CustomClassHolder {
  bool is_sparse = false;
  Csr sparse;           // if sparse, with values
  Transposed backward;  // of it
  at::Tensor dense;     // else [num_rows, num_cols]

  InputFeatures(const Features& x, std::span<const int32_t> rows);
  explicit InputFeatures(at::Tensor rows);

  int64_t num_rows() const { return is_sparse ? sparse.num_rows : dense.size(0); }
  int64_t num_cols() const { return is_sparse ? sparse.num_cols : dense.size(1); }
};

}  // namespace emgnn
