// SPDX-License-Identifier: Apache-2.0
#include <emgnn/models/ops.h>

#include <ATen/core/ivalue.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/empty_like.h>
#include <torch/csrc/autograd/custom_function.h>

#include <utility>
#include <vector>

#include <emgnn/base/error.h>
#include <emgnn/kernels/dropout.h>
#include <emgnn/kernels/gemm.h>
#include <emgnn/kernels/spmm.h>

namespace emgnn {

namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

struct MatMul : torch::autograd::Function<MatMul> {
  static at::Tensor forward(AutogradContext* ctx, const at::Tensor& h_in, const at::Tensor& w_in) {
    const at::Tensor h = h_in.contiguous(), w = w_in.contiguous();
    ctx->save_for_backward({h, w});
    std::vector<int64_t> shape = h.sizes().vec();
    shape.back() = w.size(1);
    at::Tensor out = at::empty(shape, h.options());
    kernels::gemm(h.numel() / w.size(0), w.size(1), w.size(0), h.data_ptr<float>(),
                  w.data_ptr<float>(), out.data_ptr<float>());
    return out;
  }

  static variable_list backward(AutogradContext* ctx, variable_list grads) {
    const variable_list saved = ctx->get_saved_variables();
    const at::Tensor &h = saved[0], &w = saved[1];
    const at::Tensor g = grads[0].contiguous();
    const int64_t k = w.size(0), n = w.size(1), m = h.numel() / k;
    at::Tensor grad_h, grad_w;
    if (ctx->needs_input_grad(0)) {  // dH = G Wᵀ
      grad_h = at::empty_like(h);
      kernels::gemm_nt(m, k, n, g.data_ptr<float>(), w.data_ptr<float>(), grad_h.data_ptr<float>());
    }
    if (ctx->needs_input_grad(1)) {  // dW = Hᵀ G
      grad_w = at::empty_like(w);
      kernels::gemm_tn(k, n, m, h.data_ptr<float>(), g.data_ptr<float>(), grad_w.data_ptr<float>());
    }
    return {grad_h, grad_w};
  }
};

kernels::ActivationSpec spec_of(const Nonlinearity& f, const Mode& mode) {
  kernels::ActivationSpec spec{.kind = f.kind, .slope = static_cast<float>(f.slope)};
  if (mode.training && f.dropout > 0.0) {
    const Rng rng(mode.seed, Stream::kDropout, mode.step, f.dropout_id);
    spec.drop = static_cast<float>(f.dropout);
    spec.seed = rng.seed();
    spec.stream = rng.stream_word();
    spec.step = rng.step();
  }
  return spec;
}

// LibTorch's custom functions take no undefined tensors: no bias is one of size zero.
const float* bias_data(const at::Tensor& bias) {
  return bias.numel() > 0 ? bias.data_ptr<float>() : nullptr;
}

struct SpecHolder : torch::CustomClassHolder {
  kernels::ActivationSpec spec;
};

struct BiasActivation : torch::autograd::Function<BiasActivation> {
  static at::Tensor forward(AutogradContext* ctx, const at::Tensor& h_in, const at::Tensor& bias,
                            const kernels::ActivationSpec& spec) {
    const at::Tensor h = h_in.contiguous();
    auto holder = c10::make_intrusive<SpecHolder>();
    holder->spec = spec;
    ctx->saved_data["spec"] = c10::IValue::make_capsule(holder);
    ctx->save_for_backward({h, bias});
    const int64_t width = h.size(-1);
    at::Tensor out = at::empty_like(h);
    kernels::bias_activation(spec, h.numel() / width, width, h.data_ptr<float>(), bias_data(bias),
                             out.data_ptr<float>());
    return out;
  }

  static variable_list backward(AutogradContext* ctx, variable_list grads) {
    const auto capsule = ctx->saved_data["spec"].toCapsule();
    const kernels::ActivationSpec& spec = static_cast<const SpecHolder&>(*capsule).spec;
    const variable_list saved = ctx->get_saved_variables();
    const at::Tensor &h = saved[0], &bias = saved[1];
    const at::Tensor g = grads[0].contiguous();
    const int64_t width = h.size(-1), num_rows = h.numel() / width;
    at::Tensor grad_h = at::empty_like(h), grad_bias;
    kernels::bias_activation_backward(spec, num_rows, width, h.data_ptr<float>(), bias_data(bias),
                                      g.data_ptr<float>(), grad_h.data_ptr<float>());
    if (bias.numel() > 0) {
      grad_bias = at::empty_like(bias);
      kernels::column_sums(num_rows, width, grad_h.data_ptr<float>(), grad_bias.data_ptr<float>());
    }
    return {grad_h, grad_bias, at::Tensor()};
  }
};

// Dropout alone; the factors are kept for the way back.
struct Dropout : torch::autograd::Function<Dropout> {
  static at::Tensor forward(AutogradContext* ctx, const at::Tensor& h_in,
                            const kernels::ActivationSpec& spec) {
    const at::Tensor h = h_in.contiguous();
    const at::Tensor factor = at::empty_like(h);
    kernels::dropout_factors(spec, h.numel(), factor.data_ptr<float>());
    ctx->save_for_backward({factor});
    at::Tensor out = at::empty_like(h);
    kernels::multiply(h.numel(), h.data_ptr<float>(), factor.data_ptr<float>(),
                      out.data_ptr<float>());
    return out;
  }

