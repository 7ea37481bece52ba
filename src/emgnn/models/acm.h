// SPDX-License-Identifier: Apache-2.0
// ACM-GCN+ (Luan et al. 2022): every layer filters its input in channels and each node mixes the
// channels by itself, so that it may follow its neighbours or differ from them.
//
//   H_low = σ(S h W_low)   H_high = σ((I − S) h W_high)   H_id = σ(h W_id)   H_A = σ(A_λ W_A)
//   a = softmax_c([sigmoid(H_c v_c)]_c M / C)   per node, over the C channels
//   h ← s Σ_c a_c H_c                           s = C without the structure channel A, else 1
//
// The scores are those of the authors' program; their text has sigmoid(LN_c(H_c) v_c), a layer norm
// with a scale and a shift per channel, which the program never applies (model.layer_norm).
// Everything is rebuilt for each λ, the structure channel from A_λ.
#pragma once

#include <cstdint>

#include <emgnn/models/channel_mix.h>
#include <emgnn/models/layer.h>

namespace emgnn {

struct AcmOptions {
  StackOptions stack;
  bool structure = true;
  bool layer_norm = false;

  bool adds_neighbours() const { return structure; }
};
void describe(OptionVisitor& visitor, AcmOptions& options);

class AcmLayer : public Layer {
 public:
  AcmLayer(Network& network, const LayerPlace& place, const AcmOptions& options);

  int64_t widest() const override { return width_ * num_channels(); }
  at::Tensor embed(const c10::intrusive_ptr<InputFeatures>& x, double dropout,
                   const Mode& mode) const override;
  at::Tensor from_embedded(const Propagation& hop, const at::Tensor& embedded,
                           const Mode& mode) const override;
  at::Tensor forward(const Propagation& hop, const at::Tensor& h, const Mode& mode) const override;
  bool activates() const override { return true; }

 private:
  int64_t num_channels() const { return structure_.defined() ? 4 : 3; }
  ChannelScores scores() const;
  void check_nodes(const Propagation& hop) const;

  Nonlinearity activation_;
  int64_t width_;                       // of the output
  at::Tensor filters_;                  // [inputs, 3 width]: W_low | W_high | W_id
  at::Tensor structure_;                // [num_nodes, width]: W_A; undefined without the channel
  at::Tensor score_;                    // [channels, width]: v
  at::Tensor mixing_;                   // [channels, channels]: M
  at::Tensor norm_scale_, norm_shift_;  // [channels, width] of LN; undefined: none
  at::Tensor no_offset_;                // [channels] zeros
};

}  // namespace emgnn
