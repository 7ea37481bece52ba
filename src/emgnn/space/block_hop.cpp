// SPDX-License-Identifier: Apache-2.0
#include <emgnn/space/block_hop.h>

#include <ATen/ops/empty.h>
#include <torch/csrc/autograd/custom_function.h>

#include <utility>

#include <emgnn/base/error.h>
#include <emgnn/base/threads.h>
#include <emgnn/kernels/block.h>
#include <emgnn/kernels/spmm.h>

namespace emgnn {

namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

template <class T>
const T* data_or_null(const std::vector<T>& v) {
  return v.empty() ? nullptr : v.data();
}

void product(const Csr& a, int64_t width, const float* in, float* out) {
  kernels::spmm({a.num_rows, a.num_cols, a.rowptr.data(), a.col.data()},
                {.width = width, .val = data_or_null(a.val), .in = in, .out = out});
}

bool is_identity(const BlockRows& rows) {
  bool identity = static_cast<int64_t>(rows.own.size()) == rows.num_inputs;
  for (size_t r = 0; identity && r < rows.own.size(); ++r)
    identity = rows.own[r] == static_cast<int32_t>(r);
  return identity;
}

struct Filter : torch::autograd::Function<Filter> {
  static at::Tensor forward(AutogradContext* ctx, const at::Tensor& h_in,
                            const c10::intrusive_ptr<BlockHop>& hop) {
    ctx->saved_data["hop"] = c10::IValue::make_capsule(hop);
    const at::Tensor h = h_in.contiguous();
    at::Tensor out = at::empty({hop->num_outputs(), h.size(1) / 2}, h.options());
    hop->apply(out.size(1), h.data_ptr<float>(), out.data_ptr<float>());
    return out;
  }

  static variable_list backward(AutogradContext* ctx, variable_list grads) {
    const auto capsule = ctx->saved_data["hop"].toCapsule();
    const auto& hop = static_cast<const BlockHop&>(*capsule);
    const at::Tensor grad_out = grads[0].contiguous();
    const int64_t width = grad_out.size(1);
    at::Tensor grad_h = at::empty({hop.num_inputs(), 2 * width}, grad_out.options());
    hop.transpose(width, grad_out.data_ptr<float>(), grad_h.data_ptr<float>());
    return {grad_h, at::Tensor()};
  }
};

struct OwnRows : torch::autograd::Function<OwnRows> {
  static at::Tensor forward(AutogradContext* ctx, const at::Tensor& h_in,
                            const c10::intrusive_ptr<BlockHop>& hop) {
    ctx->saved_data["hop"] = c10::IValue::make_capsule(hop);
    const at::Tensor h = h_in.contiguous();
    at::Tensor out = at::empty({hop->num_outputs(), h.size(1)}, h.options());
    hop->own(h.size(1), h.data_ptr<float>(), out.data_ptr<float>());
    return out;
  }

  static variable_list backward(AutogradContext* ctx, variable_list grads) {
    const auto capsule = ctx->saved_data["hop"].toCapsule();
    const auto& hop = static_cast<const BlockHop&>(*capsule);
    const at::Tensor grad_out = grads[0].contiguous();
    at::Tensor grad_h = at::empty({hop.num_inputs(), grad_out.size(1)}, grad_out.options());
    hop.own_transpose(grad_out.size(1), grad_out.data_ptr<float>(), grad_h.data_ptr<float>());
    return {grad_h, at::Tensor()};
  }
};

}  // namespace

BlockHop::BlockHop(BlockRows rows, std::shared_ptr<const MoleculeGraphs> graphs)
    : rows_(std::move(rows)), graphs_(std::move(graphs)), own_is_identity_(is_identity(rows_)) {}

void BlockHop::apply(int64_t width, const float* h, float* out) const {
  kernels::block_spmm({.num_rows = num_outputs(),
                       .own = rows_.own.data(),
                       .list = rows_.list.data(),
                       .count = rows_.count.data(),
                       .base = rows_.base.data(),
                       .factor = data_or_null(rows_.factor),
                       .neighbour = graphs_->neighbours().data(),
                       .source = data_or_null(rows_.source),
                       .source_factor = data_or_null(rows_.source_factor)},
                      width, h, out);
}

void BlockHop::transpose(int64_t width, const float* grad_out, float* grad_h) const {
  product(transposed(), width, grad_out, grad_h);
}

void BlockHop::own(int64_t width, const float* h, float* out) const {
  constexpr int64_t kGrain = 256;  // rows
  parallel_for(num_outputs(), kGrain, [&](int64_t begin, int64_t end) {
    for (int64_t r = begin; r < end; ++r)
      std::copy_n(h + rows_.own[static_cast<size_t>(r)] * width, width, out + r * width);
  });
}

void BlockHop::own_transpose(int64_t width, const float* grad_out, float* grad_h) const {
  product(own_transposed(), width, grad_out, grad_h);
}

// Input q is two rows: 2 q is added to rows as their own, 2 q + 1 as a neighbour.
const Csr& BlockHop::transposed() const {
  std::call_once(made_, [this] {
    Coo entries;
    const auto put = [&](int32_t input, size_t output, float value) {
      entries.row.push_back(input);
      entries.col.push_back(static_cast<int32_t>(output));
      entries.val.push_back(value);
    };
    for (size_t r = 0; r < rows_.own.size(); ++r) {
      put(2 * rows_.own[r], r, 1.0F);
      const float factor = rows_.factor.empty() ? 1.0F : rows_.factor[r];
      const int32_t* list = graphs_->neighbours().data() + rows_.list[r];
      for (int32_t e = 0; e < rows_.count[r]; ++e) {
        const auto place = static_cast<size_t>(rows_.base[r] + list[e]);
        const int32_t input =
            rows_.source.empty() ? static_cast<int32_t>(place) : rows_.source[place];
        put(2 * input + 1, r,
            rows_.source_factor.empty() ? factor : factor * rows_.source_factor[place]);
      }
    }
    transposed_ = csr_from_coo(static_cast<int32_t>(2 * num_inputs()),
                               static_cast<int32_t>(num_outputs()), entries, Duplicates::kSum);
  });
  return transposed_;
}

const Csr& BlockHop::own_transposed() const {
  std::call_once(own_made_, [this] {
    Coo entries{.row = rows_.own};
    for (int64_t r = 0; r < num_outputs(); ++r) entries.col.push_back(static_cast<int32_t>(r));
    own_transposed_ = csr_from_coo(static_cast<int32_t>(num_inputs()),
                                   static_cast<int32_t>(num_outputs()), entries, Duplicates::kSum);
  });
  return own_transposed_;
}

at::Tensor filter(const c10::intrusive_ptr<BlockHop>& hop, const at::Tensor& h) {
  EMGNN_CHECK(h.dim() == 2 && h.size(0) == hop->num_inputs() && h.size(1) % 2 == 0,
              fmt::format("filter: expected [{}, 2 d]", hop->num_inputs()),
              fmt::format("[{}, {}]", h.size(0), h.size(-1)));
  return Filter::apply(h, hop);
}

at::Tensor own_rows(const c10::intrusive_ptr<BlockHop>& hop, const at::Tensor& h) {
  EMGNN_CHECK(h.dim() == 2 && h.size(0) == hop->num_inputs(), "own rows: wrong number of rows",
              h.size(0));
  return hop->own_is_identity() ? h : OwnRows::apply(h, hop);
}

}  // namespace emgnn
