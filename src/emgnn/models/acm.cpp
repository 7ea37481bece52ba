// SPDX-License-Identifier: Apache-2.0
#include <emgnn/models/acm.h>

#include <ATen/ATen.h>

#include <cmath>

#include <emgnn/base/error.h>
#include <emgnn/models/adjacency.h>

namespace emgnn {

void describe(OptionVisitor& visitor, AcmOptions& options) {
  describe(visitor, options.stack);
  visitor.flag("model.structure", options.structure,
               "a fourth channel that sees the adjacency alone, with weights per node");
}

AcmLayer::AcmLayer(Network& network, const LayerPlace& place, const AcmOptions& options)
    : activation_{.kind = options.stack.activation, .slope = options.stack.slope},
      width_(place.outputs) {
  const Init init = options.stack.init;
  Rng rng(place.seed, Stream::kInit, static_cast<uint64_t>(place.index));
  const auto add = [&](const char* name, at::Tensor value) {
    return network.add_parameter(place.name(name), std::move(value), place.index);
  };
  std::vector<at::Tensor> filters;
  for (int c = 0; c < 3; ++c) filters.push_back(init_weight(place.inputs, width_, init, rng));
  filters_ = add("filters", at::cat(filters, 1));
  if (options.structure) {
    structure_ =
        network.add_parameter(place.name("structure"),
                              init_weight(place.num_nodes, width_, init, rng), place.index, true);
  }
  const int64_t c = num_channels();
  score_ = add("score", init_uniform({c, width_}, 1.0, rng));
  mixing_ = add("mixing", init_uniform({c, c}, 1.0 / std::sqrt(static_cast<double>(c)), rng));
}

at::Tensor AcmLayer::embed(const c10::intrusive_ptr<InputFeatures>& x, double dropout,
                           const Mode& mode) const {
  return input_product(x, filters_, dropout, mode);
}

// The channels before their activation side by side, [num_graphs, outputs, channels · width], from
// h [W_low | W_high | W_id].
at::Tensor AcmLayer::channels(const Propagation& hop, const at::Tensor& filtered) const {
  const at::Tensor shifted = hop.apply(filtered.narrow(-1, 0, 2 * width_));
  const at::Tensor own = hop.self(filtered.narrow(-1, width_, 2 * width_));
  const at::Tensor high = own.narrow(-1, 0, width_) - shifted.narrow(-1, width_, width_);
  const at::Tensor identity = own.narrow(-1, width_, width_).expand_as(high);
  std::vector<at::Tensor> parts = {shifted.narrow(-1, 0, width_), high, identity};
  if (structure_.defined()) {
    const std::vector<int32_t>& rows = hop.input_nodes();
    EMGNN_CHECK(static_cast<int64_t>(rows.size()) <= structure_.size(0),
                "acm-gcn+: the graph has more nodes than the network was made for", rows.size());
    const bool all = static_cast<int64_t>(rows.size()) == structure_.size(0);
    parts.push_back(adjacency_product(
        hop, all ? structure_ : at::index_select(structure_, 0, at::tensor(rows))));
  }
  return at::cat(parts, -1);
}

at::Tensor AcmLayer::mix(const at::Tensor& channels) const {
  const int64_t c = num_channels();
  std::vector<at::Tensor> v = score_.unsqueeze(-1).unbind(0);
  const at::Tensor score = at::sigmoid(dense_product(channels, at::block_diag(v)));
  const at::Tensor weight = at::softmax(dense_product(score, mixing_) / static_cast<double>(c), -1);
  const at::Tensor mixed = (channels.unflatten(-1, {c, width_}) * weight.unsqueeze(-1)).sum(-2);
  return structure_.defined() ? mixed : mixed * static_cast<double>(c);
}

at::Tensor AcmLayer::from_embedded(const Propagation& hop, const at::Tensor& embedded,
                                   const Mode& mode) const {
  return mix(bias_activation(channels(hop, embedded), at::Tensor(), activation_, mode));
}

at::Tensor AcmLayer::forward(const Propagation& hop, const at::Tensor& h, const Mode& mode) const {
  return from_embedded(hop, dense_product(h, filters_), mode);
}

}  // namespace emgnn
