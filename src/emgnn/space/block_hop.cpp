// SPDX-License-Identifier: Apache-2.0
#include <emgnn/space/block_hop.h>

#include <ATen/ops/empty.h>

#include <utility>

#include <emgnn/kernels/block.h>

namespace emgnn {

namespace {

template <class T>
const T* data_or_null(const std::vector<T>& v) {
  return v.empty() ? nullptr : v.data();
}

}  // namespace

BlockHop::BlockHop(BlockRows rows, std::shared_ptr<const MoleculeGraphs> graphs,
                   std::shared_ptr<const EntryTable> kinds)
    : BlockPropagation(std::move(kinds)), rows_(std::move(rows)), graphs_(std::move(graphs)) {}

at::Tensor BlockHop::filter(const at::Tensor& h) const {
  at::Tensor out = at::empty({num_outputs(), h.size(1) / 2}, h.options());
  kernels::block_spmm({.num_rows = num_outputs(),
                       .own = rows_.own.data(),
                       .list = rows_.list.data(),
                       .count = rows_.count.data(),
                       .base = rows_.base.data(),
                       .factor = data_or_null(rows_.factor),
                       .neighbour = graphs_->neighbours().data(),
                       .source = data_or_null(rows_.source),
                       .source_factor = data_or_null(rows_.source_factor)},
                      out.size(1), h.data_ptr<float>(), out.data_ptr<float>());
  return out;
}

void BlockHop::for_each_entry(const Put& put) const {
  for (size_t r = 0; r < rows_.own.size(); ++r) {
    const float factor = rows_.factor.empty() ? 1.0F : rows_.factor[r];
    for (int64_t e = rows_.list[r]; e < rows_.list[r] + rows_.count[r]; ++e) {
      const auto place =
          static_cast<size_t>(rows_.base[r] + graphs_->neighbours()[static_cast<size_t>(e)]);
      put(r,
          Entry{rows_.source.empty() ? static_cast<int32_t>(place) : rows_.source[place],
                rows_.source_factor.empty() ? factor : factor * rows_.source_factor[place],
                graphs_->bonds()[static_cast<size_t>(e)], graphs_->bins()[static_cast<size_t>(e)]});
    }
  }
}

}  // namespace emgnn
