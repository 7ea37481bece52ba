// SPDX-License-Identifier: Apache-2.0
// Graph attention (Veličković et al. 2018), per head with z = h W:
//   e_ij = leaky_relu(a_l·z_i + a_r·z_j)   α_i = softmax over i's neighbours j and itself
//   h_i ← Σ_j drop(α_ij) z_j + b
// The heads are put side by side; those of the output layer are averaged. Over a family of graphs
// α_ij ∝ S_ij exp(e_ij): the weights of the graph count, not only its edges.
#pragma once

#include <emgnn/models/layer.h>

namespace emgnn {

struct GatOptions {
  StackOptions stack{
      .layers = 2, .hidden = 8, .activation = kernels::Activation::kElu, .input_dropout = 0.6};
  int64_t heads = 8;
  int64_t output_heads = 1;
  double attention_dropout = 0.6;
  double attention_slope = 0.2;
};
void describe(OptionVisitor& visitor, GatOptions& options);

class GatLayer : public Layer {
 public:
  // `weighted`: the weights of the entries count.
  GatLayer(Network& network, const LayerPlace& place, const GatOptions& options, bool weighted);

  int64_t widest() const override { return weight_.size(1) + 4 * heads_; }
  at::Tensor embed(const c10::intrusive_ptr<InputFeatures>& x, double dropout,
                   const Mode& mode) const override;
  at::Tensor from_embedded(const Propagation& hop, const at::Tensor& embedded,
                           const Mode& mode) const override;
  at::Tensor forward(const Propagation& hop, const at::Tensor& h, const Mode& mode) const override;
  // Σ_j α_ij h_j of each head, the attention being what it is.
  bool has_features() const override { return last_; }
  at::Tensor features(const Propagation& hop, const at::Tensor& h, const Mode& mode) const override;
  at::Tensor bias() const override { return bias_; }

 private:
  at::Tensor attention(const Propagation& hop, const at::Tensor& embedded, const Mode& mode) const;
  at::Tensor attention_scores(const at::Tensor& z, const at::Tensor& a) const;

  int64_t heads_, width_;  // of one head
  bool last_, weighted_;
  double slope_;
  Nonlinearity drop_;  // of the attention
  at::Tensor weight_, left_, right_, bias_;
};

}  // namespace emgnn
