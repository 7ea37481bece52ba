// SPDX-License-Identifier: Apache-2.0
#include <emgnn/models/batched_product.h>

#include <ATen/ops/empty.h>
#include <ATen/ops/empty_like.h>
#include <torch/csrc/autograd/custom_function.h>

#include <emgnn/base/error.h>
#include <emgnn/kernels/gemm.h>

namespace emgnn {

namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

struct BatchedProduct : torch::autograd::Function<BatchedProduct> {
  static at::Tensor forward(AutogradContext* ctx, const at::Tensor& a_in, const at::Tensor& b_in,
                            bool transposed) {
    const at::Tensor a = a_in.contiguous(), b = b_in.contiguous();
    ctx->save_for_backward({a, b});
    ctx->saved_data["transposed"] = transposed;
    const int64_t m = a.size(1), k = a.size(2), n = b.size(transposed ? 1 : 2);
    at::Tensor out = at::empty({a.size(0), m, n}, a.options());
    for (int64_t g = 0; g < a.size(0); ++g) {
      const float *left = matrix(a, g), *right = matrix(b, g);
      float* to = out.data_ptr<float>() + g * m * n;
      transposed ? kernels::gemm_nt(m, n, k, left, right, to)
                 : kernels::gemm(m, n, k, left, right, to);
    }
    return out;
  }

  static variable_list backward(AutogradContext* ctx, variable_list grads) {
    const variable_list saved = ctx->get_saved_variables();
    const at::Tensor &a = saved[0], &b = saved[1];
    const at::Tensor grad = grads[0].contiguous();
    const bool transposed = ctx->saved_data["transposed"].toBool();
    const int64_t m = a.size(1), k = a.size(2), n = grad.size(2);
    at::Tensor grad_a, grad_b;
    if (ctx->needs_input_grad(0)) grad_a = at::empty_like(a);
    if (ctx->needs_input_grad(1)) grad_b = at::empty_like(b);
    for (int64_t g = 0; g < a.size(0); ++g) {
      const float *from = matrix(grad, g), *left = matrix(a, g), *right = matrix(b, g);
      if (grad_a.defined()) {  // dA = G Bᵀ, or G B
        float* to = grad_a.data_ptr<float>() + g * m * k;
        transposed ? kernels::gemm(m, k, n, from, right, to)
                   : kernels::gemm_nt(m, k, n, from, right, to);
      }
      if (grad_b.defined()) {  // dB = Aᵀ G, or Gᵀ A
        float* to = grad_b.data_ptr<float>() + g * k * n;
        transposed ? kernels::gemm_tn(n, k, m, from, left, to)
                   : kernels::gemm_tn(k, n, m, left, from, to);
      }
    }
    return {grad_a, grad_b, at::Tensor()};
  }

  static const float* matrix(const at::Tensor& t, int64_t g) {
    return t.data_ptr<float>() + g * t.size(1) * t.size(2);
  }
};

void check(const at::Tensor& a, const at::Tensor& b, int64_t inner) {
  EMGNN_CHECK(a.dim() == 3 && b.dim() == 3 && a.size(0) == b.size(0) && a.size(2) == inner,
              "batched_product: sizes differ", fmt::format("{} and {}", a.size(2), inner));
}

}  // namespace

at::Tensor batched_product(const at::Tensor& a, const at::Tensor& b) {
  check(a, b, b.size(1));
  return BatchedProduct::apply(a, b, false);
}

at::Tensor batched_product_nt(const at::Tensor& a, const at::Tensor& b) {
  check(a, b, b.size(2));
  return BatchedProduct::apply(a, b, true);
}

}  // namespace emgnn
