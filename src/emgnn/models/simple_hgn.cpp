// SPDX-License-Identifier: Apache-2.0
#include <emgnn/models/simple_hgn.h>

#include <ATen/ATen.h>

#include <algorithm>
#include <string>
#include <utility>

namespace emgnn {

namespace {

// Those between layers are numbered from 1.
constexpr uint32_t kProjectionDropout = 900, kAttentionDropout = 1000;

// a·z for each head, [..., heads · width] -> [..., heads].
at::Tensor per_head(const at::Tensor& z, const at::Tensor& a) {
  const std::vector<at::Tensor> each = a.unsqueeze(-1).unbind(0);
  return dense_product(z, at::block_diag(each));
}

}  // namespace

void describe(OptionVisitor& visitor, SimpleHgnOptions& options) {
  describe(visitor, options.gat);
  visitor.integer("model.edge_width", options.edge_width, 1, 65536,
                  "width of the embeddings of edge types");
  visitor.real("model.attention_residual", options.attention_residual, 0.0, 1.0,
               "share of the attention that is that of the layer before");
}

SimpleHgn::SimpleHgn(const SimpleHgnOptions& options, Plan plan)
    : options_(options), plan_(std::move(plan)) {
  const StackOptions& stack = options_.gat.stack;
  Rng rng(plan_.seed, Stream::kInit, static_cast<uint64_t>(stack.layers));
  std::vector<at::Tensor> weights, biases;
  for (int64_t t = 0; t < num_types(); ++t) {
    weights.push_back(init_weight(plan_.shape.num_features, stack.hidden, stack.init, rng));
    biases.push_back(init_bias(stack.hidden, stack.init, rng));
  }
  input_weight_ = add_parameter("input.weight", at::cat(weights, 1), 0);
  input_bias_ = add_parameter("input.bias", at::stack(biases), 0);
  int64_t inputs = stack.hidden;
  for (int l = 0; l < static_cast<int>(stack.layers); ++l) {
    layers_.push_back(make_layer(inputs, l));
    inputs = options_.gat.heads * stack.hidden;
  }
}

int64_t SimpleHgn::num_types() const {
  return std::max<int64_t>(1, static_cast<int64_t>(plan_.data->node_type_names.size()));
}

SimpleHgn::Layer SimpleHgn::make_layer(int64_t inputs, int index) {
  const StackOptions& stack = options_.gat.stack;
  Rng rng(plan_.seed, Stream::kInit, static_cast<uint64_t>(index));
  const auto add = [&](const char* name, const at::Tensor& value) {
    return add_parameter("layers." + std::to_string(index) + "." + name, value, index);
  };
  Layer out{.first = index == 0, .last = index + 1 == static_cast<int>(stack.layers)};
  out.heads = out.last ? options_.gat.output_heads : options_.gat.heads;
  const int64_t width = out.last ? plan_.shape.num_outputs : stack.hidden;
  const int64_t edge = options_.edge_width, kinds = num_entry_kinds(plan_.num_views);
  out.weight = add("weight", init_weight(inputs, out.heads * width, stack.init, rng));
  out.left = add("attention_left", init_attention(out.heads, width, Init::kXavierNormal, rng));
  out.right = add("attention_right", init_attention(out.heads, width, Init::kXavierNormal, rng));
  out.kind = add("kind", init_normal({kinds, edge}, 1.0, rng));
  out.kind_weight = add("kind_weight", init_weight(edge, out.heads * edge, stack.init, rng));
  out.of_kind = add("attention_kind", init_attention(out.heads, edge, Init::kXavierNormal, rng));
  if (!out.first)
    out.residual = add("residual", init_weight(inputs, out.heads * width, stack.init, rng));
  return out;
}

NetworkNeeds SimpleHgn::needs() const {
  return {.num_hops = static_cast<int>(layers_.size()),
          .widest_layer = options_.gat.heads * (options_.gat.stack.hidden + 4)};
}

at::Tensor SimpleHgn::embed(const c10::intrusive_ptr<InputFeatures>& x, const Mode& mode) const {
  return input_product(x, input_weight_, options_.gat.stack.input_dropout, mode);
}

// The projection that is right for the type of each row.
at::Tensor SimpleHgn::projected(const Propagation& hop, const at::Tensor& embedded) const {
  if (num_types() == 1) return embedded + input_bias_;
  std::vector<int64_t> types;
  for (int32_t node : hop.input_nodes())
    types.push_back(plan_.data->node_type[static_cast<size_t>(node)]);
  const at::Tensor type = at::tensor(types);
  const at::Tensor each = embedded.view({embedded.size(0), num_types(), -1});
  const at::Tensor own =
      each.gather(1, type.view({-1, 1, 1}).expand({-1, 1, each.size(2)})).squeeze(1);
  return own + at::index_select(input_bias_, 0, type);
}

at::Tensor SimpleHgn::attention(const Layer& layer, const Propagation& hop,
                                const TypedEntries& entries, const at::Tensor& z) const {
  const at::Tensor left = hop.self(per_head(z, layer.left)), right = per_head(z, layer.right);
  const at::Tensor term = per_head(dense_product(layer.kind, layer.kind_weight), layer.of_kind);
  return edge_softmax(hop.edges(), edge_scores(hop.edges(), left, right, entries.kinds(), term,
                                               options_.gat.attention_slope));
}

at::Tensor SimpleHgn::run(int index, const Propagation& hop, const at::Tensor& h, Attention& before,
                          const Mode& mode) const {
  const Layer& layer = layers_[static_cast<size_t>(index)];
  const at::Tensor z = dense_product(h, layer.weight);
  auto entries = std::make_unique<TypedEntries>(hop, *plan_.data, plan_.num_views);
  at::Tensor alpha = dropped(attention(layer, hop, *entries, z), options_.gat.attention_dropout,
                             kAttentionDropout + static_cast<uint32_t>(index), mode);
  const double beta = options_.attention_residual;
  if (!layer.first && !layer.last && beta > 0.0)
    alpha = alpha * (1.0 - beta) + entries->from(*before.entries, before.value) * beta;
  const at::Tensor sum = aggregate(hop.edges(), alpha, z);
  before = {std::move(entries), alpha.detach()};
  return layer.first ? sum : sum + dense_product(hop.self(h), layer.residual);
}

at::Tensor SimpleHgn::forward(const GraphBatch& batch, const at::Tensor& embedded,
                              const Mode& mode) const {
  const StackOptions& stack = options_.gat.stack;
  at::Tensor h =
      dropped(projected(batch.hop(0), embedded), stack.dropout, kProjectionDropout, mode);
  Attention before;
  for (int l = 0; l < static_cast<int>(layers_.size()); ++l) {
    h = run(l, batch.hop(l), h, before, mode);
    if (layers_[static_cast<size_t>(l)].last) break;
    h = bias_activation(h, at::Tensor(),
                        {stack.activation, stack.slope, stack.dropout, hidden_dropout(l)}, mode);
  }
  h = h.unflatten(-1, {layers_.back().heads, -1}).mean(-2);
  constexpr double kSmallest = 1e-12;  // of a norm that is divided by
  return plan_.unit_outputs ? h / h.norm(2, {-1}, true).clamp_min(kSmallest) : h;
}

}  // namespace emgnn
