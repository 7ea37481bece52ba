// SPDX-License-Identifier: Apache-2.0
#include <emgnn/models/acm.h>

#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>
#include <string>

#include <emgnn/base/error.h>

namespace emgnn {

namespace {

// A_λ W for W [num_nodes, d]: a node's own weight in S_λ = D⁻¹ (A_λ + I) is 1/D, so
//   A_λ W = (S_λ W) / diag(S_λ) − W
// of which the view needs the rows that it reads. With symmetric normalisation the same expression
// weights neighbour j by √(D_i / D_j).
at::Tensor adjacency_product(const Shift& shift, const at::Tensor& w, int hop) {
  const std::vector<int32_t>& rows = shift.input_rows(hop);
  EMGNN_CHECK(static_cast<int64_t>(rows.size()) <= w.size(0),
              "acm-gcn+: the graph has more nodes than the network was made for", rows.size());
  const bool all = static_cast<int64_t>(rows.size()) == w.size(0);
  const at::Tensor read = all ? w : at::index_select(w, 0, at::tensor(rows));
  return shift.apply(read, hop) / shift.diagonal(hop) - shift.self(read, hop);
}

}  // namespace

Acm::Acm(const ModelOptions& options, const BackboneSizes& sizes, uint64_t seed)
    : options_(options) {
  int64_t inputs = sizes.num_features;
  for (int64_t l = 0; l < options.layers; ++l) {
    const int64_t width = l + 1 < options.layers ? options.hidden : sizes.num_outputs;
    layers_.push_back(make_layer(inputs, width, static_cast<int>(l), sizes, seed));
    inputs = width;
  }
}

Acm::Layer Acm::make_layer(int64_t inputs, int64_t width, int index, const BackboneSizes& sizes,
                           uint64_t seed) {
  Rng rng(seed, Stream::kInit, static_cast<uint64_t>(index));
  const std::string prefix = "layers." + std::to_string(index);
  std::vector<at::Tensor> filters;
  for (int c = 0; c < 3; ++c) filters.push_back(init_weight(inputs, width, options_.init, rng));
  Layer layer{.width = width};
  layer.filters = add_parameter(prefix + ".filters", at::cat(filters, 1), index);
  if (options_.structure) {
    layer.structure = add_parameter(prefix + ".structure",
                                    init_weight(sizes.num_nodes, width, options_.init, rng), index);
  }
  const int64_t c = num_channels();
  layer.score = add_parameter(prefix + ".score", init_uniform({c, width}, 1.0, rng), index);
  layer.mixing =
      add_parameter(prefix + ".mixing",
                    init_uniform({c, c}, 1.0 / std::sqrt(static_cast<double>(c)), rng), index);
  return layer;
}

int64_t Acm::widest_layer() const {
  int64_t widest = 1;
  for (const Layer& layer : layers_) widest = std::max(widest, layer.width);
  return widest * num_channels();
}

at::Tensor Acm::embed(const InputFeatures& x, const Pass& pass) const {
  return x.times(layers_[0].filters, options_.input_dropout, pass);
}

// The channels before their activation side by side, [num_graphs, outputs, channels · width], from
// h [W_low | W_high | W_id].
at::Tensor Acm::channels(const Shift& shift, const at::Tensor& filtered, int hop) const {
  const int64_t width = layers_[static_cast<size_t>(hop)].width;
  const at::Tensor shifted = shift.apply(filtered.narrow(-1, 0, 2 * width), hop);
  const at::Tensor own = shift.self(filtered.narrow(-1, width, 2 * width), hop);
  const at::Tensor high = own.narrow(-1, 0, width) - shifted.narrow(-1, width, width);
  const at::Tensor identity = own.narrow(-1, width, width).expand_as(high);
  std::vector<at::Tensor> parts = {shifted.narrow(-1, 0, width), high, identity};
  if (options_.structure)
    parts.push_back(adjacency_product(shift, layers_[static_cast<size_t>(hop)].structure, hop));
  return at::cat(parts, -1);
}

at::Tensor Acm::mix(const Layer& layer, const at::Tensor& channels) const {
  const int64_t c = num_channels();
  std::vector<at::Tensor> v = layer.score.unsqueeze(-1).unbind(0);
  const at::Tensor score = at::sigmoid(dense_product(channels, at::block_diag(v)));
  const at::Tensor weight =
      at::softmax(dense_product(score, layer.mixing) / static_cast<double>(c), -1);
  const at::Tensor mixed =
      (channels.unflatten(-1, {c, layer.width}) * weight.unsqueeze(-1)).sum(-2);
  return options_.structure ? mixed : mixed * static_cast<double>(c);
}

at::Tensor Acm::forward(const Shift& shift, const at::Tensor& embedded, const Pass& pass) const {
  const Nonlinearity activation{.kind = options_.activation, .slope = options_.slope};
  at::Tensor h = embedded;
  for (int hop = 0; hop < num_hops(); ++hop) {
    const Layer& layer = layers_[static_cast<size_t>(hop)];
    if (hop > 0) h = dense_product(h, layer.filters);
    h = mix(layer, bias_activation(channels(shift, h, hop), at::Tensor(), activation, pass));
    if (hop + 1 < num_hops()) {
      const Nonlinearity drop{.dropout = options_.dropout, .place = hidden_place(hop)};
      h = bias_activation(h, at::Tensor(), drop, pass);
    }
  }
  return h;
}

}  // namespace emgnn
