// SPDX-License-Identifier: Apache-2.0
#include <emgnn/models/gcn_star.h>

#include <ATen/ATen.h>

#include <string>

#include <emgnn/base/error.h>

namespace emgnn {

void describe(OptionVisitor& visitor, GcnStarOptions& options) {
  describe(visitor, options.stack);
  visitor.flag("model.bias", options.bias, "add a bias in each layer");
  visitor.flag("model.embedding", options.embedding,
               "a dense layer of each atom's features before the first convolution");
  visitor.choice("model.filter", options.filter, {"matrix", "scalar"},
                 "a layer is H W0 + S H W1, or (a0 + a1 S) H W");
  visitor.flag("model.affine", options.affine,
               "W0 and W1 (or a0 and a1) are affine in lambda, scaled to -1..1");
  describe_norm(visitor, options.norm);
  describe_residual(visitor, options.residual);
}

GcnStar::GcnStar(const GcnStarOptions& options, const HeadOptions& head, const NetworkShape& shape,
                 uint64_t seed)
    : options_(options) {
  const StackOptions& stack = options.stack;
  int64_t inputs = shape.num_features;
  if (options.embedding) {
    Rng rng(seed, Stream::kInit, static_cast<uint64_t>(stack.layers) + 1);
    embedding_weight_ =
        add_parameter("embedding.weight", init_weight(inputs, stack.hidden, stack.init, rng), 0);
    embedding_bias_ = add_parameter("embedding.bias", init_bias(stack.hidden, stack.init, rng), 0);
    inputs = stack.hidden;
  }
  for (int64_t l = 0; l < stack.layers; ++l) {
    layers_.push_back(make_layer(inputs, static_cast<int>(l), seed));
    inputs = stack.hidden;
  }
  head_ =
      std::make_unique<GraphHead>(*this, GraphHead::Plan{.options = head,
                                                         .stack = stack,
                                                         .inputs = stack.hidden,
                                                         .outputs = shape.num_outputs,
                                                         .index = static_cast<int>(stack.layers),
                                                         .descriptors = shape.descriptors,
                                                         .seed = seed});
}

GcnStar::Layer GcnStar::make_layer(int64_t inputs, int index, uint64_t seed) {
  Rng rng(seed, Stream::kInit, static_cast<uint64_t>(index));
  const std::string prefix = "layers." + std::to_string(index);
  const int64_t width = options_.stack.hidden;
  const auto add = [&](const char* name, const at::Tensor& value) {
    return add_parameter(prefix + name, value, index);
  };
  const auto theta = [&] { return init_weight(inputs, width, options_.stack.init, rng); };
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
    layer.norm = make_batch_norm(*this, prefix + ".norm", width, index);
  } else if (options_.bias) {
    layer.bias = add(".bias", init_bias(width, options_.stack.init, rng));
  }
  if (options_.norm == Norm::kLayer) {
    layer.norm = {.weight = add(".norm_weight", at::ones({width})),
                  .bias = add(".norm_bias", at::zeros({width}))};
  }
  return layer;
}

NetworkNeeds GcnStar::needs() const {
  return {.num_hops = static_cast<int>(layers_.size()),
          .widest_layer = 2 * num_terms() * options_.stack.hidden,
          .reads_lambda = options_.affine,
          .reads_descriptors = head_->reads_descriptors()};
}

// [Θ₀ | Θ₁], with model.affine [α₀ | β₀ | α₁ | β₁].
at::Tensor GcnStar::weight(const Layer& layer) const {
  const auto term = [&](const at::Tensor& of, int64_t power) {
    return options_.filter == Filter::kMatrix
               ? of.narrow(1, power * options_.stack.hidden, options_.stack.hidden)
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
GcnStar::Convolved GcnStar::convolve(const GraphBatch& batch, const at::Tensor& h, int number,
                                     const Mode& mode) const {
  const Layer& layer = layers_[static_cast<size_t>(number)];
  const bool folds = options_.norm == Norm::kBatch && !mode.training;
  at::Tensor theta = weight(layer);
  // Running moments are constants: the norm scales the columns of Θ.
  if (folds) theta = theta * layer.norm.scale().repeat({2 * num_terms()});
  at::Tensor out = batch.hop(number).self_plus_apply(dense_product(h, theta));
  if (options_.affine) {
    EMGNN_CHECK(batch.row_lambda.defined(),
                "gcn-star: weights that depend on lambda need rows of one lambda each",
                "shared rows");
    const int64_t width = options_.stack.hidden;
    out = out.narrow(1, 0, width) + batch.row_lambda * out.narrow(1, width, width);
  }
  if (folds) return {out, layer.norm.shift()};
  if (options_.norm == Norm::kBatch) return {layer.norm.train(out), at::Tensor()};
  if (options_.norm == Norm::kNone) return {out, layer.bias};
  if (layer.bias.defined()) out = out + layer.bias;
  return {at::layer_norm(out, {options_.stack.hidden}, layer.norm.weight, layer.norm.bias,
                         kNormEpsilon),
          at::Tensor()};
}

// The features, or act(X W + b).
at::Tensor GcnStar::embed(const c10::intrusive_ptr<InputFeatures>& x, const Mode& mode) const {
  const StackOptions& stack = options_.stack;
  if (options_.embedding) {
    const Nonlinearity plain{.kind = stack.activation, .slope = stack.slope};
    return bias_activation(input_product(x, embedding_weight_, stack.input_dropout, mode),
                           embedding_bias_, plain, mode);
  }
  const Nonlinearity drop{.dropout = stack.input_dropout};
  return is_identity(drop, mode) ? x->dense : bias_activation(x->dense, at::Tensor(), drop, mode);
}

// Behind the last layer.
at::Tensor GcnStar::rows(const GraphBatch& batch, const at::Tensor& embedded,
                         const Mode& mode) const {
  const StackOptions& stack = options_.stack;
  at::Tensor h = embedded;
  for (int l = 0; l < static_cast<int>(layers_.size()); ++l) {
    const Convolved c = convolve(batch, h, l, mode);
    const Nonlinearity f{stack.activation, stack.slope, stack.dropout, hidden_dropout(l)};
    const at::Tensor next = bias_activation(c.out, c.bias, f, mode);
    const bool residual = options_.residual && h.size(1) == stack.hidden;
    h = residual ? next + batch.hop(l).self(h) : next;
  }
  return h;
}

at::Tensor GcnStar::forward(const GraphBatch& batch, const at::Tensor& embedded,
                            const Mode& mode) const {
  return head_->forward(batch, rows(batch, embedded, mode), mode);
}

at::Tensor GcnStar::last_features(const GraphBatch& batch, const at::Tensor& embedded,
                                  const Mode& mode) const {
  return head_->features(batch, rows(batch, embedded, mode), mode);
}

}  // namespace emgnn
