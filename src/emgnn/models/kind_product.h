// SPDX-License-Identifier: Apache-2.0
// Messages whose weights depend on the kind of the entry alone: Σ_e S_e h_col(e) M_kind(e) over the
// entries e of each row. Neighbours of one kind are added up first, then each kind is one product.
#pragma once

#include <ATen/core/Tensor.h>
#include <ATen/core/ivalue.h>

#include <cstdint>
#include <vector>

#include <emgnn/models/row_index.h>
#include <emgnn/space/edges.h>

namespace emgnn {

class KindProduct {
 public:
  // Of graphs laid end to end, whose entries name rows of a table.
  explicit KindProduct(const Edges& edges);
  ~KindProduct();

  // The rows of the table that entries name, ascending.
  const std::vector<int64_t>& kinds() const;
  // h [inputs, d], m [kinds, d, width] -> [outputs, width]
  at::Tensor operator()(const at::Tensor& h, const at::Tensor& m) const;

  struct Pairs;

 private:
  c10::intrusive_ptr<Pairs> pairs_;
  RowIndex rows_;  // of the pairs
};

}  // namespace emgnn
