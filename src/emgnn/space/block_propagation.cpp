// SPDX-License-Identifier: Apache-2.0
#include <emgnn/space/block_propagation.h>

#include <ATen/ops/empty.h>
#include <ATen/ops/zeros.h>
#include <torch/csrc/autograd/custom_function.h>

#include <algorithm>
#include <utility>

#include <emgnn/base/error.h>
#include <emgnn/base/threads.h>
#include <emgnn/kernels/spmm.h>

namespace emgnn {

namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

at::Tensor product(const Csr& a, int64_t num_rows, int64_t width, const at::Tensor& in) {
  at::Tensor out = at::empty({num_rows, width}, in.options());
  kernels::spmm({a.num_rows, a.num_cols, a.rowptr.data(), a.col.data()},
                {.width = in.size(1),
                 .val = a.val.empty() ? nullptr : a.val.data(),
                 .in = in.data_ptr<float>(),
                 .out = out.data_ptr<float>()});
  return out;
}

bool is_identity(const std::vector<int32_t>& own, int64_t num_inputs) {
  bool identity = static_cast<int64_t>(own.size()) == num_inputs;
  for (size_t r = 0; identity && r < own.size(); ++r) identity = own[r] == static_cast<int32_t>(r);
  return identity;
}

const BlockPropagation& hop_of(AutogradContext* ctx) {
  // The capsule lives as long as the context.
  return static_cast<const BlockPropagation&>(*ctx->saved_data["hop"].toCapsule());
}

c10::intrusive_ptr<BlockPropagation> shared(const BlockPropagation* hop) {
  return c10::intrusive_ptr<BlockPropagation>::reclaim_copy(const_cast<BlockPropagation*>(hop));
}

}  // namespace

struct BlockFilter : torch::autograd::Function<BlockFilter> {
  static at::Tensor forward(AutogradContext* ctx, const at::Tensor& h_in,
                            const c10::intrusive_ptr<BlockPropagation>& hop) {
    ctx->saved_data["hop"] = c10::IValue::make_capsule(hop);
    return hop->filter(h_in.contiguous());
  }

  static variable_list backward(AutogradContext* ctx, variable_list grads) {
    const BlockPropagation& hop = hop_of(ctx);
    const at::Tensor grad_out = grads[0].contiguous();
    return {product(hop.transposed(), hop.num_inputs(), 2 * grad_out.size(1), grad_out),
            at::Tensor()};
  }
};

struct BlockOwn : torch::autograd::Function<BlockOwn> {
  static at::Tensor forward(AutogradContext* ctx, const at::Tensor& h_in,
                            const c10::intrusive_ptr<BlockPropagation>& hop) {
    ctx->saved_data["hop"] = c10::IValue::make_capsule(hop);
    const at::Tensor h = h_in.contiguous();
    const int64_t width = h.size(1);
    at::Tensor out = at::empty({hop->num_outputs(), width}, h.options());
    const float* from = h.data_ptr<float>();
    float* to = out.data_ptr<float>();
    const std::vector<int32_t>& own = hop->own();
    constexpr int64_t kGrain = 256;  // rows
    parallel_for(hop->num_outputs(), kGrain, [&](int64_t begin, int64_t end) {
      for (int64_t r = begin; r < end; ++r)
        std::copy_n(from + own[static_cast<size_t>(r)] * width, width, to + r * width);
    });
    return out;
  }

  static variable_list backward(AutogradContext* ctx, variable_list grads) {
    const BlockPropagation& hop = hop_of(ctx);
    const at::Tensor grad_out = grads[0].contiguous();
    return {product(hop.own_transposed(), hop.num_inputs(), grad_out.size(1), grad_out),
            at::Tensor()};
  }
};

// The map from [2 num_inputs, width]. Input q is two rows: 2 q is added to rows as their own, 2 q + 1
// as a neighbour.
Coo BlockPropagation::both_entries() const {
  Coo entries;
  const auto put = [&](size_t output, int32_t input, float value) {
    entries.row.push_back(static_cast<int32_t>(output));
    entries.col.push_back(input);
    entries.val.push_back(value);
  };
  const std::vector<int32_t>& own = this->own();
  for (size_t r = 0; r < own.size(); ++r) put(r, 2 * own[r], 1.0F);
  for_each_entry([&](size_t r, const Entry& e) { put(r, 2 * e.input + 1, e.weight); });
  return entries;
}

at::Tensor BlockPropagation::filter(const at::Tensor& h) const {
  std::call_once(both_made_, [this] {
    both_ = csr_from_coo(static_cast<int32_t>(num_outputs()),
                         static_cast<int32_t>(2 * num_inputs()), both_entries(), Duplicates::kSum);
  });
  const int64_t width = h.size(1) / 2;
  return product(both_, num_outputs(), width, h.view({2 * num_inputs(), width}));
}

