// SPDX-License-Identifier: Apache-2.0
// The message-passing network of Gilmer et al. (2017) for molecules. With the atoms' features x and the
// features f of what an entry of the graph is (a kind of bond, none, or an atom itself; how long it is,
// where distances count):
//   h_v = relu(x_v W + b)   M_e = reshape(relu(f_e W₁ + b₁) W₂ + b₂, [d, d])
//   T times, with the same weights:  h_v ← GRU(relu(Σ_{e=(u,v)} S_e h_u M_e + c), h_v)
// Set2Set over the atoms and a perceptron with one hidden layer, d wide, give the prediction.
#pragma once

#include <memory>

#include <emgnn/models/kind_product.h>
#include <emgnn/models/set2set.h>

namespace emgnn {

struct MpnnOptions {
  int64_t hidden = 64;
  int64_t edge_hidden = 128;
  int64_t steps = 6;
  int64_t readout_steps = 6;
  int64_t readout_layers = 3;
};
void describe(OptionVisitor& visitor, MpnnOptions& options);

class Mpnn : public Network {
 public:
  Mpnn(const MpnnOptions& options, const NetworkShape& shape, uint64_t seed);

  NetworkNeeds needs() const override;
  at::Tensor embed(const c10::intrusive_ptr<InputFeatures>& x, const Mode& mode) const override;
  at::Tensor forward(const GraphBatch& batch, const at::Tensor& embedded,
                     const Mode& mode) const override;
  bool has_last_features() const override { return true; }
  at::Tensor last_features(const GraphBatch& batch, const at::Tensor& embedded,
                           const Mode& mode) const override;

 private:
  // The atoms behind the last round.
  at::Tensor atoms(const GraphBatch& batch, const at::Tensor& embedded, const Mode& mode) const;
  at::Tensor matrices(const at::Tensor& entry_features, const Mode& mode) const;

  MpnnOptions options_;
  Linear atom_, edge_inner_, edge_outer_;
  at::Tensor message_bias_;
  GruCell gru_;
  std::unique_ptr<Set2Set> readout_;
  Linear head_, output_;
};

}  // namespace emgnn
