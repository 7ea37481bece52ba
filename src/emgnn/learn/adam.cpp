// SPDX-License-Identifier: Apache-2.0
#include <emgnn/learn/adam.h>

#include <ATen/ATen.h>

#include <cmath>

#include <emgnn/kernels/adam.h>

namespace emgnn {

Adam::Adam(const std::shared_ptr<const Network>& network, const OptimOptions& options,
           int optimiser)
    : options_(options) {
  for (const Parameter& p : network->parameters()) {
    if (p.optimiser != optimiser) continue;
    parameters_.push_back(p);
    first_moment.push_back(at::zeros_like(p.value.detach()));
    second_moment.push_back(at::zeros_like(p.value.detach()));
  }
}

std::vector<std::string> Adam::names() const {
  std::vector<std::string> out;
  for (const Parameter& p : parameters_) out.push_back(p.name);
  return out;
}

// What scales the gradients of all parameters together to a norm of at most optim.clip.
double Adam::clip_factor() const {
  if (options_.clip == 0.0) return 1.0;
  double squares = 0.0;
  for (const Parameter& p : parameters_) {
    if (p.value.grad().defined()) squares += p.value.grad().square().sum().item<double>();
  }
  const double norm = std::sqrt(squares);
  return norm > options_.clip ? options_.clip / norm : 1.0;
}

void Adam::step(double progress) {
  ++num_updates;
  const double factor = clip_factor();
  const double learning_rate =
      options_.schedule == Schedule::kCosine
          ? options_.learning_rate * 0.5 * (1.0 + std::cos(M_PI * progress))
          : options_.learning_rate;
  for (size_t i = 0; i < parameters_.size(); ++i) {
    const Parameter& p = parameters_[i];
    at::Tensor& grad = p.value.mutable_grad();
    if (!grad.defined()) continue;
    if (factor < 1.0) grad.mul_(factor);
    const bool decoupled = options_.decay == Decay::kDecoupled, pulled = p.layer != kNoLayer;
    if (decoupled && pulled) p.value.detach().mul_(1.0 - learning_rate * options_.weight_decay);
    const bool decays = pulled && !decoupled && (options_.decay == Decay::kAll || p.layer == 0);
    kernels::adam({.learning_rate = learning_rate,
                   .weight_decay = decays ? options_.weight_decay : 0.0,
                   .step = num_updates},
                  p.value.numel(), grad.contiguous().data_ptr<float>(), p.value.data_ptr<float>(),
                  first_moment[i].data_ptr<float>(), second_moment[i].data_ptr<float>());
    grad.reset();
  }
}

}  // namespace emgnn
