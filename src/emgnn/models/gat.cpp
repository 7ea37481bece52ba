// SPDX-License-Identifier: Apache-2.0
#include <emgnn/models/gat.h>

#include <ATen/ATen.h>

#include <cmath>

#include <emgnn/models/edge_ops.h>

namespace emgnn {

namespace {

// Dropouts on attention are numbered behind all those between layers.
constexpr uint32_t kAttentionDropout = 1000;

}  // namespace

void describe(OptionVisitor& visitor, GatOptions& options) {
  describe(visitor, options.stack);
  visitor.integer("model.heads", options.heads, 1, 1024,
                  "attention heads of a hidden layer, each model.hidden wide");
  visitor.integer("model.output_heads", options.output_heads, 1, 1024,
                  "attention heads of the output layer, which are averaged");
  visitor.real("model.attention_dropout", options.attention_dropout, 0.0, 0.99,
               "dropout on the attention");
  visitor.real("model.attention_slope", options.attention_slope, 0.0, 1.0,
               "slope below zero of the leaky ReLU in the attention");
}

void describe(OptionVisitor& visitor, GatForm& form) {
  visitor.flag("model.skip", form.skip,
               "each layer adds its input, by weights of its own in the first layer and where "
               "widths differ");
  visitor.flag("model.mean_heads", form.mean_heads,
               "heads are averaged in the last layer before a readout too, without an activation");
}

at::Tensor init_attention(int64_t heads, int64_t width, Init init, Rng& rng) {
  if (init == Init::kXavierNormal)
    return init_normal({heads, width}, 2.0 / std::sqrt(static_cast<double>((heads + 1) * width)),
                       rng);
  return init_uniform({heads, width}, std::sqrt(6.0 / static_cast<double>(1 + width)), rng);
}

GatLayer::GatLayer(Network& network, const LayerPlace& place, const GatOptions& options,
                   bool weighted)
    : heads_(place.last ? options.output_heads : options.heads),
      width_(place.outputs),
      last_(place.last),
      weighted_(weighted),
      bare_(options.form.mean_heads && !place.last && place.index + 1 == options.stack.layers),
      residual_(options.form.skip),
      slope_(options.attention_slope),
      drop_{.dropout = options.attention_dropout,
            .dropout_id = kAttentionDropout + static_cast<uint32_t>(place.index)} {
  Rng rng(place.seed, Stream::kInit, static_cast<uint64_t>(place.index));
  const Init init = options.stack.init;
  const auto add = [&](const char* name, at::Tensor value) {
    return network.add_parameter(place.name(name), std::move(value), place.index);
  };
  weight_ = add("weight", init_weight(place.inputs, heads_ * width_, init, rng));
  left_ = add("attention_left", init_attention(heads_, width_, init, rng));
  right_ = add("attention_right", init_attention(heads_, width_, init, rng));
  bias_ = add("bias", init_bias(last_ ? width_ : heads_ * width_, init, rng));
  // The features of the first layer are multiplied before any graph, whatever their width.
  if (residual_ && (place.index == 0 || place.inputs != heads_ * width_))
    residual_weight_ =
        add("residual_weight", init_weight(place.inputs, heads_ * width_, init, rng));
}

at::Tensor GatLayer::bias() const { return bare_ ? bias_.view({heads_, width_}).mean(0) : bias_; }

at::Tensor GatLayer::embed(const c10::intrusive_ptr<InputFeatures>& x, double dropout,
                           const Mode& mode) const {
  return input_product(x, residual_ ? at::cat({weight_, residual_weight_}, 1) : weight_, dropout,
                       mode);
}

// a·z for each head: [..., rows, heads · width] -> [..., rows, heads].
at::Tensor GatLayer::attention_scores(const at::Tensor& z, const at::Tensor& a) const {
  return (z.unflatten(-1, {heads_, width_}) * a).sum(-1);
}

at::Tensor GatLayer::attention(const Propagation& hop, const at::Tensor& embedded,
                               const Mode& mode) const {
  const c10::intrusive_ptr<Edges>& edges = hop.edges();
  at::Tensor scores = edge_scores(edges, attention_scores(hop.self(embedded), left_),
                                  attention_scores(embedded, right_), slope_);
  // Absent entries have weight 0 and are left out of the softmax.
  if (weighted_) scores = scores + edges->weight.clamp_min(1e-30).log().unsqueeze(-1);
  const at::Tensor out = edge_softmax(edges, scores);
  return is_identity(drop_, mode) ? out : bias_activation(out, at::Tensor(), drop_, mode);
}

at::Tensor GatLayer::attended(const Propagation& hop, const at::Tensor& z, const at::Tensor& own,
                              const Mode& mode) const {
  at::Tensor out = aggregate(hop.edges(), attention(hop, z, mode), z);
  if (own.defined()) out = out + own;
  return last_ || bare_ ? out.unflatten(-1, {heads_, width_}).mean(-2) : out;
}

at::Tensor GatLayer::from_embedded(const Propagation& hop, const at::Tensor& embedded,
                                   const Mode& mode) const {
  if (!residual_) return attended(hop, embedded, at::Tensor(), mode);
  const std::vector<at::Tensor> parts = embedded.chunk(2, -1);
  return attended(hop, parts[0], hop.self(parts[1]), mode);
}

at::Tensor GatLayer::forward(const Propagation& hop, const at::Tensor& h, const Mode& mode) const {
  at::Tensor own;
  if (residual_) own = hop.self(h);
  if (residual_weight_.defined()) own = dense_product(own, residual_weight_);
  return attended(hop, dense_product(h, weight_), own, mode);
}

at::Tensor GatLayer::features(const Propagation& hop, const at::Tensor& h, const Mode& mode) const {
  const std::vector<at::Tensor> each(static_cast<size_t>(heads_), h);
  return aggregate(hop.edges(), attention(hop, dense_product(h, weight_), mode), at::cat(each, -1));
}

}  // namespace emgnn
