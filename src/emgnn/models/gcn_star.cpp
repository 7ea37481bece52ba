// SPDX-License-Identifier: Apache-2.0
#include <emgnn/models/gcn_star.h>

#include <ATen/ATen.h>

#include <string>

namespace emgnn {

GcnStar::GcnStar(const ModelOptions& options, int64_t num_features, uint64_t seed)
    : options_(options) {
  int64_t inputs = num_features;
  if (options.embedding) {
    Rng rng(seed, Stream::kInit, static_cast<uint64_t>(options.layers) + 1);
    embedding_weight_ = add_parameter("embedding.weight",
                                      init_weight(inputs, options.hidden, options.init, rng), 0);
    embedding_bias_ =
        add_parameter("embedding.bias", init_bias(options.hidden, options.init, rng), 0);
    inputs = options.hidden;
  }
  for (int64_t l = 0; l < options.layers; ++l) {
    layers_.push_back(make_layer(inputs, static_cast<int>(l), seed));
    inputs = options.hidden;
  }
  make_head(seed);
}

GcnStar::Layer GcnStar::make_layer(int64_t inputs, int index, uint64_t seed) {
  Rng rng(seed, Stream::kInit, static_cast<uint64_t>(index));
  const std::string prefix = "layers." + std::to_string(index);
  const int64_t width = options_.hidden;
  const auto add = [&](const char* name, const at::Tensor& value) {
    return add_parameter(prefix + name, value, index);
  };
  const auto theta = [&] { return init_weight(inputs, width, options_.init, rng); };
  Layer layer;
  if (options_.filter == Filter::kMatrix) {
    const at::Tensor own = theta();
    layer.weight = add(".weight", at::cat({own, theta()}, 1));
    if (options_.affine) layer.lambda_term = add(".lambda_weight", at::zeros_like(layer.weight));
  } else {
    layer.weight = add(".weight", theta());
    layer.coefficient = add(".coefficient", at::ones({2}));
    if (options_.affine) layer.lambda_term = add(".lambda_coefficient", at::zeros({2}));
  }
  if (options_.norm == Norm::kBatch) {
    layer.norm = {.weight = add(".norm_weight", at::ones({width})),
                  .bias = add(".norm_bias", at::zeros({width})),
                  .mean = add_buffer(prefix + ".norm_mean", at::zeros({width})),
                  .var = add_buffer(prefix + ".norm_var", at::ones({width}))};
  } else if (options_.bias) {
    layer.bias = add(".bias", init_bias(width, options_.init, rng));
  }
  if (options_.norm == Norm::kLayer) {
    layer.norm = {.weight = add(".norm_weight", at::ones({width})),
                  .bias = add(".norm_bias", at::zeros({width}))};
  }
  return layer;
}

void GcnStar::make_head(uint64_t seed) {
  const int index = num_hops();
  Rng rng(seed, Stream::kInit, static_cast<uint64_t>(index));
  const auto add = [&](const char* name, const at::Tensor& value) {
    return add_parameter(name, value, index);
  };
  const bool weighted = options_.readout == Readout::kWeightedSumAndMax;
  const int64_t inputs =
      weighted || options_.readout == Readout::kMeanAndMax ? 2 * options_.hidden : options_.hidden;
  if (weighted) {
    gate_weight_ = add("gate.weight", init_weight(options_.hidden, 1, options_.init, rng));
    gate_bias_ = add("gate.bias", at::zeros({1}));
  }
  head_weight_ = add("head.weight", init_weight(inputs, options_.head, options_.init, rng));
  head_bias_ = add("head.bias", init_bias(options_.head, options_.init, rng));
  output_weight_ = add("output.weight", init_weight(options_.head, 1, options_.init, rng));
  output_bias_ = add("output.bias", at::zeros({1}));
}

int64_t GcnStar::widest_layer() const { return 2 * num_terms() * options_.hidden; }

// [Θ₀ | Θ₁], with model.affine [α₀ | β₀ | α₁ | β₁].
at::Tensor GcnStar::weight(const Layer& layer) const {
  const auto term = [&](const at::Tensor& of, int64_t power) {
    return options_.filter == Filter::kMatrix
               ? of.narrow(1, power * options_.hidden, options_.hidden)
               : layer.weight * of[power];
  };
  const at::Tensor& constant =
      options_.filter == Filter::kMatrix ? layer.weight : layer.coefficient;
  if (options_.affine) {
    return at::cat({term(constant, 0), term(layer.lambda_term, 0), term(constant, 1),
                    term(layer.lambda_term, 1)},
                   1);
  }
  if (options_.filter == Filter::kMatrix) return layer.weight;
  return at::cat({term(constant, 0), term(constant, 1)}, 1);
}

// norm(H Θ₀ + S_λ H Θ₁ + b) up to a bias, which comes with it.
GcnStar::Convolved GcnStar::convolve(const MoleculeBatch& batch, const at::Tensor& h, int hop,
                                     const Pass& pass) const {
  const Layer& layer = layers_[static_cast<size_t>(hop)];
  const bool folds = options_.norm == Norm::kBatch && !pass.training;
  at::Tensor theta = weight(layer);
  // Running moments are constants: the norm scales the columns of Θ.
  if (folds) theta = theta * layer.norm.scale().repeat({2 * num_terms()});
  at::Tensor out = batch.filter(dense_product(h, theta), hop);
  if (options_.affine) {
    const int64_t width = options_.hidden;
    out = out.narrow(1, 0, width) + batch.row_lambda() * out.narrow(1, width, width);
  }
  if (folds) return {out, layer.norm.shift()};
  if (options_.norm == Norm::kBatch) return {layer.norm.train(out), at::Tensor()};
  if (options_.norm == Norm::kNone) return {out, layer.bias};
  if (layer.bias.defined()) out = out + layer.bias;
  return {at::layer_norm(out, {options_.hidden}, layer.norm.weight, layer.norm.bias, kNormEpsilon),
          at::Tensor()};
}

at::Tensor GcnStar::read_out(const MoleculeBatch& batch, const at::Tensor& h) const {
  const Segments& items = batch.segments();
  switch (options_.readout) {
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

at::Tensor GcnStar::forward(const MoleculeBatch& batch, const Pass& pass) const {
  const auto drop = [&](const at::Tensor& h, double dropout, uint32_t place) {
    if (!pass.training || dropout == 0.0) return h;
    return bias_activation(h, at::Tensor(), {.dropout = dropout, .place = place}, pass);
  };
  const Nonlinearity plain{.kind = options_.activation, .slope = options_.slope};
  at::Tensor h = drop(batch.atoms(), options_.input_dropout, 0);
  if (options_.embedding)
    h = bias_activation(dense_product(h, embedding_weight_), embedding_bias_, plain, pass);
  for (int hop = 0; hop < num_hops(); ++hop) {
    const Convolved c = convolve(batch, h, hop, pass);
    const Nonlinearity f{options_.activation, options_.slope, options_.dropout, hidden_place(hop)};
    const at::Tensor next = bias_activation(c.out, c.bias, f, pass);
    const bool residual = options_.residual && h.size(1) == options_.hidden;
    h = residual ? next + batch.own(h, hop) : next;
  }
  const at::Tensor g = drop(read_out(batch, h), options_.head_dropout, hidden_place(num_hops()));
  const Nonlinearity f{options_.activation, options_.slope, options_.head_dropout,
                       hidden_place(num_hops() + 1)};
  const at::Tensor hidden = bias_activation(dense_product(g, head_weight_), head_bias_, f, pass);
  return (dense_product(hidden, output_weight_) + output_bias_).squeeze(1);
}

}  // namespace emgnn
