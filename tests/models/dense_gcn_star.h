// SPDX-License-Identifier: Apache-2.0
// GCN* from its definition: dense float64 matrices, one molecule after the other, no dropout.
#pragma once

#include <vector>

#include "dense_network.h"

#include <emgnn/models/gcn_star.h>

namespace emgnn {

struct DenseItem {
  at::Tensor x, propagation;  // [atoms, features], [atoms, atoms], float64
  double lambda;
};

class DenseGcnStar {
 public:
  DenseGcnStar(const GcnStarOptions& options, const HeadOptions& head, const Network& network)
      : options_(options), head_(head), network_(network) {}

  // Predictions [items, outputs]; with `batch_moments` a batch norm uses the moments of all rows
  // given.
  at::Tensor operator()(const std::vector<DenseItem>& items, bool batch_moments) const {
    const StackOptions& stack = options_.stack;
    std::vector<at::Tensor> h;
    for (const DenseItem& item : items) {
      h.push_back(options_.embedding
                      ? dense_activation(item.x.matmul(value_of(network_, "embedding.weight")) +
                                             value_of(network_, "embedding.bias"),
                                         stack)
                      : item.x);
    }
    for (int64_t l = 0; l < stack.layers; ++l) {
      std::vector<at::Tensor> next;
      for (size_t i = 0; i < items.size(); ++i) next.push_back(convolved(l, items[i], h[i]));
      normalise(l, next, batch_moments);
      for (size_t i = 0; i < items.size(); ++i) {
        next[i] = dense_activation(next[i], stack);
        if (options_.residual && h[i].size(1) == stack.hidden) next[i] = next[i] + h[i];
      }
      h = next;
    }
    std::vector<at::Tensor> out;
    for (const at::Tensor& rows : h)
      out.push_back(dense_head(network_, stack, head_.readout, rows));
    return at::stack(out);
  }

 private:
  // Θ_power at one λ.
  at::Tensor theta(int64_t layer, int64_t power, double lambda) const {
    const at::Tensor weight = layer_value(network_, layer, "weight");
    if (options_.filter == Filter::kScalar) {
      at::Tensor a = layer_value(network_, layer, "coefficient");
      if (options_.affine) a = a + lambda * layer_value(network_, layer, "lambda_coefficient");
      return weight * a[power];
    }
    at::Tensor both = weight;
    if (options_.affine) both = both + lambda * layer_value(network_, layer, "lambda_weight");
    return both.narrow(1, power * options_.stack.hidden, options_.stack.hidden);
  }

  at::Tensor convolved(int64_t layer, const DenseItem& item, const at::Tensor& h) const {
    const at::Tensor out = h.matmul(theta(layer, 0, item.lambda)) +
                           item.propagation.matmul(h).matmul(theta(layer, 1, item.lambda));
    const bool bias = has_parameter(network_, "layers." + std::to_string(layer) + ".bias");
    return bias ? out + layer_value(network_, layer, "bias") : out;
  }

  void normalise(int64_t layer, std::vector<at::Tensor>& rows, bool batch_moments) const {
    if (options_.norm == Norm::kNone) return;
    const at::Tensor weight = layer_value(network_, layer, "norm_weight");
    const at::Tensor bias = layer_value(network_, layer, "norm_bias");
    const at::Tensor all = at::cat(rows);
    for (at::Tensor& h : rows) {
      at::Tensor mean, var;
      if (options_.norm == Norm::kLayer) {
        mean = h.mean(1, true);
        var = (h - mean).square().mean(1, true);
      } else if (batch_moments) {
        mean = all.mean(0);
        var = (all - mean).square().mean(0);
      } else {
        mean = layer_value(network_, layer, "norm_mean");
        var = layer_value(network_, layer, "norm_var");
      }
      h = (h - mean) / (var + kNormEpsilon).sqrt() * weight + bias;
    }
  }

  GcnStarOptions options_;
  HeadOptions head_;
  const Network& network_;
};

}  // namespace emgnn