  static variable_list backward(AutogradContext* ctx, variable_list grads) {
    const at::Tensor factor = ctx->get_saved_variables()[0], g = grads[0].contiguous();
    at::Tensor grad = at::empty_like(g);
    kernels::multiply(g.numel(), g.data_ptr<float>(), factor.data_ptr<float>(),
                      grad.data_ptr<float>());
    return {grad, at::Tensor()};
  }
};

kernels::CsrView view(const Csr& a) {
  return {a.num_rows, a.num_cols, a.rowptr.data(), a.col.data()};
}

}  // namespace

at::Tensor dense_product(const at::Tensor& h, const at::Tensor& w) {
  EMGNN_CHECK(w.dim() == 2 && h.size(-1) == w.size(0), "dense_product: inner sizes differ",
              fmt::format("{} and {}", h.size(-1), w.size(0)));
  return MatMul::apply(h, w);
}

at::Tensor bias_activation(const at::Tensor& h, const at::Tensor& bias, const Nonlinearity& f,
                           const Mode& mode) {
  const kernels::ActivationSpec spec = spec_of(f, mode);
  if (!bias.defined() && f.kind == kernels::Activation::kIdentity && spec.drop > 0.0F)
    return Dropout::apply(h, spec);
  return BiasActivation::apply(h, bias.defined() ? bias : at::empty({0}, h.options()), spec);
}

bool is_identity(const Nonlinearity& f, const Mode& mode) {
  return f.kind == kernels::Activation::kIdentity && (!mode.training || f.dropout == 0.0);
}

at::Tensor dropped(const at::Tensor& h, double dropout, uint32_t dropout_id, const Mode& mode) {
  const Nonlinearity drop{.dropout = dropout, .dropout_id = dropout_id};
  return is_identity(drop, mode) ? h : bias_activation(h, at::Tensor(), drop, mode);
}

namespace {

// X W for constant sparse X whose values (after dropout) are `val`; dW = Xᵀ G.
struct SparseProduct : torch::autograd::Function<SparseProduct> {
  static at::Tensor forward(AutogradContext* ctx, const at::Tensor& val, const at::Tensor& w_in,
                            const c10::intrusive_ptr<InputFeatures>& x) {
    const at::Tensor w = w_in.contiguous();
    ctx->saved_data["x"] = c10::IValue::make_capsule(x);
    ctx->save_for_backward({val});
    at::Tensor out = at::empty({x->num_rows(), w.size(1)}, w.options());
    kernels::spmm(view(x->sparse), {.width = w.size(1),
                                    .val = val.data_ptr<float>(),
                                    .in = w.data_ptr<float>(),
                                    .out = out.data_ptr<float>()});
    return out;
  }

  static variable_list backward(AutogradContext* ctx, variable_list grads) {
    const auto capsule = ctx->saved_data["x"].toCapsule();
    const auto& x = static_cast<const InputFeatures&>(*capsule);
    const at::Tensor val = ctx->get_saved_variables()[0];
    const at::Tensor g = grads[0].contiguous();
    at::Tensor grad_w = at::empty({x.num_cols(), g.size(1)}, g.options());
    kernels::spmm(view(x.backward.csr), {.width = g.size(1),
                                         .val = val.data_ptr<float>(),
                                         .val_index = x.backward.entry.data(),
                                         .in = g.data_ptr<float>(),
                                         .out = grad_w.data_ptr<float>()});
    return {at::Tensor(), grad_w, at::Tensor()};
  }
};

}  // namespace

at::Tensor input_product(const c10::intrusive_ptr<InputFeatures>& x, const at::Tensor& w,
                         double dropout, const Mode& mode) {
  EMGNN_CHECK(w.dim() == 2 && w.size(0) == x->num_cols(),
              "features: the weight matrix has another height", w.size(0));
  const Nonlinearity drop{.dropout = dropout};
  if (!x->is_sparse) {
    const bool plain = is_identity(drop, mode);
    return dense_product(plain ? x->dense : bias_activation(x->dense, at::Tensor(), drop, mode), w);
  }
  const auto num_entries = static_cast<int64_t>(x->sparse.val.size());
  at::Tensor val = at::from_blob(x->sparse.val.data(), {num_entries, 1}, at::kFloat);
  if (!is_identity(drop, mode)) {
    val = at::empty({num_entries, 1}, at::kFloat);
    kernels::bias_activation(spec_of(drop, mode), num_entries, 1, x->sparse.val.data(), nullptr,
                             val.data_ptr<float>());
  }
  return SparseProduct::apply(val, w, x);
}

}  // namespace emgnn
