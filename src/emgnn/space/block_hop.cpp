// SPDX-License-Identifier: Apache-2.0
#include <emgnn/space/block_hop.h>

#include <ATen/ops/empty.h>
#include <ATen/ops/zeros.h>
#include <torch/csrc/autograd/custom_function.h>

#include <algorithm>
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

at::Tensor product(const Csr& a, int64_t num_rows, int64_t width, const at::Tensor& in) {
  at::Tensor out = at::empty({num_rows, width}, in.options());
  kernels::spmm({a.num_rows, a.num_cols, a.rowptr.data(), a.col.data()},
                {.width = in.size(1),
                 .val = data_or_null(a.val),
                 .in = in.data_ptr<float>(),
                 .out = out.data_ptr<float>()});
  return out;
}

bool is_identity(const BlockRows& rows) {
  bool identity = static_cast<int64_t>(rows.own.size()) == rows.num_inputs;
  for (size_t r = 0; identity && r < rows.own.size(); ++r)
    identity = rows.own[r] == static_cast<int32_t>(r);
  return identity;
}

const BlockHop& hop_of(AutogradContext* ctx) {
  // The capsule lives as long as the context.
  return static_cast<const BlockHop&>(*ctx->saved_data["hop"].toCapsule());
}

c10::intrusive_ptr<BlockHop> shared(const BlockHop* hop) {
  return c10::intrusive_ptr<BlockHop>::reclaim_copy(const_cast<BlockHop*>(hop));
}

}  // namespace

struct BlockFilter : torch::autograd::Function<BlockFilter> {
  static at::Tensor forward(AutogradContext* ctx, const at::Tensor& h_in,
                            const c10::intrusive_ptr<BlockHop>& hop) {
    ctx->saved_data["hop"] = c10::IValue::make_capsule(hop);
    const at::Tensor h = h_in.contiguous();
    const BlockRows& rows = hop->rows_;
    at::Tensor out = at::empty({hop->num_outputs(), h.size(1) / 2}, h.options());
    kernels::block_spmm({.num_rows = hop->num_outputs(),
                         .own = rows.own.data(),
                         .list = rows.list.data(),
                         .count = rows.count.data(),
                         .base = rows.base.data(),
                         .factor = data_or_null(rows.factor),
                         .neighbour = hop->graphs_->neighbours().data(),
                         .source = data_or_null(rows.source),
                         .source_factor = data_or_null(rows.source_factor)},
                        out.size(1), h.data_ptr<float>(), out.data_ptr<float>());
    return out;
  }

  static variable_list backward(AutogradContext* ctx, variable_list grads) {
    const BlockHop& hop = hop_of(ctx);
    const at::Tensor grad_out = grads[0].contiguous();
    return {product(hop.transposed(), hop.num_inputs(), 2 * grad_out.size(1), grad_out),
            at::Tensor()};
  }
};

struct BlockOwn : torch::autograd::Function<BlockOwn> {
  static at::Tensor forward(AutogradContext* ctx, const at::Tensor& h_in,
                            const c10::intrusive_ptr<BlockHop>& hop) {
    ctx->saved_data["hop"] = c10::IValue::make_capsule(hop);
    const at::Tensor h = h_in.contiguous();
    const int64_t width = h.size(1);
    at::Tensor out = at::empty({hop->num_outputs(), width}, h.options());
    const float* from = h.data_ptr<float>();
    float* to = out.data_ptr<float>();
    constexpr int64_t kGrain = 256;  // rows
    parallel_for(hop->num_outputs(), kGrain, [&](int64_t begin, int64_t end) {
      for (int64_t r = begin; r < end; ++r)
        std::copy_n(from + hop->rows_.own[static_cast<size_t>(r)] * width, width, to + r * width);
    });
    return out;
  }

  static variable_list backward(AutogradContext* ctx, variable_list grads) {
    const BlockHop& hop = hop_of(ctx);
    const at::Tensor grad_out = grads[0].contiguous();
    return {product(hop.own_transposed(), hop.num_inputs(), grad_out.size(1), grad_out),
            at::Tensor()};
  }
};

BlockHop::BlockHop(BlockRows rows, std::shared_ptr<const MoleculeGraphs> graphs)
    : rows_(std::move(rows)), graphs_(std::move(graphs)), own_is_identity_(is_identity(rows_)) {}

