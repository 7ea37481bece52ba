// SPDX-License-Identifier: Apache-2.0
#include <emgnn/models/head.h>

#include <ATen/ATen.h>

namespace emgnn {

namespace {

// x W + b. The gradient of b is LibTorch's sum, whose bits recorded runs have.
at::Tensor product_plus(const at::Tensor& x, const Linear& map) {
  return dense_product(x, map.weight()) + map.bias();
}

}  // namespace

GraphHead::GraphHead(Network& network, const Plan& plan) : plan_(plan) {
  const HeadOptions& options = plan.options;
  const Init init = plan.stack.init;
  Rng rng(plan.seed, Stream::kInit, static_cast<uint64_t>(plan.index));
  WeightMaker make(network, "", plan.index, plan.seed);
  // The biases that begin with zero are those of outputs and gates.
  const auto linear = [&](const std::string& name, int64_t inputs, int64_t outputs, bool zero) {
    if (options.head_norm) return Linear(make, name, inputs, outputs);
    const at::Tensor weight = network.add_parameter(
        name + ".weight", init_weight(inputs, outputs, init, rng), plan.index);
    return Linear(weight,
                  network.add_parameter(name + ".bias",
                                        zero ? at::zeros({outputs}) : init_bias(outputs, init, rng),
                                        plan.index));
  };
  const bool weighted = options.readout == Readout::kWeightedSumAndMax;
  const bool two = weighted || options.readout == Readout::kMeanAndMax;
  int64_t width = two ? 2 * plan.inputs : plan.inputs;
  if (plan.descriptors != nullptr) {
    const auto buffer = [&](const char* name, const std::vector<double>& values) {
      return network.add_buffer(name, at::tensor(values).to(at::kFloat));
    };
    descriptor_mean_ = buffer("descriptors.mean", plan.descriptors->mean);
    descriptor_factor_ = buffer("descriptors.factor", plan.descriptors->factor);
    width += descriptor_mean_.numel();
    plan_.descriptors = nullptr;
  }
  if (weighted) gate_ = linear("gate", plan.inputs, 1, true);
  if (options.head > 0) {
    head_ = linear("head", width, options.head, false);
    width = options.head;
    if (options.head_norm) norm_ = make_batch_norm(network, "head.norm", width, plan.index);
  }
  output_ = linear("output", width, plan.outputs, true);
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
  return at::cat({items.weighted_sum(h, at::sigmoid(product_plus(h, gate_))), items.max(h)}, 1);
}

// As DescriptorScale does.
at::Tensor GraphHead::standardised(const at::Tensor& descriptors) const {
  const at::Tensor z = (descriptors - descriptor_mean_) * descriptor_factor_;
  return at::nan_to_num(z).clamp(-DescriptorScale::kLimit, DescriptorScale::kLimit);
}

at::Tensor GraphHead::features(const GraphBatch& batch, const at::Tensor& h,
                               const Mode& mode) const {
  const HeadOptions& options = plan_.options;
  at::Tensor read = read_out(*batch.items, h);
  if (reads_descriptors()) read = at::cat({read, standardised(batch.descriptors)}, 1);
  const at::Tensor g = dropped(read, options.head_dropout, hidden_dropout(plan_.index), mode);
  if (options.head == 0) return g;
  if (options.head_norm) {
    const Nonlinearity relu{.kind = kernels::Activation::kRelu};
    return norm_(head_(g, relu, mode), mode);
  }
  const Nonlinearity f{plan_.stack.activation, plan_.stack.slope, options.head_dropout,
                       hidden_dropout(plan_.index + 1)};
  return head_(g, f, mode);
}

at::Tensor GraphHead::forward(const GraphBatch& batch, const at::Tensor& h,
                              const Mode& mode) const {
  return product_plus(features(batch, h, mode), output_);
}

}  // namespace emgnn
