// SPDX-License-Identifier: Apache-2.0
// The graph isomorphism network (Xu et al. 2019): h ← W₂ act((1 + ε) h W₁ + Σ_j h_j W₁ + b₁), the
// sum over the neighbours.
#pragma once

#include <emgnn/models/layer.h>

namespace emgnn {

struct GinOptions {
  StackOptions stack;
  bool learn_epsilon = true;

  static bool adds_neighbours() { return true; }
};
void describe_epsilon(OptionVisitor& visitor, GinOptions& options);

class GinLayer : public Layer {
 public:
  GinLayer(Network& network, const LayerPlace& place, const GinOptions& options);

  int64_t widest() const override { return inner_.size(1); }
  at::Tensor embed(const c10::intrusive_ptr<InputFeatures>& x, double dropout,
                   const Mode& mode) const override;
  at::Tensor from_embedded(const Propagation& hop, const at::Tensor& embedded,
                           const Mode& mode) const override;
  at::Tensor forward(const Propagation& hop, const at::Tensor& h, const Mode& mode) const override;
  // What W₂ is multiplied with.
  bool has_features() const override { return true; }
  at::Tensor features(const Propagation& hop, const at::Tensor& h, const Mode& mode) const override;
  at::Tensor bias() const override { return outer_bias_; }

 private:
  at::Tensor inner(const Propagation& hop, const at::Tensor& embedded, const Mode& mode) const;

  Nonlinearity activation_;
  bool sums_;           // the hop sums over neighbours by itself, without normalisation
  at::Tensor epsilon_;  // [1]; undefined: 0
  at::Tensor inner_, inner_bias_, outer_, outer_bias_;
};

}  // namespace emgnn
