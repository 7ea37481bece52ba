// SPDX-License-Identifier: Apache-2.0
// The graph convolutional network: H ← drop(act(S (H W) + b)), the last layer bare. With
// model.self = separate a node's own row has weights beside these: S (H W) + H W_self + b.
#pragma once

#include <cstdint>
#include <vector>

#include <emgnn/models/backbone.h>
#include <emgnn/models/options.h>

namespace emgnn {

class Gcn : public Backbone {
 public:
  Gcn(const ModelOptions& options, int64_t num_features, int64_t num_classes, uint64_t seed);

  int num_hops() const override { return static_cast<int>(weight_.size()); }
  int64_t widest_layer() const override;
  at::Tensor embed(const InputFeatures& x, const Pass& pass) const override;
  at::Tensor forward(const Shift& shift, const at::Tensor& embedded,
                     const Pass& pass) const override;

 private:
  bool separate_self() const { return options_.self == SelfWeights::kSeparate; }
  at::Tensor convolve_embedded(const Shift& shift, const at::Tensor& embedded) const;
  at::Tensor convolve(const Shift& shift, const at::Tensor& h, int layer) const;

  ModelOptions options_;
  std::vector<at::Tensor> weight_, bias_;
  std::vector<at::Tensor> self_weight_;  // empty if shared
};

}  // namespace emgnn
