// SPDX-License-Identifier: Apache-2.0
#include <emgnn/models/row_index.h>

#include <ATen/ops/empty.h>
#include <torch/csrc/autograd/custom_function.h>

#include <algorithm>
#include <utility>

#include <emgnn/base/error.h>
#include <emgnn/base/threads.h>
#include <emgnn/kernels/spmm.h>

namespace emgnn {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

struct RowIndex::Map : torch::CustomClassHolder {
  std::vector<int32_t> number;   // [m]
  std::vector<int32_t> begin;    // [num_rows + 1]
  std::vector<int32_t> members;  // [m] the e of each number, ascending

  Map(std::vector<int32_t> n, int64_t num_rows)
      : number(std::move(n)), begin(static_cast<size_t>(num_rows) + 1), members(number.size()) {
    for (int32_t r : number) ++begin[static_cast<size_t>(r) + 1];
    for (size_t r = 1; r < begin.size(); ++r) begin[r] += begin[r - 1];
    std::vector<int32_t> next(begin.begin(), begin.end() - 1);
    for (size_t e = 0; e < number.size(); ++e)
      members[static_cast<size_t>(next[static_cast<size_t>(number[e])]++)] =
          static_cast<int32_t>(e);
  }

  int64_t size() const { return static_cast<int64_t>(number.size()); }
  int64_t num_rows() const { return static_cast<int64_t>(begin.size()) - 1; }

  at::Tensor take(const at::Tensor& h) const {
    const int64_t width = h.size(1);
    at::Tensor out = at::empty({size(), width}, h.options());
    const float* from = h.data_ptr<float>();
    float* to = out.data_ptr<float>();
    constexpr int64_t kGrain = 256;  // rows
    parallel_for(size(), kGrain, [&](int64_t first, int64_t last) {
      for (int64_t e = first; e < last; ++e)
        std::copy_n(from + number[static_cast<size_t>(e)] * width, width, to + e * width);
    });
    return out;
  }

  at::Tensor sum(const at::Tensor& x) const {
    at::Tensor out = at::empty({num_rows(), x.size(1)}, x.options());
    kernels::spmm({static_cast<int32_t>(num_rows()), static_cast<int32_t>(size()), begin.data(),
                   members.data()},
                  {.width = x.size(1), .in = x.data_ptr<float>(), .out = out.data_ptr<float>()});
    return out;
  }
};

namespace {

using MapPtr = c10::intrusive_ptr<RowIndex::Map>;

struct Take : torch::autograd::Function<Take> {
  static at::Tensor forward(AutogradContext* ctx, const at::Tensor& h, const MapPtr& map) {
    ctx->saved_data["map"] = c10::IValue::make_capsule(map);
    return map->take(h.contiguous());
  }

  static variable_list backward(AutogradContext* ctx, variable_list grads) {
    const auto capsule = ctx->saved_data["map"].toCapsule();
    return {static_cast<const RowIndex::Map&>(*capsule).sum(grads[0].contiguous()), at::Tensor()};
  }
};

struct Sum : torch::autograd::Function<Sum> {
  static at::Tensor forward(AutogradContext* ctx, const at::Tensor& x, const MapPtr& map) {
    ctx->saved_data["map"] = c10::IValue::make_capsule(map);
    return map->sum(x.contiguous());
  }

  static variable_list backward(AutogradContext* ctx, variable_list grads) {
    const auto capsule = ctx->saved_data["map"].toCapsule();
    return {static_cast<const RowIndex::Map&>(*capsule).take(grads[0].contiguous()), at::Tensor()};
  }
};

}  // namespace

RowIndex::RowIndex(std::vector<int32_t> number, int64_t num_rows)
    : map_(c10::make_intrusive<Map>(std::move(number), num_rows)) {}

RowIndex::~RowIndex() = default;
RowIndex::RowIndex(RowIndex&&) noexcept = default;

int64_t RowIndex::size() const { return map_->size(); }
int64_t RowIndex::num_rows() const { return map_->num_rows(); }

at::Tensor RowIndex::take(const at::Tensor& h) const {
  EMGNN_DCHECK(h.dim() == 2 && h.size(0) == num_rows());
  return Take::apply(h, map_);
}

at::Tensor RowIndex::sum(const at::Tensor& x) const {
  EMGNN_DCHECK(x.dim() == 2 && x.size(0) == size());
  return Sum::apply(x, map_);
}

}  // namespace emgnn
