// SPDX-License-Identifier: Apache-2.0
#include <emgnn/models/rsgnn.h>

#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include <emgnn/base/error.h>
#include <emgnn/models/edge_ops.h>

namespace emgnn {

void describe(OptionVisitor& visitor, RsgnnOptions& options) {
  describe(visitor, options.classifier);
  visitor.integer("model.link_hidden", options.link_hidden, 1, 65536,
                  "width of both layers of the link predictor");
  visitor.integer(
      "model.candidates", options.candidates, 0, 1'000'000,
      "nodes of the most similar features, itself among them, that a node may be linked "
      "with beside its neighbours; 0: its neighbours alone");
  visitor.integer("model.negatives", options.negatives, 1, 1'000'000,
                  "pairs of nodes without an edge, drawn for each node in every step of the link "
                  "predictor");
  visitor.real("model.reconstruction", options.reconstruction, 0.0, 1e6,
               "weight of telling edges from pairs without one in the link predictor's loss");
  visitor.real("model.smoothness", options.smoothness, 0.0, 1e6,
               "weight of the differences between linked nodes' answers in the classifier's loss");
  visitor.real("model.distance_scale", options.distance_scale, 1e-6, 1e9,
               "distance of features at which an edge counts e times less and a pair without one e "
               "times more");
  visitor.real("model.min_weight", options.min_weight, 0.0, 1e6,
               "learned weights of edges below this are 0");
  visitor.real("model.sure_weight", options.sure_weight, 0.0, 1e6,
               "nodes without a label are to agree along edges of at least this weight");
}

Rsgnn::Rsgnn(const RsgnnOptions& options, const NetworkShape& shape, uint64_t seed) {
  const GcnOptions& gcn = options.classifier;
  classifier_ =
      std::make_unique<LayerStack>(LayerStack::Plan{gcn.stack, {}, shape, seed, gcn.stack.hidden},
                                   [&](Network& network, const LayerPlace& place) {
                                     return std::make_unique<GcnLayer>(network, place, gcn);
                                   });
  for (const Parameter& p : classifier_->parameters()) add_parameter(p);
  for (const Buffer& b : classifier_->buffers()) add_buffer(b.name, b.value);
  int64_t inputs = shape.num_features;
  for (int l = 0; l < 2; ++l) {
    // Behind those of the classifier's layers.
    Rng rng(seed, Stream::kInit, static_cast<uint64_t>(gcn.stack.layers + l));
    const Init init = gcn.stack.init;
    const auto add = [&](const char* name, at::Tensor value) {
      return add_parameter({.name = fmt::format("links.{}.{}", l, name),
                            .value = std::move(value),
                            .layer = l,
                            .optimiser = kLinkOptimiser});
    };
    weight_[l] = add("weight", init_weight(inputs, options.link_hidden, init, rng));
    bias_[l] = add("bias", init_bias(options.link_hidden, init, rng));
    inputs = options.link_hidden;
  }
}

at::Tensor Rsgnn::link_rows(const c10::intrusive_ptr<InputFeatures>& x) const {
  const Nonlinearity relu{.kind = kernels::Activation::kRelu};
  const at::Tensor hidden =
      bias_activation(input_product(x, weight_[0], 0.0, {}), bias_[0], relu, {});
  return bias_activation(dense_product(hidden, weight_[1]), bias_[1], {}, {});
}

std::vector<at::Tensor> Rsgnn::link_parameters() const {
  return {weight_[0], bias_[0], weight_[1], bias_[1]};
}

LinkGraphMaker::LinkGraphMaker(std::shared_ptr<const LinkCandidates> candidates, double min_weight)
    : candidates_(std::move(candidates)),
      all_(whole_pattern(candidates_->pairs)),
      min_weight_(min_weight) {}

LinkGraph LinkGraphMaker::make(const at::Tensor& rows) const {
  const Csr& pairs = candidates_->pairs;
  LinkGraph out{.rows = rows};
  out.pairs = {.num_rows = pairs.num_rows, .num_cols = pairs.num_cols};
  std::vector<int64_t> observed;
  std::vector<float> kept;
  {
    const at::NoGradGuard no_grad;
    const at::Tensor product = edge_dots(all_, rows, rows);
    const float* p = product.data_ptr<float>();
    for (int32_t i = 0; i < pairs.num_rows; ++i) {
      for (const auto [e, j] : pairs.row(i)) {
        const bool is_edge = candidates_->observed[static_cast<size_t>(e)] != 0;
        if (is_edge) observed.push_back(out.pairs.num_entries());
        if (!is_edge && j != i && !(p[e] > 0.0F && p[e] >= min_weight_)) continue;
        out.pairs.col.push_back(j);
        kept.push_back(p[e]);
      }
      out.pairs.rowptr.push_back(static_cast<int32_t>(out.pairs.col.size()));
    }
  }
  out.observed = at::tensor(observed, at::kLong);
  out.graph = pair_graph(out.pairs, candidates_->loops);
  out.product = pair_products(out.graph, rows, at::tensor(kept, at::kFloat));
  out.weight = out.product.relu() * out.product.detach().ge(min_weight_);
  out.values = normalised(out.graph, out.weight);
  return out;
}

at::Tensor distance_factor(std::span<const float> squared_distance, double sign, double scale) {
  constexpr double kLargest = 80.0;  // exp of it is still a float, and so is the sum over all pairs
  at::Tensor out = at::empty({static_cast<int64_t>(squared_distance.size())}, at::kFloat);
  float* to = out.data_ptr<float>();
  for (size_t e = 0; e < squared_distance.size(); ++e) {
    const double exponent = sign * squared_distance[e] / (scale * scale);
    EMGNN_CHECK(exponent <= kLargest,
                "model.distance_scale: features are too far apart for it; choose a larger one, or "
                "normalise the features",
                scale);
    to[e] = static_cast<float>(std::exp(exponent));
  }
  return out;
}

at::Tensor reconstruction_loss(int64_t num_nodes, const LinkTargets& edges,
                               const LinkTargets& non_edges) {
  const auto sum = [](const at::Tensor& error, const at::Tensor& factor) {
    return (factor * error.square()).to(at::kDouble).sum();
  };
  const int64_t pairs = std::max<int64_t>(1, edges.product.numel() + non_edges.product.numel());
  return (sum(edges.product - 1.0, edges.factor) + sum(non_edges.product, non_edges.factor)) *
         (static_cast<double>(num_nodes) / static_cast<double>(pairs));
}

SmoothnessMatrix smoothness_matrix(const LinkGraph& links, std::span<const uint8_t> labelled,
                                   double sure) {
  const Csr& pattern = links.graph->edges->pattern;
  const at::Tensor weight = links.weight.detach().contiguous();
  const float* w = weight.data_ptr<float>();
  const auto is_labelled = [&](int32_t i) { return labelled[static_cast<size_t>(i)] != 0; };
  Csr matrix{.num_rows = pattern.num_rows, .num_cols = pattern.num_cols};
  for (int32_t i = 0; i < pattern.num_rows; ++i) {
    for (const auto [e, j] : pattern.row(i)) {
      if (j == i) continue;
      const float own = w[links.graph->pair[static_cast<size_t>(e)]];
      const int towards_labels = (is_labelled(i) ? 1 : 0) + (is_labelled(j) ? 1 : 0);
      const int directions = towards_labels == 0 && own >= sure ? 1 : towards_labels;
      if (directions == 0 || own == 0.0F) continue;
      matrix.col.push_back(j);
      matrix.val.push_back(static_cast<float>(directions) * own);
    }
    matrix.rowptr.push_back(static_cast<int32_t>(matrix.col.size()));
  }
  const at::Tensor values = at::tensor(matrix.val.to_vector(), at::kFloat).view({1, -1, 1});
  const at::Tensor degree = at::tensor(row_sums(matrix)).to(at::kFloat).unsqueeze(1);
  matrix.val.clear();
  return {.edges = symmetric_pattern(std::move(matrix)), .values = values, .degree = degree};
}

// Σ_ij M_ij ‖y_i − y_j‖² / 2 = Σ_i y_i·(d_i y_i − (M y)_i)
at::Tensor smoothness_loss(const SmoothnessMatrix& matrix, const at::Tensor& probability) {
  const at::Tensor pulled = aggregate(matrix.edges, matrix.values, probability).squeeze(0);
  return (probability * (matrix.degree * probability - pulled)).to(at::kDouble).sum() /
         static_cast<double>(probability.size(0));
}

}  // namespace emgnn
