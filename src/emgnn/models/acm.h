// SPDX-License-Identifier: Apache-2.0
// ACM-GCN+ (Luan et al. 2022): every layer filters its input in channels and each node mixes the
// channels by itself, so that it may follow its neighbours or differ from them.
//
//   H_low = σ(S h W_low)   H_high = σ((I − S) h W_high)   H_id = σ(h W_id)   H_A = σ(A_λ W_A)
//   a = softmax_c([sigmoid(H_c v_c)]_c M / C)   per node, over the C channels
//   h ← drop(s Σ_c a_c H_c)                     s = C without the structure channel A, else 1
//
// The scores are those of the authors' program: without the layer norm that their text has, which
// the program never applies. Everything is rebuilt for each λ, the structure channel from A_λ.
#pragma once

#include <cstdint>
#include <vector>

#include <emgnn/models/backbone.h>
#include <emgnn/models/options.h>

namespace emgnn {

class Acm : public Backbone {
 public:
  Acm(const ModelOptions& options, const BackboneSizes& sizes, uint64_t seed);

  int num_hops() const override { return static_cast<int>(layers_.size()); }
  int64_t widest_layer() const override;
  at::Tensor embed(const InputFeatures& x, const Pass& pass) const override;
  at::Tensor forward(const Shift& shift, const at::Tensor& embedded,
                     const Pass& pass) const override;

 private:
  struct Layer {
    int64_t width = 0;     // of the output
    at::Tensor filters;    // [inputs, 3 width]: W_low | W_high | W_id
    at::Tensor structure;  // [num_nodes, width]: W_A; undefined without the channel
    at::Tensor score;      // [channels, width]: v
    at::Tensor mixing;     // [channels, channels]: M
  };

  int64_t num_channels() const { return options_.structure ? 4 : 3; }
  Layer make_layer(int64_t inputs, int64_t width, int index, const BackboneSizes& sizes,
                   uint64_t seed);
  at::Tensor channels(const Shift& shift, const at::Tensor& filtered, int hop) const;
  at::Tensor mix(const Layer& layer, const at::Tensor& channels) const;

  ModelOptions options_;
  std::vector<Layer> layers_;
};

}  // namespace emgnn