const Csr& BlockPropagation::transposed() const {
  std::call_once(transposed_made_, [this] {
    Coo entries = both_entries();
    std::swap(entries.row, entries.col);
    transposed_ = csr_from_coo(static_cast<int32_t>(2 * num_inputs()),
                               static_cast<int32_t>(num_outputs()), entries, Duplicates::kSum);
  });
  return transposed_;
}

const Csr& BlockPropagation::own_transposed() const {
  std::call_once(own_made_, [this] {
    Coo entries{.row = own()};
    for (int64_t r = 0; r < num_outputs(); ++r) entries.col.push_back(static_cast<int32_t>(r));
    own_transposed_ = csr_from_coo(static_cast<int32_t>(num_inputs()),
                                   static_cast<int32_t>(num_outputs()), entries, Duplicates::kSum);
  });
  return own_transposed_;
}

const Csr& BlockPropagation::forward() const {
  std::call_once(forward_made_, [this] {
    Coo entries;
    for_each_entry([&](size_t r, const Entry& e) {
      entries.row.push_back(static_cast<int32_t>(r));
      entries.col.push_back(e.input);
      entries.val.push_back(e.weight);
    });
    forward_ = csr_from_coo(static_cast<int32_t>(num_outputs()), static_cast<int32_t>(num_inputs()),
                            entries, Duplicates::kSum);
  });
  return forward_;
}

const Csr& BlockPropagation::backward() const {
  std::call_once(backward_made_, [this] { backward_ = transpose(forward()).csr; });
  return backward_;
}

at::Tensor BlockPropagation::self(const at::Tensor& h) const {
  EMGNN_CHECK(h.dim() == 2 && h.size(0) == num_inputs(), "own rows: wrong number of rows",
              h.size(0));
  return is_identity(own(), num_inputs()) ? h : BlockOwn::apply(h, shared(this));
}

at::Tensor BlockPropagation::self_plus_apply(const at::Tensor& h) const {
  EMGNN_CHECK(h.dim() == 2 && h.size(0) == num_inputs() && h.size(1) % 2 == 0,
              fmt::format("filter: expected [{}, 2 d]", num_inputs()),
              fmt::format("[{}, {}]", h.size(0), h.size(-1)));
  return BlockFilter::apply(h, shared(this));
}

at::Tensor BlockPropagation::diagonal() const {
  at::Tensor out = at::zeros({1, num_outputs(), 1}, at::kFloat);
  for_each_entry([&](size_t r, const Entry& e) {
    if (e.input == own()[r]) out.data_ptr<float>()[r] = e.weight;
  });
  return out;
}

at::Tensor BlockPropagation::apply_shared(const at::Tensor& in) const {
  return product(forward(), num_outputs(), in.size(1), in);
}
at::Tensor BlockPropagation::transpose_shared(const at::Tensor& grad_out) const {
  return product(backward(), num_inputs(), grad_out.size(1), grad_out);
}
// Graphs laid end to end have no axis of graphs: apply() refuses a third dimension.
at::Tensor BlockPropagation::apply_each(const at::Tensor& in) const { return apply_shared(in); }
at::Tensor BlockPropagation::transpose_each(const at::Tensor& grad_out) const {
  return transpose_shared(grad_out);
}

c10::intrusive_ptr<Edges> BlockPropagation::make_edges() const {
  auto edges = c10::make_intrusive<Edges>();
  edges->blocks = true;
  edges->pattern = forward();
  edges->index();
  // 0: no bond, 1: a bond, 2: the atom itself.
  edges->num_types = 3;
  edges->feature_table = kinds_->rows();
  edges->feature.resize(edges->pattern.col.size());
  edges->type.resize(edges->pattern.col.size());
  for_each_entry([&](size_t r, const Entry& e) {
    const auto begin = edges->pattern.col.begin() + edges->pattern.rowptr[r];
    const auto end = edges->pattern.col.begin() + edges->pattern.rowptr[r + 1];
    const auto k =
        static_cast<size_t>(std::lower_bound(begin, end, e.input) - edges->pattern.col.begin());
    const bool self = e.input == own()[r];
    edges->feature[k] = self ? kinds_->self_loop() : kinds_->kind(e.bond, e.bin);
    edges->type[k] = self ? 2 : e.bond >= 0 ? 1 : 0;
  });
  edges->weight = at::empty({1, edges->pattern.num_entries()}, at::kFloat);
  std::copy(edges->pattern.val.begin(), edges->pattern.val.end(), edges->weight.data_ptr<float>());
  edges->pattern.val = {};
  return edges;
}

}  // namespace emgnn
