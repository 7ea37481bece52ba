// SPDX-License-Identifier: Apache-2.0
#include <emgnn/space/input_features.h>

#include <ATen/ops/empty.h>

#include <algorithm>
#include <utility>

namespace emgnn {

InputFeatures::InputFeatures(const Features& x, std::span<const int32_t> rows)
    : is_sparse(x.is_sparse) {
  if (is_sparse) {
    sparse = select_rows(x.sparse, rows);
    backward = transpose(sparse);
    if (sparse.val.empty()) sparse.val.assign(sparse.col.size(), 1.0F);
    return;
  }
  dense = at::empty({static_cast<int64_t>(rows.size()), x.num_cols}, at::kFloat);
  float* out = dense.data_ptr<float>();
  for (int32_t row : rows) {
    const float* from = x.dense.data() + static_cast<int64_t>(row) * x.num_cols;
    out = std::copy(from, from + x.num_cols, out);
  }
}

InputFeatures::InputFeatures(at::Tensor rows) : dense(std::move(rows)) {}

}  // namespace emgnn
