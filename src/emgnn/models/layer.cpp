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
    : options_(plan.stack), jumps_from_embedding_(plan.jumps_from_embedding) {
  int64_t inputs = plan.shape.num_features;
  for (int64_t l = 0; l < options_.layers; ++l) {
    const int index = static_cast<int>(l);
    const bool last = l + 1 == options_.layers && !plan.shape.reads_out && !jumps();
    const int64_t outputs = last ? plan.shape.num_outputs : options_.hidden;
    layers_.push_back(make(*this, {.index = index,
                                   .inputs = inputs,
                                   .outputs = outputs,
                                   .last = last,
                                   .seed = plan.seed,
                                   .num_nodes = plan.shape.num_nodes}));
    inputs = plan.hidden_outputs;
    if (l + 1 == options_.layers && plan.last_outputs > 0) inputs = plan.last_outputs;
    if (options_.norm != Norm::kNone && !last) add_norm(index, inputs);
  }
  const int64_t num_states = options_.layers + (jumps_from_embedding_ ? 1 : 0);
  if (options_.residual) state_width_ = plan.hidden_outputs;
  if (jumps()) state_width_ = num_states * plan.hidden_outputs;
  if (options_.jumping == Jumping::kConcat) inputs *= num_states;
  if (plan.shape.reads_out || jumps()) add_output(plan, inputs);
}

void LayerStack::add_norm(int index, int64_t width) {
  const std::string name = LayerPlace{.index = index}.name("norm");
  if (options_.norm == Norm::kBatch) {
    norms_.push_back(make_batch_norm(*this, name, width, index));
  } else {
    norms_.push_back({.weight = add_parameter(name + "_weight", at::ones({width}), index),
                      .bias = add_parameter(name + "_bias", at::zeros({width}), index)});
  }
}

void LayerStack::add_output(const Plan& plan, int64_t inputs) {
  const int index = static_cast<int>(options_.layers);
  if (plan.shape.reads_out) {
    head_ =
        std::make_unique<GraphHead>(*this, GraphHead::Plan{.options = plan.head,
                                                           .stack = options_,
                                                           .inputs = inputs,
                                                           .outputs = plan.shape.num_outputs,
                                                           .index = index,
                                                           .descriptors = plan.shape.descriptors,
                                                           .seed = plan.seed});
    return;
  }
  Rng rng(plan.seed, Stream::kInit, static_cast<uint64_t>(index));
  const int64_t outputs = plan.shape.num_outputs;
  output_weight_ =
      add_parameter("output.weight", init_weight(inputs, outputs, options_.init, rng), index);
  output_bias_ = add_parameter("output.bias", init_bias(outputs, options_.init, rng), index);
}

NetworkNeeds LayerStack::needs() const {
  NetworkNeeds needs{.num_hops = static_cast<int>(layers_.size())};
  for (const auto& layer : layers_)
    needs.widest_layer = std::max(needs.widest_layer, layer->widest());
  needs.widest_layer += state_width_;
  needs.reads_descriptors = head_ && head_->reads_descriptors();
  return needs;
}

at::Tensor LayerStack::embed(const c10::intrusive_ptr<InputFeatures>& x, const Mode& mode) const {
  return layers_.front()->embed(x, options_.input_dropout, mode);
}

// The moments of a batch are those of each graph: another one beside it changes nothing.
at::Tensor LayerStack::normalised(size_t l, const at::Tensor& h, const Mode& mode) const {
  const BatchNorm& norm = norms_[l];
  if (options_.norm == Norm::kLayer)
    return at::layer_norm(h, {h.size(-1)}, norm.weight, norm.bias, kNormEpsilon);
  if (!mode.training || h.dim() == 2) return norm(h, mode);
  std::vector<at::Tensor> graphs = h.unbind(0);
  for (at::Tensor& graph : graphs) graph = norm.train(graph);
  return at::stack(graphs);
}

// From what layer l made of the rows `before` it.
at::Tensor LayerStack::behind_layer(size_t l, const Propagation& hop, const at::Tensor& before,
                                    at::Tensor h, const Mode& mode) const {
  const Layer& layer = *layers_[l];
  const bool hidden = is_hidden(l);
  at::Tensor bias = layer.bias();
  if (hidden && options_.norm != Norm::kNone) {
    h = normalised(l, bias.defined() ? h + bias : h, mode);
    bias = at::Tensor();
  }
  Nonlinearity f;
  if (hidden) {
    if (!layer.activates()) f.kind = options_.activation;
    f.slope = options_.slope;
    if (layer.drops()) f.dropout = options_.dropout;
    f.dropout_id = hidden_dropout(static_cast<int>(l));
  }
  if (bias.defined() || !is_identity(f, mode)) h = bias_activation(h, bias, f, mode);
  // What the first layer embeds is no row of features any more.
  const bool adds = options_.residual && hidden && l > 0 && before.size(-1) == h.size(-1);
  return adds ? h + hop.self(before) : h;
}

// A residual connection reads the rows themselves: they are not prepared then.
at::Tensor LayerStack::prepare(int stage, const at::Tensor& h, const Mode& mode) const {
  return options_.residual ? h : layers_[static_cast<size_t>(stage)]->prepare(h, mode);
}

at::Tensor LayerStack::stage(int number, const Propagation& hop, const at::Tensor& rows,
                             const Mode& mode) const {
  const auto l = static_cast<size_t>(number);
  const Layer& layer = *layers_[l];
  const at::Tensor next = number == 0         ? layer.from_embedded(hop, rows, mode)
                          : options_.residual ? layer.forward(hop, rows, mode)
                                              : layer.from_prepared(hop, rows, mode);
  return behind_layer(l, hop, rows, next, mode);
}

at::Tensor LayerStack::run(size_t count, const GraphBatch& batch, const at::Tensor& embedded,
                           const Mode& mode) const {
  at::Tensor h = embedded;
  std::vector<at::Tensor> states;
  if (jumps_from_embedding_) states.push_back(h);
  for (size_t l = 0; l < count; ++l) {
    const Layer& layer = *layers_[l];
    const Propagation& hop = batch.hop(static_cast<int>(l));
    const at::Tensor next =
        l == 0 ? layer.from_embedded(hop, h, mode) : layer.forward(hop, h, mode);
    h = behind_layer(l, hop, h, next, mode);
    if (!jumps()) continue;
    for (at::Tensor& state : states) state = hop.self(state);
    states.push_back(h);
  }
  return jumps() ? jumped(options_.jumping, states) : h;
}

at::Tensor LayerStack::forward(const GraphBatch& batch, const at::Tensor& embedded,
                               const Mode& mode) const {
  const at::Tensor h = run(layers_.size(), batch, embedded, mode);
  if (head_) return head_->forward(batch, h, mode);
  if (!jumps()) return h;
  return bias_activation(dense_product(h, output_weight_), output_bias_, {}, mode);
}

at::Tensor LayerStack::last_features(const GraphBatch& batch, const at::Tensor& embedded,
                                     const Mode& mode) const {
  if (head_ || jumps()) {
    const at::Tensor h = run(layers_.size(), batch, embedded, mode);
    return head_ ? head_->features(batch, h, mode) : h;
  }
  const size_t last = layers_.size() - 1;
  return layers_[last]->features(batch.hop(static_cast<int>(last)),
                                 run(last, batch, embedded, mode), mode);
}

}  // namespace emgnn
