// SPDX-License-Identifier: Apache-2.0
#include <emgnn/models/network.h>

#include <ATen/ops/empty.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include <emgnn/base/error.h>

namespace emgnn {

at::Tensor init_uniform(std::vector<int64_t> shape, double bound, Rng& rng) {
  at::Tensor t = at::empty(shape, at::kFloat);
  float* data = t.data_ptr<float>();
  for (int64_t i = 0; i < t.numel(); ++i) data[i] = static_cast<float>(rng.uniform(-bound, bound));
  return t;
}

at::Tensor Network::add_parameter(Parameter parameter) {
  parameter.value.set_requires_grad(true);
  parameters_.push_back(std::move(parameter));
  return parameters_.back().value;
}

at::Tensor Network::last_features(const GraphBatch& /*batch*/, const at::Tensor& /*embedded*/,
                                  const Mode& /*mode*/) const {
  throw InternalError("the network does not end in a product with weights");
}

at::Tensor Network::prepare(int /*stage*/, const at::Tensor& h, const Mode& /*mode*/) const {
  return h;
}

at::Tensor Network::stage(int /*number*/, const Propagation& /*hop*/, const at::Tensor& /*rows*/,
                          const Mode& /*mode*/) const {
  throw InternalError("the network has no stages");
}

bool Network::has_node_weights() const {
  return std::any_of(parameters_.begin(), parameters_.end(),
                     [](const Parameter& p) { return p.per_node; });
}

at::Tensor Network::add_buffer(std::string name, at::Tensor value) {
  buffers_.push_back({std::move(name), value});
  return value;
}

at::Tensor init_normal(std::vector<int64_t> shape, double std, Rng& rng) {
  at::Tensor t = at::empty(shape, at::kFloat);
  float* data = t.data_ptr<float>();
  for (int64_t i = 0; i < t.numel(); ++i) data[i] = static_cast<float>(std * rng.normal());
  return t;
}

at::Tensor init_weight(int64_t rows, int64_t cols, Init init, Rng& rng) {
  if (init == Init::kXavierNormal)
    return init_normal({rows, cols}, 2.0 / std::sqrt(static_cast<double>(rows + cols)), rng);
  const double bound = init == Init::kXavierUniform
                           ? std::sqrt(6.0 / static_cast<double>(rows + cols))
                           : 1.0 / std::sqrt(static_cast<double>(cols));
  return init_uniform({rows, cols}, bound, rng);
}

at::Tensor init_bias(int64_t size, Init init, Rng& rng) {
  return init_uniform(
      {size}, init == Init::kUniformOut ? 1.0 / std::sqrt(static_cast<double>(size)) : 0.0, rng);
}

}  // namespace emgnn
