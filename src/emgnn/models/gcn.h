// SPDX-License-Identifier: Apache-2.0
// The graph convolution: S (H W) + b. With model.self = separate a node's own row has weights
// beside these: S (H W) + H W_self + b. With model.self = branch each part has an activation of its own,
// act(S (H W) + b) + act(H W_self + b_self), except in an output layer.
#pragma once

#include <emgnn/models/layer.h>

namespace emgnn {

enum class SelfWeights { kShared, kSeparate, kBranch };

struct GcnOptions {
  StackOptions stack;
  bool bias = true;
  SelfWeights self = SelfWeights::kShared;
};
void describe(OptionVisitor& visitor, GcnOptions& options);

class GcnLayer : public Layer {
 public:
  GcnLayer(Network& network, const LayerPlace& place, const GcnOptions& options);

  int64_t widest() const override { return weight_.size(1); }
  at::Tensor embed(const c10::intrusive_ptr<InputFeatures>& x, double dropout,
                   const Mode& mode) const override;
  at::Tensor from_embedded(const Propagation& hop, const at::Tensor& embedded,
                           const Mode& mode) const override;
  at::Tensor forward(const Propagation& hop, const at::Tensor& h, const Mode& mode) const override;
  // H W, or H [W | W_self]
  at::Tensor prepare(const at::Tensor& h, const Mode& mode) const override;
  at::Tensor from_prepared(const Propagation& hop, const at::Tensor& prepared,
                           const Mode& mode) const override {
    return from_embedded(hop, prepared, mode);
  }
  bool needs_no_edges() const override { return true; }
  // S H; with weights of its own beside it, H.
  bool has_features() const override { return true; }
  at::Tensor features(const Propagation& hop, const at::Tensor& h, const Mode& mode) const override;
  at::Tensor bias() const override { return activates() ? at::Tensor() : bias_; }
  bool activates() const override { return self_bias_.defined(); }

 private:
  // The parts of the neighbours and of the row itself, added up.
  at::Tensor joined(const at::Tensor& neighbours, const at::Tensor& own, const Mode& mode) const;

  Nonlinearity activation_;
  at::Tensor weight_, bias_;
  at::Tensor self_weight_;  // undefined if shared
  at::Tensor self_bias_;    // of a branch
};

}  // namespace emgnn
