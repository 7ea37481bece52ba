// SPDX-License-Identifier: Apache-2.0
#include <emgnn/models/gcn.h>

#include <algorithm>
#include <string>

namespace emgnn {

namespace {
// Dropout places: 0 is the input, hidden layer l is 1 + l.
constexpr uint32_t kHiddenPlace = 1;
}  // namespace

void describe(OptionVisitor& visitor, ModelOptions& options) {
  visitor.integer("model.layers", options.layers, 1, 64,
                  "graph convolutions, the output layer included");
  visitor.integer("model.hidden", options.hidden, 1, 65536, "width of the hidden layers");
  visitor.choice("model.activation", options.activation, {"identity", "relu", "leaky-relu", "elu"},
                 "between the layers");
  visitor.real("model.slope", options.slope, 0.0, 1.0, "slope of leaky-relu below zero");
  visitor.real("model.dropout", options.dropout, 0.0, 0.99,
               "dropout behind each hidden activation");
  visitor.real("model.input_dropout", options.input_dropout, 0.0, 0.99, "dropout on the features");
  visitor.flag("model.bias", options.bias, "add a bias in each layer");
  visitor.choice("model.init", options.init, {"xavier-uniform", "uniform-out"},
                 "first weights: U(±sqrt(6/(in+out))) with zero biases, or U(±1/sqrt(out))");
}

Gcn::Gcn(const ModelOptions& options, int64_t num_features, int64_t num_classes, uint64_t seed)
    : options_(options) {
  int64_t width = num_features;
  for (int64_t l = 0; l < options.layers; ++l) {
    const int64_t next = l + 1 < options.layers ? options.hidden : num_classes;
    Rng rng(seed, Stream::kInit, static_cast<uint64_t>(l));
    const int layer = static_cast<int>(l);
    const std::string prefix = "layers." + std::to_string(l);
    weight_.push_back(
        add_parameter(prefix + ".weight", init_weight(width, next, options.init, rng), layer));
    bias_.push_back(options.bias
                        ? add_parameter(prefix + ".bias", init_bias(next, options.init, rng), layer)
                        : at::Tensor());
    width = next;
  }
}

int64_t Gcn::widest_layer() const {
  int64_t widest = 1;
  for (const at::Tensor& w : weight_) widest = std::max(widest, w.size(1));
  return widest;
}

at::Tensor Gcn::embed(const InputFeatures& x, const Pass& pass) const {
  return x.times(weight_[0], options_.input_dropout, pass);
}

// S (H W) or (S H) W, whichever multiplies fewer rows by W at the narrower width.
at::Tensor Gcn::convolve(const Shift& shift, const at::Tensor& h, int layer) const {
  const at::Tensor& w = weight_[static_cast<size_t>(layer)];
  const bool narrows = w.size(1) < w.size(0);
  if (narrows || shift.num_inputs(layer) <= shift.num_outputs(layer))
    return shift.apply(dense_product(h, w), layer);
  return dense_product(shift.apply(h, layer), w);
}

at::Tensor Gcn::forward(const Shift& shift, const at::Tensor& embedded, const Pass& pass) const {
  at::Tensor h = embedded;
  for (int layer = 0; layer < num_hops(); ++layer) {
    const auto l = static_cast<size_t>(layer);
    h = layer == 0 ? shift.apply(h, 0) : convolve(shift, h, layer);
    Nonlinearity f;
    if (layer + 1 < num_hops()) {
      f = {options_.activation, options_.slope, options_.dropout,
           kHiddenPlace + static_cast<uint32_t>(layer)};
    }
    h = bias_activation(h, bias_[l], f, pass);
  }
  return h;
}

}  // namespace emgnn
