// SPDX-License-Identifier: Apache-2.0
#include <emgnn/models/layer.h>

#include <ATen/ATen.h>

#include <fmt/format.h>

#include <algorithm>

#include <emgnn/base/error.h>

namespace emgnn {

std::string LayerPlace::name(const char* parameter) const {
  return fmt::format("layers.{}.{}", index, parameter);
}

at::Tensor Layer::features(const Propagation& /*hop*/, const at::Tensor& /*h*/,
                           const Mode& /*mode*/) const {
  throw InternalError("the layer is not a product with its weights");
}

namespace {

at::Tensor jumped(Jumping jumping, const std::vector<at::Tensor>& states) {
  switch (jumping) {
    case Jumping::kLast:
      break;
    case Jumping::kConcat:
      return at::cat(states, -1);
    case Jumping::kMax:
      return at::stack(states).amax(0);
    case Jumping::kSum:
      return at::stack(states).sum(0);
  }
  return states.back();
}

}  // namespace

LayerStack::LayerStack(const Plan& plan, const MakeLayer& make)
    : options_(plan.stack), jumping_(plan.jumping) {
  int64_t inputs = plan.shape.num_features;
  for (int64_t l = 0; l < options_.layers; ++l) {
    const bool last = l + 1 == options_.layers && !plan.shape.reads_out;
    const int64_t outputs = last ? plan.shape.num_outputs : options_.hidden;
    layers_.push_back(make(*this, {.index = static_cast<int>(l),
                                   .inputs = inputs,
                                   .outputs = outputs,
                                   .last = last,
                                   .seed = plan.seed,
                                   .num_nodes = plan.shape.num_nodes}));
    inputs = plan.hidden_outputs;
  }
  if (!plan.shape.reads_out) return;
  if (plan.last_outputs > 0) inputs = plan.last_outputs;
  if (jumping_ == Jumping::kConcat) inputs *= options_.layers + 1;
  head_ =
      std::make_unique<GraphHead>(*this, GraphHead::Plan{.options = plan.head,
                                                         .stack = options_,
                                                         .inputs = inputs,
                                                         .outputs = plan.shape.num_outputs,
                                                         .index = static_cast<int>(options_.layers),
                                                         .descriptors = plan.shape.descriptors,
                                                         .seed = plan.seed});
}

NetworkNeeds LayerStack::needs() const {
  NetworkNeeds needs{.num_hops = static_cast<int>(layers_.size())};
  for (const auto& layer : layers_)
    needs.widest_layer = std::max(needs.widest_layer, layer->widest());
  needs.reads_descriptors = head_ && head_->reads_descriptors();
  return needs;
}

at::Tensor LayerStack::embed(const c10::intrusive_ptr<InputFeatures>& x, const Mode& mode) const {
  return layers_.front()->embed(x, options_.input_dropout, mode);
}

at::Tensor LayerStack::finished(size_t l, const at::Tensor& h, const Mode& mode) const {
  const Layer& layer = *layers_[l];
  Nonlinearity f;
  if (head_ || l + 1 < layers_.size()) {
    if (!layer.activates()) f.kind = options_.activation;
    f.slope = options_.slope;
    if (layer.drops()) f.dropout = options_.dropout;
    f.dropout_id = hidden_dropout(static_cast<int>(l));
  }
  const at::Tensor bias = layer.bias();
  return bias.defined() || !is_identity(f, mode) ? bias_activation(h, bias, f, mode) : h;
}

at::Tensor LayerStack::prepare(int stage, const at::Tensor& h, const Mode& mode) const {
  return layers_[static_cast<size_t>(stage)]->prepare(h, mode);
}

at::Tensor LayerStack::stage(int number, const Propagation& hop, const at::Tensor& rows,
                             const Mode& mode) const {
  const auto l = static_cast<size_t>(number);
  const Layer& layer = *layers_[l];
  return finished(
      l, number == 0 ? layer.from_embedded(hop, rows, mode) : layer.from_prepared(hop, rows, mode),
      mode);
}

at::Tensor LayerStack::run(size_t count, const GraphBatch& batch, const at::Tensor& embedded,
                           const Mode& mode) const {
  at::Tensor h = embedded;
  std::vector<at::Tensor> states = {h};
  for (size_t l = 0; l < count; ++l) {
    const Layer& layer = *layers_[l];
    const Propagation& hop = batch.hop(static_cast<int>(l));
    h = l == 0 ? layer.from_embedded(hop, h, mode) : layer.forward(hop, h, mode);
    h = finished(l, h, mode);
    if (jumping_ == Jumping::kLast) continue;
    for (at::Tensor& state : states) state = hop.self(state);
    states.push_back(h);
  }
  return jumping_ == Jumping::kLast ? h : jumped(jumping_, states);
}

at::Tensor LayerStack::forward(const GraphBatch& batch, const at::Tensor& embedded,
                               const Mode& mode) const {
  const at::Tensor h = run(layers_.size(), batch, embedded, mode);
  return head_ ? head_->forward(batch, h, mode) : h;
}

at::Tensor LayerStack::last_features(const GraphBatch& batch, const at::Tensor& embedded,
                                     const Mode& mode) const {
  if (head_) return head_->features(batch, run(layers_.size(), batch, embedded, mode), mode);
  const size_t last = layers_.size() - 1;
  return layers_[last]->features(batch.hop(static_cast<int>(last)),
                                 run(last, batch, embedded, mode), mode);
}

}  // namespace emgnn
