// SPDX-License-Identifier: Apache-2.0
#include <emgnn/space/propagation.h>

#include <ATen/ops/empty.h>
#include <ATen/ops/from_blob.h>
#include <ATen/ops/zeros.h>
#include <torch/csrc/autograd/custom_function.h>

#include <algorithm>
#include <utility>

#include <emgnn/base/error.h>
#include <emgnn/kernels/spmm.h>

namespace emgnn {

// The autograd function over a propagation's products.
struct ApplyPropagation : torch::autograd::Function<ApplyPropagation> {
  static at::Tensor forward(torch::autograd::AutogradContext* ctx, const at::Tensor& h,
                            const c10::intrusive_ptr<ProductPropagation>& hop) {
    const bool shared = h.dim() == 2;
    ctx->saved_data["hop"] = c10::IValue::make_capsule(hop);
    ctx->saved_data["shared"] = shared;
    const at::Tensor in = h.contiguous();
    return shared ? hop->apply_shared(in) : hop->apply_each(in);
  }

  static torch::autograd::variable_list backward(torch::autograd::AutogradContext* ctx,
                                                 torch::autograd::variable_list grads) {
    const auto capsule = ctx->saved_data["hop"].toCapsule();
    const auto& hop = static_cast<const ProductPropagation&>(*capsule);
    const at::Tensor grad_out = grads[0].contiguous();
    const bool shared = ctx->saved_data["shared"].toBool();
    return {shared ? hop.transpose_shared(grad_out) : hop.transpose_each(grad_out), at::Tensor()};
  }
};

namespace {

struct KeptPattern : torch::CustomClassHolder {
  std::shared_ptr<const HopPattern> pattern;
};

// The rows of h that are output rows, too. The others have no gradient.
struct TakeOwnRows : torch::autograd::Function<TakeOwnRows> {
  static at::Tensor forward(torch::autograd::AutogradContext* ctx, const at::Tensor& h_in,
                            const c10::intrusive_ptr<KeptPattern>& kept) {
    ctx->saved_data["pattern"] = c10::IValue::make_capsule(kept);
    const at::Tensor h = h_in.contiguous();
    const std::vector<int32_t>& rows = kept->pattern->hop.self;
    at::Tensor out = at::empty(with_rows(h, static_cast<int64_t>(rows.size())), h.options());
    const int64_t width = h.size(-1), block = h.size(-2) * width;
    float* to = out.data_ptr<float>();
    for (int64_t first = 0; first < h.numel(); first += block)
      for (const int32_t row : rows)
        to = std::copy_n(h.data_ptr<float>() + first + row * width, width, to);
    return out;
  }

  static torch::autograd::variable_list backward(torch::autograd::AutogradContext* ctx,
                                                 torch::autograd::variable_list grads) {
    const auto capsule = ctx->saved_data["pattern"].toCapsule();
    const Hop& hop = static_cast<const KeptPattern&>(*capsule).pattern->hop;
    const at::Tensor g = grads[0].contiguous();
    at::Tensor grad = at::zeros(with_rows(g, hop.pattern.num_cols), g.options());
    const int64_t width = g.size(-1), block = grad.size(-2) * width;
    const float* from = g.data_ptr<float>();
    for (int64_t first = 0; first < grad.numel(); first += block)
      for (const int32_t row : hop.self) {
        std::copy_n(from, width, grad.data_ptr<float>() + first + row * width);
        from += width;
      }
    return {grad, at::Tensor()};
  }

