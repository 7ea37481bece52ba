// SPDX-License-Identifier: Apache-2.0
#include <emgnn/models/attentive_fp.h>

#include <ATen/ATen.h>

#include <fmt/format.h>

#include <emgnn/models/edge_ops.h>
#include <emgnn/models/row_index.h>

namespace emgnn {

namespace {

constexpr double kSlope = 0.01;
constexpr Nonlinearity kLeaky{.kind = kernels::Activation::kLeakyRelu, .slope = kSlope};
constexpr Nonlinearity kElu{.kind = kernels::Activation::kElu};

}  // namespace

void describe(OptionVisitor& visitor, AttentiveFpOptions& options) {
  describe_layers(visitor, options.layers);
  describe_hidden(visitor, options.hidden);
  describe_readout_steps(visitor, options.readout_steps);
  describe_dropout(visitor, options.dropout);
}

AttentiveFp::AttentiveFp(const AttentiveFpOptions& options, const NetworkShape& shape,
                         uint64_t seed)
    : options_(options),
      num_features_(shape.num_features),
      num_entry_features_(shape.num_entry_features) {
  const int64_t d = options.hidden;
  const auto layers = static_cast<int>(options.layers);
  for (int l = 0; l < layers; ++l) {
    WeightMaker make(*this, fmt::format("layers.{}.", l), l, seed);
    if (l == 0) {
      atom_ = {make, "atom", shape.num_features, d};
      neighbour_ = {make, "neighbour", shape.num_features + num_entry_features_, d};
    }
    attention_.push_back(make_attention(make));
  }
  for (int t = 0; t < static_cast<int>(options.readout_steps); ++t) {
    WeightMaker make(*this, fmt::format("readout.{}.", t), layers + t, seed);
    attention_.push_back(make_attention(make));
  }
  WeightMaker make(*this, "", static_cast<int>(attention_.size()), seed);
  output_ = {make, "output", d, shape.num_outputs};
}

AttentiveFp::Attention AttentiveFp::make_attention(WeightMaker& make) const {
  const int64_t d = options_.hidden;
  Attention out;
  out.score = {make, "score", 2 * d, 1};
  out.context = {make, "context", d, d};
  out.gru = {make, "gru", d, d};
  return out;
}

NetworkNeeds AttentiveFp::needs() const {
  // A row's gates before and behind the state, and both ends of its entries.
  return {.num_hops = static_cast<int>(options_.layers), .widest_layer = 12 * options_.hidden};
}

at::Tensor AttentiveFp::drop(const at::Tensor& h, int number, int which, const Mode& mode) const {
  return dropped(h, options_.dropout, static_cast<uint32_t>(1 + 2 * number + which), mode);
}

at::Tensor AttentiveFp::embed(const c10::intrusive_ptr<InputFeatures>& x, const Mode& mode) const {
  const at::Tensor of_atom = neighbour_.weight().narrow(0, 0, num_features_);
  return input_product(x, at::cat({atom_.weight(), of_atom}, 1), 0.0, mode);
}

// S_e exp(z_e), normalised over the entries of each row.
at::Tensor AttentiveFp::attention(const Attention& own, const c10::intrusive_ptr<Edges>& edges,
                                  const at::Tensor& ends, const Mode& mode) {
  at::Tensor scores = own.score(ends, kLeaky, mode).unsqueeze(0);
  if (!edges->weight.eq(1.0).all().item<bool>())
    scores = scores + edges->weight.log().unsqueeze(-1);
  return edge_softmax(edges, scores);
}

at::Tensor AttentiveFp::first_layer(const GraphBatch& batch, const at::Tensor& embedded,
                                    const Mode& mode) const {
  const int64_t d = options_.hidden;
  const Propagation& hop = batch.hop(0);
  const c10::intrusive_ptr<Edges>& edges = hop.edges();
  const Attention& own = attention_.front();
  const RowIndex targets(edges->row, edges->pattern.num_rows);
  const RowIndex sources(edges->pattern.col.to_vector(), edges->pattern.num_cols);
  const RowIndex kinds(edges->feature, edges->feature_table.size(0));
  const at::Tensor n =
      hop.self(bias_activation(embedded.narrow(1, 0, d), atom_.bias(), kLeaky, mode));
  const at::Tensor of_kind = dense_product(
      edges->feature_table, neighbour_.weight().narrow(0, num_features_, num_entry_features_));
  const at::Tensor m = bias_activation(sources.take(embedded.narrow(1, d, d)) + kinds.take(of_kind),
                                       neighbour_.bias(), kLeaky, mode);
  const at::Tensor ends = drop(at::cat({targets.take(n), m}, 1), 0, 0, mode);
  const at::Tensor alpha = attention(own, edges, ends, mode);
  const at::Tensor sum = targets.sum(drop(m, 0, 1, mode) * alpha.squeeze(0));
  return at::relu(own.gru(own.context(sum, kElu, mode), n));
}

at::Tensor AttentiveFp::layer(int number, const Propagation& hop, const at::Tensor& h,
                              const Mode& mode) const {
  const c10::intrusive_ptr<Edges>& edges = hop.edges();
  const Attention& own = attention_[static_cast<size_t>(number)];
  const RowIndex targets(edges->row, edges->pattern.num_rows);
  const RowIndex sources(edges->pattern.col.to_vector(), edges->pattern.num_cols);
  const at::Tensor before = hop.self(h);
  // Each entry drops other parts of its two ends.
  const at::Tensor ends =
      drop(at::cat({targets.take(before), sources.take(h)}, 1), number, 0, mode);
  const at::Tensor alpha = attention(own, edges, ends, mode);
  const at::Tensor sum = aggregate(edges, alpha, drop(h, number, 1, mode));
  return at::relu(own.gru(own.context(sum, kElu, mode), before));
}

at::Tensor AttentiveFp::readout_step(int number, const Segments& items, const at::Tensor& h,
                                     const at::Tensor& g, const Mode& mode) const {
  const int64_t d = options_.hidden;
  const c10::intrusive_ptr<Edges>& members = items.edges();
  const Attention& own = attention_[static_cast<size_t>(number)];
  const at::Tensor left =
      dense_product(at::relu(g), own.score.weight().narrow(0, 0, d)) + own.score.bias();
  const at::Tensor right = dense_product(h, own.score.weight().narrow(0, d, d));
  const at::Tensor alpha = edge_softmax(members, edge_scores(members, left, right, kSlope));
  const at::Tensor sum = aggregate(members, alpha, drop(h, number, 0, mode));
  return own.gru(own.context(sum, kElu, mode), g);
}

at::Tensor AttentiveFp::last_features(const GraphBatch& batch, const at::Tensor& embedded,
                                      const Mode& mode) const {
  const auto layers = static_cast<int>(options_.layers);
  const auto all = static_cast<int>(attention_.size());
  at::Tensor h = first_layer(batch, embedded, mode);
  for (int l = 1; l < layers; ++l) h = layer(l, batch.hop(l), h, mode);
  at::Tensor g = batch.items->sum(h);
  for (int t = layers; t < all; ++t) g = readout_step(t, *batch.items, h, g, mode);
  return drop(g, all, 0, mode);
}

at::Tensor AttentiveFp::forward(const GraphBatch& batch, const at::Tensor& embedded,
                                const Mode& mode) const {
  return output_(last_features(batch, embedded, mode));
}

}  // namespace emgnn
