// SPDX-License-Identifier: Apache-2.0
#include <emgnn/models/acmp.h>

#include <ATen/ATen.h>

#include <cmath>

#include <emgnn/base/error.h>
#include <emgnn/models/edge_ops.h>

namespace emgnn {

namespace {
constexpr int64_t kKeyWidth = 16;         // of a head
constexpr double kFirstKeyWeight = 1e-5;  // so that all neighbours begin alike
constexpr double kFirstReaction = -10.0;  // σ(δ) = 5e-5: hardly any
}  // namespace

void describe(OptionVisitor& visitor, AcmpOptions& options) {
  describe_hidden(visitor, options.hidden);
  describe_dropout(visitor, options.dropout);
  describe_input_dropout(visitor, options.input_dropout);
  describe_init(visitor, options.init);
  visitor.real("model.time", options.time, 0.0, 1e4, "how long nodes act on each other");
  visitor.choice("model.coupling", options.coupling, {"attention", "constant"},
                 "how strongly neighbours attract: by attention to the first states, or as in S");
  visitor.integer("model.heads", options.heads, 1, 1024, "attention heads");
  visitor.real("model.repulsion", options.repulsion, 0.0, 1e3,
               "subtracted from every attraction; what falls below zero repels");
  visitor.flag("model.source", options.source, "the first states act all the time");
  describe(visitor, options.ode);
}

Acmp::Acmp(const AcmpOptions& options, const NetworkShape& shape, uint64_t seed)
    : options_(options) {
  Rng rng(seed, Stream::kInit, 0);
  const int64_t d = options.hidden, keys = options.heads * kKeyWidth;
  encode_ =
      add_parameter("encode.weight", init_weight(shape.num_features, d, options.init, rng), 0);
  encode_bias_ = add_parameter("encode.bias", init_bias(d, options.init, rng), 0);
  decode_ = add_parameter("decode.weight", init_weight(d, shape.num_outputs, options.init, rng), 1);
  decode_bias_ = add_parameter("decode.bias", init_bias(shape.num_outputs, options.init, rng), 1);
  alpha_ = add_parameter("alpha", at::zeros({d}), 0);
  delta_ = add_parameter("delta", at::full({d}, kFirstReaction, at::kFloat), 0);
  if (options.source) gamma_ = add_parameter("gamma", at::zeros({1}), 0);
  if (options.coupling == Coupling::kConstant) return;
  // Equal weights would keep all columns of all heads equal; the biases tell them apart.
  const double bound = 1.0 / std::sqrt(static_cast<double>(d));
  const auto weight = [&] { return at::full({d, keys}, kFirstKeyWeight, at::kFloat); };
  query_ = add_parameter("query.weight", weight(), 0);
  query_bias_ = add_parameter("query.bias", init_uniform({keys}, bound, rng), 0);
  key_ = add_parameter("key.weight", weight(), 0);
  key_bias_ = add_parameter("key.bias", init_uniform({keys}, bound, rng), 0);
}

NetworkNeeds Acmp::needs() const {
  return {.num_hops = kWholeGraph, .widest_layer = options_.hidden};
}

at::Tensor Acmp::embed(const c10::intrusive_ptr<InputFeatures>& x, const Mode& mode) const {
  return input_product(x, encode_, options_.input_dropout, mode) + encode_bias_;
}

at::Tensor Acmp::coupling(const Edges& edges, const at::Tensor& x) const {
  if (!query_.defined()) return edges.weight[0];
  const at::Tensor row = at::tensor(edges.row, at::kLong);
  const at::Tensor col = at::tensor(edges.pattern.col.to_vector(), at::kLong);
  const at::Tensor q = dense_product(x, query_) + query_bias_;
  const at::Tensor k = dense_product(x, key_) + key_bias_;
  const at::Tensor s = (q.index_select(0, row) * k.index_select(0, col))
                           .view({edges.num_entries(), options_.heads, kKeyWidth})
                           .sum(-1) /
                       std::sqrt(static_cast<double>(kKeyWidth));
  const at::Tensor u = s - s.max();
  const at::Tensor v = (u + (u * u + 4.0).sqrt()) / 2.0;
  const at::Tensor total =
      at::zeros({edges.pattern.num_cols, options_.heads}, v.options()).index_add(0, col, v);
  return (v / total.index_select(0, col)).mean(1);
}

at::Tensor Acmp::forward(const GraphBatch& batch, const at::Tensor& embedded,
                         const Mode& mode) const {
  const c10::intrusive_ptr<Edges> edges = batch.hop(0).edges();
  EMGNN_DCHECK(edges->num_graphs() == 1);
  const at::Tensor forces =
      (coupling(*edges, embedded) - options_.repulsion).view({1, edges->num_entries(), 1});
  const at::Tensor first = embedded.detach();
  const OdeFunction slope = [edges, first](double /*t*/, const at::Tensor& x, at::TensorList p) {
    const at::Tensor out =
        at::sigmoid(p[1]) * (aggregate(edges, p[0], x) - x) + at::sigmoid(p[2]) * x * (1.0 - x * x);
    return p.size() > 3 ? out + p[3] * first : out;
  };
  std::vector<at::Tensor> parameters = {forces, alpha_, delta_};
  if (gamma_.defined()) parameters.push_back(gamma_);
  const at::Tensor x =
      integrate(slope, embedded.unsqueeze(0), parameters, {0.0, options_.time}, options_.ode);
  const Nonlinearity f{.kind = kernels::Activation::kRelu,
                       .dropout = options_.dropout,
                       .dropout_id = hidden_dropout(0)};
  const at::Tensor h = bias_activation(batch.hop(1).self(x), {}, f, mode);
  return dense_product(h, decode_) + decode_bias_;
}

}  // namespace emgnn
