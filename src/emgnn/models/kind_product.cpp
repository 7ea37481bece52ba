// SPDX-License-Identifier: Apache-2.0
#include <emgnn/models/kind_product.h>

#include <ATen/ATen.h>

#include <algorithm>
#include <utility>

#include <emgnn/models/ops.h>

namespace emgnn {

KindProduct::Pairs KindProduct::pairs_of(const Edges& edges) {
  const std::vector<int32_t>& kind = edges.feature;
  std::vector<std::vector<int32_t>> entries;  // by kind; within it the rows ascend
  for (size_t e = 0; e < kind.size(); ++e) {
    const auto k = static_cast<size_t>(kind[e]);
    if (k >= entries.size()) entries.resize(k + 1);
    entries[k].push_back(static_cast<int32_t>(e));
  }
  Pairs out;
  out.of_entry.resize(kind.size());
  for (size_t k = 0; k < entries.size(); ++k) {
    if (entries[k].empty()) continue;
    const auto before = static_cast<int64_t>(out.row.size());
    int32_t last = -1;
    for (int32_t e : entries[k]) {
      const int32_t row = edges.row[static_cast<size_t>(e)];
      if (row != last) out.row.push_back(last = row);
      out.of_entry[static_cast<size_t>(e)] = static_cast<int32_t>(out.row.size()) - 1;
    }
    out.kinds.push_back(static_cast<int64_t>(k));
    out.count.push_back(static_cast<int64_t>(out.row.size()) - before);
  }
  return out;
}

KindProduct::KindProduct(const Edges& edges) : KindProduct(edges, pairs_of(edges)) {}

KindProduct::KindProduct(const Edges& edges, Pairs pairs)
    : kinds_(std::move(pairs.kinds)),
      count_(std::move(pairs.count)),
      sources_(edges.pattern.col, edges.pattern.num_cols),
      pairs_(std::move(pairs.of_entry), static_cast<int64_t>(pairs.row.size())),
      rows_(std::move(pairs.row), edges.pattern.num_rows) {
  if (!edges.weight.eq(1.0).all().item<bool>()) weight_ = edges.weight.view({-1, 1});
}

at::Tensor KindProduct::operator()(const at::Tensor& h, const at::Tensor& m) const {
  if (kinds_.empty()) return at::zeros({rows_.num_rows(), m.size(2)}, h.options());
  const at::Tensor taken = sources_.take(h);
  const at::Tensor sums = pairs_.sum(weight_.defined() ? taken * weight_ : taken);
  const std::vector<at::Tensor> of_kind = sums.split_with_sizes(count_), weights = m.unbind(0);
  std::vector<at::Tensor> out;
  for (size_t k = 0; k < of_kind.size(); ++k) out.push_back(dense_product(of_kind[k], weights[k]));
  return rows_.sum(at::cat(out));
}

}  // namespace emgnn