template <class Put>
void BlockHop::for_each_entry(Put&& put) const {
  for (size_t r = 0; r < rows_.own.size(); ++r) {
    const float factor = rows_.factor.empty() ? 1.0F : rows_.factor[r];
    for (int64_t e = rows_.list[r]; e < rows_.list[r] + rows_.count[r]; ++e) {
      const auto place =
          static_cast<size_t>(rows_.base[r] + graphs_->neighbours()[static_cast<size_t>(e)]);
      put(r, Entry{rows_.source.empty() ? static_cast<int32_t>(place) : rows_.source[place],
                   rows_.source_factor.empty() ? factor : factor * rows_.source_factor[place],
                   graphs_->bonds()[static_cast<size_t>(e)]});
    }
  }
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
    for (size_t r = 0; r < rows_.own.size(); ++r) put(2 * rows_.own[r], r, 1.0F);
    for_each_entry([&](size_t r, const Entry& e) { put(2 * e.input + 1, r, e.weight); });
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

const Csr& BlockHop::forward() const {
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

const Csr& BlockHop::backward() const {
  std::call_once(backward_made_, [this] { backward_ = transpose(forward()).csr; });
  return backward_;
}

at::Tensor BlockHop::self(const at::Tensor& h) const {
  EMGNN_CHECK(h.dim() == 2 && h.size(0) == num_inputs(), "own rows: wrong number of rows",
              h.size(0));
  return own_is_identity_ ? h : BlockOwn::apply(h, shared(this));
}

at::Tensor BlockHop::self_plus_apply(const at::Tensor& h) const {
  EMGNN_CHECK(h.dim() == 2 && h.size(0) == num_inputs() && h.size(1) % 2 == 0,
              fmt::format("filter: expected [{}, 2 d]", num_inputs()),
              fmt::format("[{}, {}]", h.size(0), h.size(-1)));
  return BlockFilter::apply(h, shared(this));
}

at::Tensor BlockHop::diagonal() const {
  at::Tensor out = at::zeros({1, num_outputs(), 1}, at::kFloat);
  for_each_entry([&](size_t r, const Entry& e) {
    if (e.input == rows_.own[r]) out.data_ptr<float>()[r] = e.weight;
  });
  return out;
}

at::Tensor BlockHop::apply_shared(const at::Tensor& in) const {
  return product(forward(), num_outputs(), in.size(1), in);
}
at::Tensor BlockHop::transpose_shared(const at::Tensor& grad_out) const {
  return product(backward(), num_inputs(), grad_out.size(1), grad_out);
}
// Graphs laid end to end have no axis of graphs: apply() refuses a third dimension.
at::Tensor BlockHop::apply_each(const at::Tensor& in) const { return apply_shared(in); }
at::Tensor BlockHop::transpose_each(const at::Tensor& grad_out) const {
  return transpose_shared(grad_out);
}

c10::intrusive_ptr<Edges> BlockHop::make_edges() const {
  auto edges = c10::make_intrusive<Edges>();
  edges->blocks = true;
  edges->pattern = forward();
  edges->index();
  // 0: no bond, 1: a bond, 2: the atom itself.
  edges->num_types = 3;
  edges->feature.assign(edges->pattern.col.size(), -1);
  edges->type.assign(edges->pattern.col.size(), 0);
  for_each_entry([&](size_t r, const Entry& e) {
    const auto begin = edges->pattern.col.begin() + edges->pattern.rowptr[r];
    const auto end = edges->pattern.col.begin() + edges->pattern.rowptr[r + 1];
    const auto k =
        static_cast<size_t>(std::lower_bound(begin, end, e.input) - edges->pattern.col.begin());
    edges->feature[k] = e.bond;
    edges->type[k] = e.input == rows_.own[r] ? 2 : e.bond >= 0 ? 1 : 0;
  });
  edges->weight = at::empty({1, edges->pattern.num_entries()}, at::kFloat);
  std::copy(edges->pattern.val.begin(), edges->pattern.val.end(), edges->weight.data_ptr<float>());
  edges->pattern.val = {};
  return edges;
}

}  // namespace emgnn
