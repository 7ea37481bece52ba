// SPDX-License-Identifier: Apache-2.0
#include <emgnn/models/dense_layer.h>

namespace emgnn {

DenseLayer::DenseLayer(Network& network, const LayerPlace& place, const StackOptions& options) {
  Rng rng(place.seed, Stream::kInit, static_cast<uint64_t>(place.index));
  weight_ = network.add_parameter(place.name("weight"),
                                  init_weight(place.inputs, place.outputs, options.init, rng),
                                  place.index);
  bias_ = network.add_parameter(place.name("bias"), init_bias(place.outputs, options.init, rng),
                                place.index);
}

// A node's output has the axis of graphs that all networks have; no graph changes it.
at::Tensor DenseLayer::from_embedded(const Propagation& hop, const at::Tensor& embedded,
                                     const Mode& /*mode*/) const {
  const at::Tensor own = hop.self(embedded);
  return hop.blocks() ? own : own.expand({hop.num_graphs(), -1, -1});
}

}  // namespace emgnn
