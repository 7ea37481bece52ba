// SPDX-License-Identifier: Apache-2.0
#include <emgnn/em/adam.h>

#include <ATen/ops/zeros_like.h>

#include <cmath>

#include <emgnn/kernels/adam.h>

namespace emgnn {

Adam::Adam(const std::vector<Parameter>& parameters, const OptimOptions& options)
    : parameters_(&parameters), options_(options) {
  for (const Parameter& p : parameters) {
    first_moment.push_back(at::zeros_like(p.value.detach()));
    second_moment.push_back(at::zeros_like(p.value.detach()));
  }
}

void Adam::step(double share) {
  ++num_updates;
  const double learning_rate = options_.schedule == Schedule::kCosine
                                   ? options_.learning_rate * 0.5 * (1.0 + std::cos(M_PI * share))
                                   : options_.learning_rate;
  for (size_t i = 0; i < parameters_->size(); ++i) {
    const Parameter& p = (*parameters_)[i];
    at::Tensor& grad = p.value.mutable_grad();
    if (!grad.defined()) continue;
    const bool decays = options_.decay == Decay::kAll || p.layer == 0;
    kernels::adam({.learning_rate = learning_rate,
                   .weight_decay = decays ? options_.weight_decay : 0.0,
                   .step = num_updates},
                  p.value.numel(), grad.contiguous().data_ptr<float>(), p.value.data_ptr<float>(),
                  first_moment[i].data_ptr<float>(), second_moment[i].data_ptr<float>());
    grad.reset();
  }
}

}  // namespace emgnn
