// SPDX-License-Identifier: Apache-2.0
#include <emgnn/models/recurrent.h>

#include <ATen/ATen.h>

#include <cmath>

namespace emgnn {

namespace {

double root_bound(int64_t size) { return 1.0 / std::sqrt(static_cast<double>(size)); }

at::Tensor affine(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias) {
  return bias_activation(dense_product(x, weight), bias, {}, {});
}

}  // namespace

at::Tensor WeightMaker::uniform(const std::string& name, std::vector<int64_t> shape, double bound) {
  return network_.add_parameter(prefix_ + name, init_uniform(std::move(shape), bound, rng_),
                                layer_);
}

Linear::Linear(WeightMaker& make, const std::string& name, int64_t inputs, int64_t outputs)
    : weight_(make.uniform(name + ".weight", {inputs, outputs}, root_bound(inputs))),
      bias_(make.uniform(name + ".bias", {outputs}, root_bound(inputs))) {}

at::Tensor Linear::operator()(const at::Tensor& x) const { return affine(x, weight_, bias_); }

at::Tensor Linear::operator()(const at::Tensor& x, const Nonlinearity& f, const Mode& mode) const {
  return bias_activation(dense_product(x, weight_), bias_, f, mode);
}

GruCell::GruCell(WeightMaker& make, const std::string& name, int64_t inputs, int64_t width)
    : weight_(make.uniform(name + ".weight", {inputs, 3 * width}, root_bound(width))),
      bias_(make.uniform(name + ".bias", {3 * width}, root_bound(width))),
      state_weight_(make.uniform(name + ".state_weight", {width, 3 * width}, root_bound(width))),
      state_bias_(make.uniform(name + ".state_bias", {3 * width}, root_bound(width))) {}

at::Tensor GruCell::operator()(const at::Tensor& x, const at::Tensor& h) const {
  const int64_t d = h.size(1);
  const at::Tensor of_x = affine(x, weight_, bias_), of_h = affine(h, state_weight_, state_bias_);
  const std::vector<at::Tensor> gate =
      at::sigmoid(of_x.narrow(1, 0, 2 * d) + of_h.narrow(1, 0, 2 * d)).chunk(2, 1);
  const at::Tensor n =
      at::tanh(at::addcmul(of_x.narrow(1, 2 * d, d), gate[0], of_h.narrow(1, 2 * d, d)));
  return at::lerp(n, h, gate[1]);
}

LstmCell::LstmCell(WeightMaker& make, const std::string& name, int64_t inputs, int64_t width)
    : weight_(make.uniform(name + ".weight", {inputs, 4 * width}, root_bound(width))),
      bias_(make.uniform(name + ".bias", {4 * width}, root_bound(width))),
      state_weight_(make.uniform(name + ".state_weight", {width, 4 * width}, root_bound(width))),
      state_bias_(make.uniform(name + ".state_bias", {4 * width}, root_bound(width))) {}

LstmCell::State LstmCell::operator()(const at::Tensor& x, const State& before) const {
  const std::vector<at::Tensor> gate =
      (affine(x, weight_, bias_) + affine(before.h, state_weight_, state_bias_)).chunk(4, 1);
  const at::Tensor s = at::sigmoid(gate[1]) * before.s + at::sigmoid(gate[0]) * at::tanh(gate[2]);
  return {at::sigmoid(gate[3]) * at::tanh(s), s};
}

}  // namespace emgnn