  static std::vector<int64_t> with_rows(const at::Tensor& h, int64_t count) {
    std::vector<int64_t> shape = h.sizes().vec();
    shape[shape.size() - 2] = count;
    return shape;
  }
};

kernels::CsrView view(const Csr& a) {
  return {a.num_rows, a.num_cols, a.rowptr.data(), a.col.data()};
}

// The arguments of S_gᵀ grad_out[g] for all g, [num_graphs, num_outputs, d]. Their sum does not read
// out_stride.
kernels::SpmmBatch transposed(const HopPattern& pattern, const float* values,
                              const at::Tensor& grad_out, const at::Tensor& grad_in) {
  const int64_t width = grad_out.size(-1);
  return {.num_graphs = grad_out.size(0),
          .width = width,
          .val = values,
          .val_stride = pattern.hop.pattern.num_entries(),
          .val_index = pattern.backward.entry.data(),
          .in = grad_out.data_ptr<float>(),
          .in_stride = grad_out.size(1) * width,
          .out = grad_in.data_ptr<float>(),
          .out_stride = grad_in.size(-2) * width};
}

}  // namespace

void Edges::index() {
  backward = transpose(pattern);
  row.resize(pattern.col.size());
  for (int32_t i = 0; i < pattern.num_rows; ++i) {
    for (int32_t e = pattern.rowptr[static_cast<size_t>(i)];
         e < pattern.rowptr[static_cast<size_t>(i) + 1]; ++e)
      row[static_cast<size_t>(e)] = i;
  }
}

at::Tensor ProductPropagation::apply(const at::Tensor& h) const {
  const bool each = h.dim() == 3 && h.size(0) == num_graphs() && h.size(1) == num_inputs();
  const bool shape_fits = (h.dim() == 2 && h.size(0) == num_inputs()) || (each && !blocks());
  if (!shape_fits || h.scalar_type() != at::kFloat) {
    throw UsageError(fmt::format(
        "propagation: expected float [{0}, d] or [{1}, {0}, d], got {2} of {3} dimensions",
        num_inputs(), num_graphs(), c10::toString(h.scalar_type()), h.dim()));
  }
  auto* self = const_cast<ProductPropagation*>(this);  // a capsule holds no pointer to const
  return ApplyPropagation::apply(h, c10::intrusive_ptr<ProductPropagation>::reclaim_copy(self));
}

at::Tensor Propagation::self_plus_apply(const at::Tensor& h) const {
  const int64_t width = h.size(-1) / 2;
  return self(h.narrow(-1, 0, width)) + apply(h.narrow(-1, width, width));
}

const std::vector<int32_t>& Propagation::input_nodes() const {
  throw UsageError("weights per node need the nodes of one graph, and these rows are none");
}

const c10::intrusive_ptr<Edges>& Propagation::edges() const {
  std::call_once(edges_made_, [this] { edges_ = make_edges(); });
  return edges_;
}

HopPattern::HopPattern(Hop h) : hop(std::move(h)), backward(transpose(hop.pattern)) {}

at::Tensor HopPropagation::output_like(const at::Tensor& in) const {
  return at::empty({num_graphs_, num_outputs(), in.size(-1)}, in.options());
}

at::Tensor HopPropagation::shared_input_like(const at::Tensor& out) const {
  return at::empty({num_inputs(), out.size(-1)}, out.options());
}

at::Tensor HopPropagation::each_input_like(const at::Tensor& out) const {
  return at::empty({num_graphs_, num_inputs(), out.size(-1)}, out.options());
}

at::Tensor HopPropagation::self(const at::Tensor& h) const {
  const std::vector<int32_t>& rows = hop().self;
  bool in_place = static_cast<int64_t>(rows.size()) == h.size(-2);
  for (size_t i = 0; in_place && i < rows.size(); ++i)
    in_place = rows[i] == static_cast<int32_t>(i);
  if (in_place) return h;
  auto kept = c10::make_intrusive<KeptPattern>();
  kept->pattern = pattern_;
  return TakeOwnRows::apply(h, kept);
}

c10::intrusive_ptr<Edges> HopPropagation::make_edges() const {
  auto edges = c10::make_intrusive<Edges>();
  edges->pattern = hop().pattern;
  edges->index();
  const std::vector<float> weight = values();
  edges->weight = at::empty({num_graphs_, num_entries()}, at::kFloat);
  std::copy(weight.begin(), weight.end(), edges->weight.data_ptr<float>());
  EntryTypes types = entry_types();
  edges->type = std::move(types.type);
  edges->num_types = types.num_types;
  return edges;
}

PatternPropagation::PatternPropagation(std::shared_ptr<const HopPattern> pattern,
                                       int64_t num_graphs,
                                       std::function<std::vector<float>()> make_values,
                                       std::function<EntryTypes()> make_types)
    : HopPropagation(std::move(pattern), num_graphs),
      make_values_(std::move(make_values)),
      make_types_(std::move(make_types)) {}

const float* PatternPropagation::kept_values() const {
  std::call_once(values_made_, [this] {
    values_ = make_values_();
    EMGNN_DCHECK(static_cast<int64_t>(values_.size()) == num_graphs() * num_entries());
  });
  return values_.data();
}

std::vector<float> PatternPropagation::values() const {
  kept_values();
  return values_;
}

at::Tensor PatternPropagation::product(const at::Tensor& in, int64_t in_stride) const {
  const int64_t width = in.size(-1);
  at::Tensor out = output_like(in);
  kernels::spmm(view(hop().pattern), {.num_graphs = num_graphs(),
                                      .width = width,
                                      .val = kept_values(),
                                      .val_stride = num_entries(),
                                      .in = in.data_ptr<float>(),
                                      .in_stride = in_stride,
                                      .out = out.data_ptr<float>(),
                                      .out_stride = num_outputs() * width});
  return out;
}

at::Tensor PatternPropagation::apply_shared(const at::Tensor& in) const { return product(in, 0); }
at::Tensor PatternPropagation::apply_each(const at::Tensor& in) const {
  return product(in, num_inputs() * in.size(-1));
}

at::Tensor PatternPropagation::transpose_shared(const at::Tensor& grad_out) const {
  at::Tensor grad_in = shared_input_like(grad_out);
  kernels::spmm_sum(view(pattern().backward.csr),
                    transposed(pattern(), kept_values(), grad_out, grad_in));
  return grad_in;
}

at::Tensor PatternPropagation::transpose_each(const at::Tensor& grad_out) const {
  at::Tensor grad_in = each_input_like(grad_out);
  kernels::spmm(view(pattern().backward.csr),
                transposed(pattern(), kept_values(), grad_out, grad_in));
  return grad_in;
}

at::Tensor PatternPropagation::diagonal() const {
  at::Tensor out = at::empty({num_graphs(), num_outputs(), 1}, at::kFloat);
  const float* all = kept_values();
  for (size_t i = 0; i < hop().self.size(); ++i) {
    int32_t e = hop().pattern.rowptr[i];
    while (hop().pattern.col[static_cast<size_t>(e)] != hop().self[i]) ++e;
    for (int64_t g = 0; g < num_graphs(); ++g)
      out.data_ptr<float>()[g * num_outputs() + static_cast<int64_t>(i)] =
          all[g * num_entries() + e];
  }
  return out;
}

}  // namespace emgnn
