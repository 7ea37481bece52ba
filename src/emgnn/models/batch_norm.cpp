// SPDX-License-Identifier: Apache-2.0
#include <emgnn/models/batch_norm.h>

#include <ATen/ATen.h>

namespace emgnn {

at::Tensor BatchNorm::train(const at::Tensor& h) const {
  if (h.size(0) == 1) return h * scale() + shift();
  return at::batch_norm(h, weight, bias, mean, var, true, kNormMomentum, kNormEpsilon, false);
}

at::Tensor BatchNorm::scale() const {
  const at::Tensor out = (var + kNormEpsilon).rsqrt();
  return weight.defined() ? weight * out : out;
}

at::Tensor BatchNorm::shift() const {
  const at::Tensor out = mean * scale();
  return bias.defined() ? bias - out : -out;
}

at::Tensor BatchNorm::operator()(const at::Tensor& h, const Mode& mode) const {
  return mode.training ? train(h) : h * scale() + shift();
}

BatchNorm make_batch_norm(Network& network, const std::string& name, int64_t width, int layer) {
  return {.weight = network.add_parameter(name + "_weight", at::ones({width}), layer),
          .bias = network.add_parameter(name + "_bias", at::zeros({width}), layer),
          .mean = network.add_buffer(name + "_mean", at::zeros({width})),
          .var = network.add_buffer(name + "_var", at::ones({width}))};
}

}  // namespace emgnn
