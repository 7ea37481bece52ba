// SPDX-License-Identifier: Apache-2.0
// Batch normalisation of the columns of a matrix, with the moments of the batch in training and
// their running averages otherwise.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <string>

#include <emgnn/models/network.h>

namespace emgnn {

inline constexpr double kNormEpsilon = 1e-5;
inline constexpr double kNormMomentum = 0.1;

struct BatchNorm {
  at::Tensor weight, bias;  // parameters γ, β [width]; undefined: 1 and 0
  at::Tensor mean, var;     // buffers [width]

  // γ (h − μ) / √(σ² + ε) + β with the moments of h, [rows, width]; moves the running ones. A
  // single row has no variance: it is taken as it would be without training.
  at::Tensor train(const at::Tensor& h) const;
  // With the running moments it is h · scale() + shift().
  at::Tensor scale() const;
  at::Tensor shift() const;
  // With the moments of h in training, with the running ones otherwise.
  at::Tensor operator()(const at::Tensor& h, const Mode& mode) const;
};

// With γ = 1, β = 0 and running moments 0 and 1, named NAME_weight, NAME_bias, NAME_mean, NAME_var.
BatchNorm make_batch_norm(Network& network, const std::string& name, int64_t width, int layer);

}  // namespace emgnn
