// SPDX-License-Identifier: Apache-2.0
// Rows by number, and sums of rows with the same number: what networks on edges move between atoms,
// bonds and molecules with. Bits do not depend on the number of threads.
#pragma once

#include <ATen/core/Tensor.h>
#include <ATen/core/ivalue.h>

#include <cstdint>
#include <vector>

namespace emgnn {

class RowIndex {
 public:
  // number: [m], in 0..num_rows-1.
  RowIndex(std::vector<int32_t> number, int64_t num_rows);
  ~RowIndex();
  RowIndex(RowIndex&&) noexcept;

  int64_t size() const;
  int64_t num_rows() const;

  // h[number[e]] for each e: [num_rows, d] -> [m, d]; and the sum of x[e] over the e of each number,
  // [m, d] -> [num_rows, d]. Each is the other's gradient.
  at::Tensor take(const at::Tensor& h) const;
  at::Tensor sum(const at::Tensor& x) const;

  struct Map;

 private:
  c10::intrusive_ptr<Map> map_;
};

}  // namespace emgnn
