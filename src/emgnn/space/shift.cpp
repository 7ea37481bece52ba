// SPDX-License-Identifier: Apache-2.0
#include <emgnn/space/shift.h>

#include <ATen/ops/empty.h>
#include <ATen/ops/index_select.h>
#include <ATen/ops/tensor.h>
#include <torch/csrc/autograd/custom_function.h>

#include <utility>

#include <emgnn/base/error.h>
#include <emgnn/kernels/spmm.h>

namespace emgnn {

namespace {

kernels::CsrView view(const Csr& a) {
  return {a.num_rows, a.num_cols, a.rowptr.data(), a.col.data()};
}

struct ApplyShift : torch::autograd::Function<ApplyShift> {
  static at::Tensor forward(torch::autograd::AutogradContext* ctx, const at::Tensor& h,
                            const c10::intrusive_ptr<HopOperator>& op) {
    const bool shared = h.dim() == 2;
    const int64_t width = h.size(-1);
    ctx->saved_data["operator"] = c10::IValue::make_capsule(op);
    ctx->saved_data["shared"] = shared;
    const at::Tensor in = h.contiguous();
    at::Tensor out = at::empty({op->num_graphs(), op->num_outputs(), width}, h.options());
    if (shared) {
      op->apply_shared(width, in.data_ptr<float>(), out.data_ptr<float>());
    } else {
      op->apply_each(width, in.data_ptr<float>(), out.data_ptr<float>());
    }
    return out;
  }

  static torch::autograd::variable_list backward(torch::autograd::AutogradContext* ctx,
                                                 torch::autograd::variable_list grads) {
    const auto capsule = ctx->saved_data["operator"].toCapsule();
    const auto& op = static_cast<const HopOperator&>(*capsule);
    const bool shared = ctx->saved_data["shared"].toBool();
    const at::Tensor grad_out = grads[0].contiguous();
    const int64_t width = grad_out.size(-1);
    at::Tensor grad_in;
    if (shared) {
      grad_in = at::empty({op.num_inputs(), width}, grad_out.options());
      op.transpose_shared(width, grad_out.data_ptr<float>(), grad_in.data_ptr<float>());
    } else {
      grad_in = at::empty({op.num_graphs(), op.num_inputs(), width}, grad_out.options());
      op.transpose_each(width, grad_out.data_ptr<float>(), grad_in.data_ptr<float>());
    }
    return {grad_in, at::Tensor()};
  }
};

}  // namespace

HopPattern::HopPattern(Hop h) : hop(std::move(h)), backward(transpose(hop.pattern)) {}

PatternOperator::PatternOperator(std::shared_ptr<const HopPattern> pattern, int64_t num_graphs,
                                 std::function<std::vector<float>()> make_values)
    : pattern_(std::move(pattern)), num_graphs_(num_graphs), make_values_(std::move(make_values)) {}

const float* PatternOperator::values() const {
  std::call_once(values_made_, [this] {
    values_ = make_values_();
    EMGNN_DCHECK(static_cast<int64_t>(values_.size()) ==
                 num_graphs_ * pattern_->hop.pattern.num_entries());
  });
  return values_.data();
}

void PatternOperator::apply_shared(int64_t width, const float* in, float* out) const {
  kernels::spmm(view(pattern_->hop.pattern), {.num_graphs = num_graphs_,
                                              .width = width,
                                              .val = values(),
                                              .val_stride = pattern_->hop.pattern.num_entries(),
                                              .in = in,
                                              .in_stride = 0,
                                              .out = out,
                                              .out_stride = num_outputs() * width});
}

void PatternOperator::apply_each(int64_t width, const float* in, float* out) const {
  kernels::spmm(view(pattern_->hop.pattern), {.num_graphs = num_graphs_,
                                              .width = width,
                                              .val = values(),
                                              .val_stride = pattern_->hop.pattern.num_entries(),
                                              .in = in,
                                              .in_stride = num_inputs() * width,
                                              .out = out,
                                              .out_stride = num_outputs() * width});
}

void PatternOperator::transpose_shared(int64_t width, const float* grad_out, float* grad_in) const {
  kernels::spmm_sum(view(pattern_->backward.csr),
                    {.num_graphs = num_graphs_,
                     .width = width,
                     .val = values(),
                     .val_stride = pattern_->hop.pattern.num_entries(),
                     .val_index = pattern_->backward.entry.data(),
                     .in = grad_out,
                     .in_stride = num_outputs() * width,
                     .out = grad_in});
}

void PatternOperator::transpose_each(int64_t width, const float* grad_out, float* grad_in) const {
  kernels::spmm(view(pattern_->backward.csr), {.num_graphs = num_graphs_,
                                               .width = width,
                                               .val = values(),
                                               .val_stride = pattern_->hop.pattern.num_entries(),
                                               .val_index = pattern_->backward.entry.data(),
                                               .in = grad_out,
                                               .in_stride = num_outputs() * width,
                                               .out = grad_in,
                                               .out_stride = num_inputs() * width});
}

void PatternOperator::diagonal(float* out) const {
  const Hop& hop = pattern_->hop;
  const float* all = values();
  for (size_t i = 0; i < hop.self.size(); ++i) {
    int32_t e = hop.pattern.rowptr[i];
    while (hop.pattern.col[static_cast<size_t>(e)] != hop.self[i]) ++e;
    for (int64_t g = 0; g < num_graphs_; ++g)
      out[g * num_outputs() + static_cast<int64_t>(i)] = all[g * hop.pattern.num_entries() + e];
  }
}

Shift::Shift(std::vector<c10::intrusive_ptr<HopOperator>> operators,
             std::vector<std::shared_ptr<const HopPattern>> patterns)
    : operators_(std::move(operators)), patterns_(std::move(patterns)) {
  EMGNN_DCHECK(!operators_.empty() && operators_.size() == patterns_.size());
}

size_t Shift::index(int hop) const {
  if (operators_.size() == 1 && operators_[0]->num_inputs() == operators_[0]->num_outputs())
    return 0;
  EMGNN_CHECK(hop >= 0 && static_cast<size_t>(hop) < operators_.size(),
              "the shift was prepared for fewer layers than the model has", hop);
  return static_cast<size_t>(hop);
}

at::Tensor Shift::apply(const at::Tensor& h, int hop) const {
  const HopOperator& op = at(hop);
  const bool shape_fits =
      (h.dim() == 2 && h.size(0) == op.num_inputs()) ||
      (h.dim() == 3 && h.size(0) == op.num_graphs() && h.size(1) == op.num_inputs());
  if (!shape_fits || h.scalar_type() != at::kFloat) {
    throw UsageError(
        fmt::format("shift: expected float [{0}, d] or [{1}, {0}, d], got {2} of {3} dimensions",
                    op.num_inputs(), op.num_graphs(), c10::toString(h.scalar_type()), h.dim()));
  }
  return ApplyShift::apply(h, operators_[index(hop)]);
}

at::Tensor Shift::self(const at::Tensor& h, int hop) const {
  const std::vector<int32_t>& rows = patterns_[index(hop)]->hop.self;
  bool in_place = static_cast<int64_t>(rows.size()) == h.size(-2);
  for (size_t i = 0; in_place && i < rows.size(); ++i)
    in_place = rows[i] == static_cast<int32_t>(i);
  if (in_place) return h;
  return at::index_select(h, h.dim() - 2, at::tensor(rows));
}

at::Tensor Shift::diagonal(int hop) const {
  at::Tensor out = at::empty({num_graphs(), num_outputs(hop), 1}, at::kFloat);
  at(hop).diagonal(out.data_ptr<float>());
  return out;
}

}  // namespace emgnn
