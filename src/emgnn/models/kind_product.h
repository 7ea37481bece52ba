// SPDX-License-Identifier: Apache-2.0
// Messages whose weights depend on the kind of the entry alone: Σ_e S_e h_col(e) M_kind(e) over the
// entries e of each row. Neighbours of one kind are added up first, then each kind is one product.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

#include <emgnn/models/row_index.h>
#include <emgnn/space/edges.h>

namespace emgnn {

class KindProduct {
 public:
  // Of graphs laid end to end, whose entries name rows of a table.
  explicit KindProduct(const Edges& edges);

  // The rows of the table that entries name, ascending.
  const std::vector<int64_t>& kinds() const { return kinds_; }
  // h [inputs, d], m [kinds, d, width] -> [outputs, width]
  at::Tensor operator()(const at::Tensor& h, const at::Tensor& m) const;

 private:
  // Entries of one row and kind are a pair; pairs are in the order of their kinds.
  struct Pairs {
    std::vector<int32_t> of_entry, row;
    std::vector<int64_t> kinds, count;  // how many pairs of each kind
  };
  static Pairs pairs_of(const Edges& edges);
  KindProduct(const Edges& edges, Pairs pairs);

  std::vector<int64_t> kinds_, count_;
  at::Tensor weight_;  // [entries, 1] of S; undefined: all ones
  RowIndex sources_, pairs_, rows_;
};

}  // namespace emgnn
