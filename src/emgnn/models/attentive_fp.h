// SPDX-License-Identifier: Apache-2.0
// AttentiveFP (Xiong et al. 2020). With the atoms' features x, the features f of what an entry of the
// graph is, and leaky the leaky ReLU of slope 0.01, the first layer is
//   n_v = leaky(A x_v)   m_e = leaky(B [x_u; f_e])   α_e ∝ S_e exp(leaky(C [n_v; m_e]))
//   h_v = relu(GRU(elu(E Σ_e α_e m_e), n_v))
// and each further one
//   α_e ∝ S_e exp(leaky(C [h_v; h_u]))   h_v ← relu(GRU(elu(E Σ_e α_e h_u), h_v)),
// with Σ α_e = 1 over the entries e = (u, v) of v.
// The readout begins with g = Σ_v h_v; each of its steps is
//   α_v = softmax over the atoms of leaky(C [relu(g); h_v])   g ← GRU(elu(E Σ_v α_v h_v), g),
// and the prediction is linear in g. A, B, C, E have biases, and every layer and step its own weights.
// Dropout is on what C and E read, except for C of the readout, and on g at the end.
#pragma once

#include <vector>

#include <emgnn/models/recurrent.h>

namespace emgnn {

struct AttentiveFpOptions {
  int64_t layers = 2;
  int64_t hidden = 200;
  int64_t readout_steps = 2;
  double dropout = 0.0;
};
void describe(OptionVisitor& visitor, AttentiveFpOptions& options);

class AttentiveFp : public Network {
 public:
  AttentiveFp(const AttentiveFpOptions& options, const NetworkShape& shape, uint64_t seed);

  NetworkNeeds needs() const override;
  // [A x | the part of B that reads x], before any bias.
  at::Tensor embed(const c10::intrusive_ptr<InputFeatures>& x, const Mode& mode) const override;
  at::Tensor forward(const GraphBatch& batch, const at::Tensor& embedded,
                     const Mode& mode) const override;
  bool has_last_features() const override { return true; }
  at::Tensor last_features(const GraphBatch& batch, const at::Tensor& embedded,
                           const Mode& mode) const override;

 private:
  struct Attention {
    Linear score, context;  // C and E
    GruCell gru;
  };
  Attention make_attention(WeightMaker& make) const;
  static at::Tensor attention(const Attention& own, const c10::intrusive_ptr<Edges>& edges,
                              const at::Tensor& ends, const Mode& mode);
  // Two dropouts of layer or readout step `number`, the readout counted behind the layers.
  at::Tensor drop(const at::Tensor& h, int number, int which, const Mode& mode) const;
  at::Tensor first_layer(const GraphBatch& batch, const at::Tensor& embedded,
                         const Mode& mode) const;
  at::Tensor layer(int number, const Propagation& hop, const at::Tensor& h, const Mode& mode) const;
  at::Tensor readout_step(int number, const Segments& items, const at::Tensor& h,
                          const at::Tensor& g, const Mode& mode) const;

  AttentiveFpOptions options_;
  int64_t num_features_, num_entry_features_;
  Linear atom_, neighbour_;           // A and B
  std::vector<Attention> attention_;  // of the layers, then of the readout
  Linear output_;
};

}  // namespace emgnn
