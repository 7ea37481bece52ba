// SPDX-License-Identifier: Apache-2.0
#include <emgnn/models/gcn.h>

#include <ATen/ops/cat.h>

#include <cmath>

namespace emgnn {

void describe(OptionVisitor& visitor, GcnOptions& options) {
  describe(visitor, options.stack);
  describe_depth(visitor, options.stack);
  visitor.flag("model.bias", options.bias, "add a bias in each layer");
  visitor.choice("model.self", options.self, {"shared", "separate", "branch"},
                 "a node's own features share the weights of its neighbours', have weights of "
                 "their own beside them, or weights, bias and activation");
}

GcnLayer::GcnLayer(Network& network, const LayerPlace& place, const GcnOptions& options)
    : activation_{.kind = options.stack.activation, .slope = options.stack.slope} {
  Rng rng(place.seed, Stream::kInit, static_cast<uint64_t>(place.index));
  const Init init = options.stack.init;
  const auto add = [&](const char* name, at::Tensor value) {
    return network.add_parameter(place.name(name), std::move(value), place.index);
  };
  weight_ = add("weight", init_weight(place.inputs, place.outputs, init, rng));
  if (options.bias) bias_ = add("bias", init_bias(place.outputs, init, rng));
  if (options.self == SelfWeights::kSeparate)
    self_weight_ = add("self_weight", init_weight(place.inputs, place.outputs, init, rng));
  if (options.self == SelfWeights::kBranch) {
    const double bound = 1.0 / std::sqrt(static_cast<double>(place.inputs));
    self_weight_ = add("self_weight", init_uniform({place.inputs, place.outputs}, bound, rng));
    if (!place.last) self_bias_ = add("self_bias", init_uniform({place.outputs}, bound, rng));
  }
}

at::Tensor GcnLayer::joined(const at::Tensor& neighbours, const at::Tensor& own,
                            const Mode& mode) const {
  if (!activates()) return neighbours + own;
  return bias_activation(neighbours, bias_, activation_, mode) +
         bias_activation(own, self_bias_, activation_, mode);
}

// X W, or X [W | W_self]
at::Tensor GcnLayer::embed(const c10::intrusive_ptr<InputFeatures>& x, double dropout,
                           const Mode& mode) const {
  const at::Tensor w = self_weight_.defined() ? at::cat({weight_, self_weight_}, 1) : weight_;
  return input_product(x, w, dropout, mode);
}

at::Tensor GcnLayer::from_embedded(const Propagation& hop, const at::Tensor& embedded,
                                   const Mode& mode) const {
  if (!self_weight_.defined()) return hop.apply(embedded);
  const int64_t width = weight_.size(1);
  return joined(hop.apply(embedded.narrow(-1, 0, width)),
                hop.self(embedded.narrow(-1, width, width)), mode);
}

// S (H W) or (S H) W, whichever multiplies fewer rows by W at the narrower width.
at::Tensor GcnLayer::forward(const Propagation& hop, const at::Tensor& h, const Mode& mode) const {
  const bool product_first =
      weight_.size(1) < weight_.size(0) || hop.num_inputs() <= hop.num_outputs();
  const at::Tensor out =
      product_first ? hop.apply(dense_product(h, weight_)) : dense_product(hop.apply(h), weight_);
  return self_weight_.defined() ? joined(out, dense_product(hop.self(h), self_weight_), mode) : out;
}

at::Tensor GcnLayer::prepare(const at::Tensor& h, const Mode& /*mode*/) const {
  return dense_product(h, self_weight_.defined() ? at::cat({weight_, self_weight_}, 1) : weight_);
}

at::Tensor GcnLayer::features(const Propagation& hop, const at::Tensor& h,
                              const Mode& /*mode*/) const {
  const at::Tensor out = hop.apply(h);
  return self_weight_.defined() ? at::cat({out, hop.self(h)}, -1) : out;
}

}  // namespace emgnn
