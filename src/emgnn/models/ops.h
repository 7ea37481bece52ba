// SPDX-License-Identifier: Apache-2.0
// The differentiable operations of the backbones, on our own kernels: same bits for any number of
// threads.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <memory>
#include <span>

#include <emgnn/data/dataset.h>
#include <emgnn/kernels/activation.h>

namespace emgnn {

// How a network is run: with dropout (drawn for this seed and gradient step) or without.
struct Pass {
  bool training = false;
  uint64_t seed = 0;
  uint64_t step = 0;
};

// An activation and the dropout behind it; `place` tells the dropouts of one network apart.
struct Nonlinearity {
  kernels::Activation kind = kernels::Activation::kIdentity;
  double slope = 0.0;
  double dropout = 0.0;
  uint32_t place = 0;
};

// h W: h [..., k], w [k, n] -> [..., n].
at::Tensor dense_product(const at::Tensor& h, const at::Tensor& w);

// dropout(activation(h + bias)); bias [width] or undefined.
at::Tensor bias_activation(const at::Tensor& h, const at::Tensor& bias, const Nonlinearity& f,
                           const Pass& pass);

// The rows of the node features that a view reads, ready for products.
class InputFeatures {
 public:
  InputFeatures(const Features& x, std::span<const int32_t> rows);
  ~InputFeatures();
  InputFeatures(InputFeatures&&) noexcept;

  int64_t num_rows() const;
  int64_t num_cols() const;

  // drop(X) W: w [num_cols, d] -> [num_rows, d]; of sparse features only the stored entries are
  // dropped.
  at::Tensor times(const at::Tensor& w, double dropout, const Pass& pass) const;

 private:
  struct Sparse;
  c10::intrusive_ptr<Sparse> sparse_;
  at::Tensor dense_;  // if not sparse
};

}  // namespace emgnn
