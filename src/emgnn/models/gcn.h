// SPDX-License-Identifier: Apache-2.0
// The graph convolutional network: H ← drop(act(S (H W) + b)), the last layer bare.
#pragma once

#include <cstdint>
#include <vector>

#include <emgnn/base/options.h>
#include <emgnn/models/backbone.h>

namespace emgnn {

struct ModelOptions {
  int64_t layers = 3;
  int64_t hidden = 64;
  kernels::Activation activation = kernels::Activation::kRelu;
  double slope = 0.2;
  double dropout = 0.6;
  double input_dropout = 0.0;
  bool bias = true;
  Init init = Init::kXavierUniform;
};
void describe(OptionVisitor& visitor, ModelOptions& options);

class Gcn : public Backbone {
 public:
  Gcn(const ModelOptions& options, int64_t num_features, int64_t num_classes, uint64_t seed);

  int num_hops() const override { return static_cast<int>(weight_.size()); }
  int64_t widest_layer() const override;
  at::Tensor embed(const InputFeatures& x, const Pass& pass) const override;
  at::Tensor forward(const Shift& shift, const at::Tensor& embedded,
                     const Pass& pass) const override;

 private:
  at::Tensor convolve(const Shift& shift, const at::Tensor& h, int layer) const;

  ModelOptions options_;
  std::vector<at::Tensor> weight_, bias_;
};

}  // namespace emgnn
