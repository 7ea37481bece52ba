// SPDX-License-Identifier: Apache-2.0
// GCN* from its definition: dense float64 matrices, one molecule after the other, no dropout.
#pragma once

#include <ATen/ATen.h>

#include <string>
#include <vector>

#include <emgnn/models/batch_norm.h>
#include <emgnn/models/network.h>

namespace emgnn {

struct DenseItem {
  at::Tensor x, shift;  // [atoms, features], [atoms, atoms], float64
  double lambda;
};

class DenseGcnStar {
 public:
  DenseGcnStar(const ModelOptions& options, const Network& network)
      : options_(options), network_(network) {}

  // Predictions [items]; with `batch_moments` a batch norm uses the moments of all rows given.
  at::Tensor operator()(const std::vector<DenseItem>& items, bool batch_moments) const {
    std::vector<at::Tensor> h;
    for (const DenseItem& item : items) {
      h.push_back(options_.embedding
                      ? activated(item.x.matmul(get("embedding.weight")) + get("embedding.bias"))
                      : item.x);
    }
    for (int64_t l = 0; l < options_.layers; ++l) {
      std::vector<at::Tensor> next;
      for (size_t i = 0; i < items.size(); ++i) next.push_back(convolved(l, items[i], h[i]));
      normalise(l, next, batch_moments);
      for (size_t i = 0; i < items.size(); ++i) {
        next[i] = activated(next[i]);
        if (options_.residual && h[i].size(1) == options_.hidden) next[i] = next[i] + h[i];
      }
      h = next;
    }
    std::vector<at::Tensor> out;
    for (const at::Tensor& rows : h) {
      const at::Tensor hidden =
          activated(read_out(rows).matmul(get("head.weight")) + get("head.bias"));
      out.push_back(hidden.matmul(get("output.weight")) + get("output.bias"));
    }
    return at::cat(out);
  }

 private:
  bool has(const std::string& name) const {
    for (const Parameter& p : network_.parameters())
      if (p.name == name) return true;
    return false;
  }
  at::Tensor get(const std::string& name) const {
    for (const Parameter& p : network_.parameters())
      if (p.name == name) return p.value.detach().to(at::kDouble);
    for (const Buffer& b : network_.buffers())
      if (b.name == name) return b.value.to(at::kDouble);
    throw std::logic_error("no " + name);
  }
  static std::string of(int64_t layer, const char* name) {
    return "layers." + std::to_string(layer) + "." + name;
  }

  // Θ_power at one λ.
  at::Tensor theta(int64_t layer, int64_t power, double lambda) const {
    const at::Tensor weight = get(of(layer, "weight"));
    if (options_.filter == Filter::kScalar) {
      at::Tensor a = get(of(layer, "coefficient"));
      if (options_.affine) a = a + lambda * get(of(layer, "lambda_coefficient"));
      return weight * a[power];
    }
    at::Tensor both = weight;
    if (options_.affine) both = both + lambda * get(of(layer, "lambda_weight"));
    return both.narrow(1, power * options_.hidden, options_.hidden);
  }

  at::Tensor convolved(int64_t layer, const DenseItem& item, const at::Tensor& h) const {
    const at::Tensor out = h.matmul(theta(layer, 0, item.lambda)) +
                           item.shift.matmul(h).matmul(theta(layer, 1, item.lambda));
    return has(of(layer, "bias")) ? out + get(of(layer, "bias")) : out;
  }

  void normalise(int64_t layer, std::vector<at::Tensor>& rows, bool batch_moments) const {
    if (options_.norm == Norm::kNone) return;
    const at::Tensor weight = get(of(layer, "norm_weight")), bias = get(of(layer, "norm_bias"));
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
        mean = get(of(layer, "norm_mean"));
        var = get(of(layer, "norm_var"));
      }
      h = (h - mean) / (var + kNormEpsilon).sqrt() * weight + bias;
    }
  }

  at::Tensor activated(const at::Tensor& h) const {
    if (options_.activation == kernels::Activation::kSilu) return h * at::sigmoid(h);
    return options_.activation == kernels::Activation::kElu ? at::elu(h) : at::relu(h);
  }

  at::Tensor read_out(const at::Tensor& h) const {
    switch (options_.readout) {
      case Readout::kSum:
        return h.sum(0);
      case Readout::kMean:
        return h.mean(0);
      case Readout::kMax:
        return h.amax(0);
      case Readout::kMeanAndMax:
        return at::cat({h.mean(0), h.amax(0)});
      case Readout::kWeightedSumAndMax:
        break;
    }
    const at::Tensor gate = at::sigmoid(h.matmul(get("gate.weight")) + get("gate.bias"));
    return at::cat({(h * gate).sum(0), h.amax(0)});
  }

  ModelOptions options_;
  const Network& network_;
};

}  // namespace emgnn
