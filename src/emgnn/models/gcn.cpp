// SPDX-License-Identifier: Apache-2.0
#include <emgnn/models/gcn.h>

#include <ATen/ops/cat.h>

#include <algorithm>
#include <string>

namespace emgnn {

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
    if (separate_self()) {
      self_weight_.push_back(add_parameter(prefix + ".self_weight",
                                           init_weight(width, next, options.init, rng), layer));
    }
    width = next;
  }
}

int64_t Gcn::widest_layer() const {
  int64_t widest = 1;
  for (const at::Tensor& w : weight_) widest = std::max(widest, w.size(1));
  return widest;
}

// X W, or X [W | W_self]
at::Tensor Gcn::embed(const InputFeatures& x, const Pass& pass) const {
  const at::Tensor w = separate_self() ? at::cat({weight_[0], self_weight_[0]}, 1) : weight_[0];
  return x.times(w, options_.input_dropout, pass);
}

at::Tensor Gcn::convolve_embedded(const Shift& shift, const at::Tensor& embedded) const {
  if (!separate_self()) return shift.apply(embedded, 0);
  const int64_t width = weight_[0].size(1);
  return shift.apply(embedded.narrow(-1, 0, width), 0) +
         shift.self(embedded.narrow(-1, width, width), 0);
}

// S (H W) or (S H) W, whichever multiplies fewer rows by W at the narrower width.
at::Tensor Gcn::convolve(const Shift& shift, const at::Tensor& h, int layer) const {
  const auto l = static_cast<size_t>(layer);
  const at::Tensor& w = weight_[l];
  const bool product_first =
      w.size(1) < w.size(0) || shift.num_inputs(layer) <= shift.num_outputs(layer);
  const at::Tensor out = product_first ? shift.apply(dense_product(h, w), layer)
                                       : dense_product(shift.apply(h, layer), w);
  return separate_self() ? out + dense_product(shift.self(h, layer), self_weight_[l]) : out;
}

at::Tensor Gcn::forward(const Shift& shift, const at::Tensor& embedded, const Pass& pass) const {
  at::Tensor h = embedded;
  for (int layer = 0; layer < num_hops(); ++layer) {
    h = layer == 0 ? convolve_embedded(shift, h) : convolve(shift, h, layer);
    Nonlinearity f;
    if (layer + 1 < num_hops()) {
      f = {options_.activation, options_.slope, options_.dropout, hidden_place(layer)};
    }
    h = bias_activation(h, bias_[static_cast<size_t>(layer)], f, pass);
  }
  return h;
}

}  // namespace emgnn
