// SPDX-License-Identifier: Apache-2.0
// The differentiable operations of the networks, on our own kernels: same bits for any number of
// threads.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

#include <emgnn/kernels/activation.h>
#include <emgnn/space/input_features.h>

namespace emgnn {

// How a network is run: in training, with dropout (drawn for this seed and gradient step), or not.
struct Mode {
  bool training = false;
  uint64_t seed = 0;
  uint64_t step = 0;
};

// An activation and the dropout behind it; `dropout_id` tells the dropouts of one network apart.
struct Nonlinearity {
  kernels::Activation kind = kernels::Activation::kIdentity;
  double slope = 0.0;
  double dropout = 0.0;
  uint32_t dropout_id = 0;
};

// h W: h [..., k], w [k, n] -> [..., n].
at::Tensor dense_product(const at::Tensor& h, const at::Tensor& w);

// dropout(activation(h + bias)); bias [width] or undefined.
at::Tensor bias_activation(const at::Tensor& h, const at::Tensor& bias, const Nonlinearity& f,
                           const Mode& mode);

// The identity does nothing: h itself, where there is neither a bias nor anything to drop.
bool is_identity(const Nonlinearity& f, const Mode& mode);

// Dropout alone; h itself where nothing is dropped.
at::Tensor dropped(const at::Tensor& h, double dropout, uint32_t dropout_id, const Mode& mode);

// drop(X) W: w [num_cols, d] -> [num_rows, d]; of sparse features only the stored entries are
// dropped.
at::Tensor input_product(const c10::intrusive_ptr<InputFeatures>& x, const at::Tensor& w,
                         double dropout, const Mode& mode);

}  // namespace emgnn
