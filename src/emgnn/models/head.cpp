// SPDX-License-Identifier: Apache-2.0
#include <emgnn/models/head.h>

#include <ATen/ATen.h>

namespace emgnn {

GraphHead::GraphHead(Network& network, const Plan& plan) : plan_(plan) {
  const HeadOptions& options = plan.options;
  const Init init = plan.stack.init;
  Rng rng(plan.seed, Stream::kInit, static_cast<uint64_t>(plan.index));
  const auto add = [&](const char* name, const at::Tensor& value) {
    return network.add_parameter(name, value, plan.index);
  };
  const bool weighted = options.readout == Readout::kWeightedSumAndMax;
  const bool two = weighted || options.readout == Readout::kMeanAndMax;
  if (weighted) {
    gate_weight_ = add("gate.weight", init_weight(plan.inputs, 1, init, rng));
    gate_bias_ = add("gate.bias", at::zeros({1}));
  }
  head_weight_ =
      add("head.weight", init_weight(two ? 2 * plan.inputs : plan.inputs, options.head, init, rng));
  head_bias_ = add("head.bias", init_bias(options.head, init, rng));
  output_weight_ = add("output.weight", init_weight(options.head, plan.outputs, init, rng));
  output_bias_ = add("output.bias", at::zeros({plan.outputs}));
}

at::Tensor GraphHead::read_out(const Segments& items, const at::Tensor& h) const {
  switch (plan_.options.readout) {
    case Readout::kSum:
      return items.sum(h);
    case Readout::kMean:
      return items.sum(h) / items.sizes();
    case Readout::kMax:
      return items.max(h);
    case Readout::kMeanAndMax:
      return at::cat({items.sum(h) / items.sizes(), items.max(h)}, 1);
    case Readout::kWeightedSumAndMax:
      break;
  }
  const at::Tensor gate = at::sigmoid(dense_product(h, gate_weight_) + gate_bias_);
  return at::cat({items.weighted_sum(h, gate), items.max(h)}, 1);
}

at::Tensor GraphHead::features(const GraphBatch& batch, const at::Tensor& h,
                               const Mode& mode) const {
  const double dropout = plan_.options.head_dropout;
  const Nonlinearity drop{.dropout = dropout, .dropout_id = hidden_dropout(plan_.index)};
  at::Tensor g = read_out(*batch.items, h);
  if (!is_identity(drop, mode)) g = bias_activation(g, at::Tensor(), drop, mode);
  const Nonlinearity f{plan_.stack.activation, plan_.stack.slope, dropout,
                       hidden_dropout(plan_.index + 1)};
  return bias_activation(dense_product(g, head_weight_), head_bias_, f, mode);
}

at::Tensor GraphHead::forward(const GraphBatch& batch, const at::Tensor& h,
                              const Mode& mode) const {
  return dense_product(features(batch, h, mode), output_weight_) + output_bias_;
}

}  // namespace emgnn
