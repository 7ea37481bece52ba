// SPDX-License-Identifier: Apache-2.0
// The parts of networks from their definitions: dense float64 matrices, one graph, no dropout.
#pragma once

#include <ATen/ATen.h>

#include <stdexcept>
#include <string>

#include <emgnn/models/network.h>

namespace emgnn {

inline bool has_parameter(const Network& network, const std::string& name) {
  for (const Parameter& p : network.parameters())
    if (p.name == name) return true;
  return false;
}

// The parameter or buffer, in float64; gradients flow back to it.
inline at::Tensor value_of(const Network& network, const std::string& name) {
  for (const Parameter& p : network.parameters())
    if (p.name == name) return p.value.to(at::kDouble);
  for (const Buffer& b : network.buffers())
    if (b.name == name) return b.value.to(at::kDouble);
  throw std::logic_error("no " + name);
}

inline at::Tensor layer_value(const Network& network, int64_t layer, const char* name) {
  return value_of(network, "layers." + std::to_string(layer) + "." + name);
}

inline at::Tensor dense_activation(const at::Tensor& h, const StackOptions& options) {
  switch (options.activation) {
    case kernels::Activation::kIdentity:
      return h;
    case kernels::Activation::kRelu:
      return at::relu(h);
    case kernels::Activation::kLeakyRelu:
      return at::leaky_relu(h, options.slope);
    case kernels::Activation::kElu:
      return at::elu(h);
    case kernels::Activation::kSilu:
      return h * at::sigmoid(h);
  }
  throw std::logic_error("no such activation");
}

// h ← act(layer(l, h)), the last one bare unless a head follows.
template <class DenseLayerFunction>
at::Tensor dense_stack(const StackOptions& options, bool head_follows, at::Tensor h,
                       const DenseLayerFunction& layer) {
  for (int64_t l = 0; l < options.layers; ++l) {
    h = layer(l, h);
    if (head_follows || l + 1 < options.layers) h = dense_activation(h, options);
  }
  return h;
}

inline at::Tensor dense_readout(const Network& network, Readout readout, const at::Tensor& h) {
  switch (readout) {
    case Readout::kSum:
      return h.sum(0);
    case Readout::kMean:
      return h.mean(0);
    case Readout::kMax:
      return h.amax(0);
    case Readout::kMeanAndMax:
      return at::cat({h.mean(0), h.amax(0)});
    case Readout::kWeightedSumAndMax:
      break;
  }
  const at::Tensor gate =
      at::sigmoid(h.matmul(value_of(network, "gate.weight")) + value_of(network, "gate.bias"));
  return at::cat({(h * gate).sum(0), h.amax(0)});
}

// From the atoms of one molecule to its prediction [outputs].
inline at::Tensor dense_head(const Network& network, const StackOptions& stack, Readout readout,
                             const at::Tensor& h) {
  const at::Tensor hidden =
      dense_readout(network, readout, h).matmul(value_of(network, "head.weight")) +
      value_of(network, "head.bias");
  return dense_activation(hidden, stack).matmul(value_of(network, "output.weight")) +
         value_of(network, "output.bias");
}

}  // namespace emgnn
