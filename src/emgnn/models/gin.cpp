// SPDX-License-Identifier: Apache-2.0
#include <emgnn/models/gin.h>

#include <ATen/ops/zeros.h>

#include <emgnn/models/adjacency.h>

namespace emgnn {

void describe_epsilon(OptionVisitor& visitor, GinOptions& options) {
  visitor.flag("model.learn_epsilon", options.learn_epsilon,
               "the weight of a row's own features is learned, beside that of its neighbours");
}

GinLayer::GinLayer(Network& network, const LayerPlace& place, const GinOptions& options)
    : activation_{.kind = options.stack.activation, .slope = options.stack.slope},
      sums_(place.num_nodes == 0) {
  Rng rng(place.seed, Stream::kInit, static_cast<uint64_t>(place.index));
  const Init init = options.stack.init;
  const int64_t width = options.stack.hidden;
  const auto add = [&](const char* name, at::Tensor value) {
    return network.add_parameter(place.name(name), std::move(value), place.index);
  };
  inner_ = add("inner_weight", init_weight(place.inputs, width, init, rng));
  inner_bias_ = add("inner_bias", init_bias(width, init, rng));
  outer_ = add("outer_weight", init_weight(width, place.outputs, init, rng));
  outer_bias_ = add("outer_bias", init_bias(place.outputs, init, rng));
  if (options.learn_epsilon) epsilon_ = add("epsilon", at::zeros({1}));
}

// The product comes first: both sides of the sum are linear.
at::Tensor GinLayer::embed(const c10::intrusive_ptr<InputFeatures>& x, double dropout,
                           const Mode& mode) const {
  return input_product(x, inner_, dropout, mode);
}

// act((1 + ε) h W₁ + Σ_j h_j W₁ + b₁)
at::Tensor GinLayer::inner(const Propagation& hop, const at::Tensor& embedded,
                           const Mode& mode) const {
  const at::Tensor own = hop.self(embedded);
  const at::Tensor neighbours = sums_ ? hop.apply(embedded) : adjacency_product(hop, embedded);
  const at::Tensor sum = neighbours + (epsilon_.defined() ? own + own * epsilon_ : own);
  return bias_activation(sum, inner_bias_, activation_, mode);
}

at::Tensor GinLayer::from_embedded(const Propagation& hop, const at::Tensor& embedded,
                                   const Mode& mode) const {
  return dense_product(inner(hop, embedded, mode), outer_);
}

at::Tensor GinLayer::forward(const Propagation& hop, const at::Tensor& h, const Mode& mode) const {
  return from_embedded(hop, dense_product(h, inner_), mode);
}

at::Tensor GinLayer::features(const Propagation& hop, const at::Tensor& h, const Mode& mode) const {
  return inner(hop, dense_product(h, inner_), mode);
}

}  // namespace emgnn
