// SPDX-License-Identifier: Apache-2.0
#include <emgnn/models/gtn.h>

#include <ATen/ATen.h>

#include <cmath>

#include <emgnn/models/edge_ops.h>

namespace emgnn {

namespace {

constexpr double kSelectionSpread = 0.01;  // of the first w: all types are selected almost alike
// Weights along a path are multiplied: with at most a million edges of a node, float32 holds them.
constexpr int64_t kMaxPath = 6;
// Below this a node has no path: it has no edges, and staying is not selected.
constexpr double kNoPath = 1e-30;

}  // namespace

void describe(OptionVisitor& visitor, GtnOptions& options) {
  describe_hidden(visitor, options.hidden);
  visitor.integer("model.channels", options.channels, 1, 1024,
                  "sets of paths, each with selections of its own, model.hidden wide each");
  visitor.integer("model.path_length", options.path_length, 1, kMaxPath,
                  "edges of the longest path that is composed; shorter ones stay at a node");
  describe_dropout(visitor, options.dropout);
  describe_input_dropout(visitor, options.input_dropout);
}

Gtn::Gtn(const GtnOptions& options, const NetworkShape& shape,
         const std::vector<std::string>& edge_types, uint64_t seed)
    : options_(options) {
  const int64_t width = options.channels * options.hidden;
  constexpr Init kInit = Init::kXavierUniform;
  Rng first(seed, Stream::kInit, 0), last(seed, Stream::kInit, 1), select(seed, Stream::kInit, 2);
  weight_ =
      add_parameter("weight", init_weight(shape.num_features, options.hidden, kInit, first), 0);
  bias_ = add_parameter("bias", init_bias(options.hidden, kInit, first), 0);
  for (const std::string& type : edge_types) {
    select_.push_back(add_parameter(
        "select." + type,
        init_normal({options.path_length, options.channels}, kSelectionSpread, select), 1));
  }
  const double bound = 1.0 / std::sqrt(static_cast<double>(width));
  last_weight_ =
      add_parameter("last.weight", init_uniform({width, shape.num_outputs}, bound, last), 2);
  last_bias_ = add_parameter("last.bias", init_uniform({shape.num_outputs}, bound, last), 2);
}

at::Tensor Gtn::embed(const c10::intrusive_ptr<InputFeatures>& x, const Mode& mode) const {
  return input_product(x, weight_, options_.input_dropout, mode);
}

at::Tensor Gtn::selection() const { return at::softmax(at::stack(select_, 1), 1); }

// Channels are the heads of the sums over neighbours: Q_s has value Σ_k softmax(w_s)_k E_k on each
// entry, another one in each channel.
at::Tensor Gtn::hidden(const GraphBatch& batch, const at::Tensor& embedded,
                       const Mode& mode) const {
  const int64_t channels = options_.channels;
  const at::Tensor selected = selection();
  at::Tensor own = embedded;
  at::Tensor rows = embedded.repeat({1, channels});                              // Q_s ⋯ X W
  at::Tensor mass = at::ones({embedded.size(0), channels}, embedded.options());  // Q_s ⋯ 1
  for (int hop = 0; hop < options_.path_length; ++hop) {
    const Propagation& step = batch.hop(hop);
    const c10::intrusive_ptr<Edges>& edges = step.edges();
    // The path is walked back to the node that is predicted.
    const at::Tensor values =
        dense_product(edges->type_weight, selected[options_.path_length - 1 - hop]).unsqueeze(0);
    rows = aggregate(edges, values, rows);
    mass = aggregate(edges, values, mass);
    own = step.self(own);
  }
  mass = at::where(mass > kNoPath, mass, at::ones_like(mass));
  const at::Tensor reached =
      rows.unflatten(-1, {channels, options_.hidden}) / mass.unsqueeze(-1);  // P X W
  const at::Tensor h = (reached + own.unsqueeze(-2)) * 0.5;
  return bias_activation(h.flatten(-2), bias_.repeat({channels}),
                         {.kind = kernels::Activation::kRelu,
                          .dropout = options_.dropout,
                          .dropout_id = hidden_dropout(0)},
                         mode);
}

at::Tensor Gtn::forward(const GraphBatch& batch, const at::Tensor& embedded,
                        const Mode& mode) const {
  return dense_product(hidden(batch, embedded, mode), last_weight_) + last_bias_;
}

std::vector<double> Gtn::shares() const {
  const at::Tensor mean = selection().detach().to(at::kDouble).mean(2).mean(0);
  return {mean.data_ptr<double>(), mean.data_ptr<double>() + mean.numel()};
}

}  // namespace emgnn
