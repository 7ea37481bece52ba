// SPDX-License-Identifier: Apache-2.0
// Graph attention (Veličković et al. 2018), per head with z = h W:
//   e_ij = leaky_relu(a_l·z_i + a_r·z_j)   α_i = softmax over i's neighbours j and itself
//   h_i ← Σ_j drop(α_ij) z_j + b
// The heads are put side by side; those of the output layer are averaged. Over a family of graphs
// α_ij ∝ S_ij exp(e_ij): the weights of the graph count, not only its edges.
// With model.skip each head adds its part of h_i W_res, or of h_i itself where the widths agree. With
// model.mean_heads the last layer before a readout is averaged too, and has neither activation nor
// dropout behind it.
#pragma once

#include <emgnn/models/layer.h>

namespace emgnn {

struct GatForm {
  bool skip = false;
  bool mean_heads = false;
};
void describe(OptionVisitor& visitor, GatForm& form);

struct GatOptions {
  StackOptions stack{
      .layers = 2, .hidden = 8, .activation = kernels::Activation::kElu, .input_dropout = 0.6};
  int64_t heads = 8;
  int64_t output_heads = 1;
  double attention_dropout = 0.6;
  double attention_slope = 0.2;
  GatForm form;
};
void describe(OptionVisitor& visitor, GatOptions& options);  // but for its form

// An attention vector of each head, as the weights: U(±√(6/(1 + width))), or
// N(0, 4 / (heads · width + width)) with xavier-normal.
at::Tensor init_attention(int64_t heads, int64_t width, Init init, Rng& rng);

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
  bool has_features() const override { return last_ && !residual_; }
  at::Tensor features(const Propagation& hop, const at::Tensor& h, const Mode& mode) const override;
  at::Tensor bias() const override;
  bool activates() const override { return bare_; }
  bool drops() const override { return !bare_; }

 private:
  at::Tensor attention(const Propagation& hop, const at::Tensor& embedded, const Mode& mode) const;
  // From z and what a row adds of its own, undefined without model.skip.
  at::Tensor attended(const Propagation& hop, const at::Tensor& z, const at::Tensor& own,
                      const Mode& mode) const;
  at::Tensor attention_scores(const at::Tensor& z, const at::Tensor& a) const;

  int64_t heads_, width_;  // of one head
  bool last_, weighted_;
  bool bare_;      // the last before a readout, averaged
  bool residual_;  // model.skip
  double slope_;
  Nonlinearity drop_;  // of the attention
  at::Tensor weight_, left_, right_, bias_;
  at::Tensor residual_weight_;  // undefined where the widths agree
};

}  // namespace emgnn
