// SPDX-License-Identifier: Apache-2.0
// The graph isomorphism network for molecules (Hu et al. 2020), which knows the bonds. Features are embedded
// first, h = x W + b; then each layer, twice as wide inside, is
//   h_v ← norm(relu((h_v + Σ_{e=(u,v)} S_e (h_u + f_e B)) W₁ + b₁) W₂ + b₂)
// with the features f_e of what an entry is and a batch norm. No activation is behind the last layer.
#pragma once

#include <emgnn/models/batch_norm.h>
#include <emgnn/models/layer.h>
#include <emgnn/models/recurrent.h>

namespace emgnn {

struct MolecularGinOptions {
  bool bond_features = true;
  Jumping jumping = Jumping::kLast;
};
void describe(OptionVisitor& visitor, MolecularGinOptions& options);

class MolecularGinLayer : public Layer {
 public:
  struct Options {
    StackOptions stack;
    MolecularGinOptions molecular;
  };
  MolecularGinLayer(Network& network, const LayerPlace& place, const Options& options);

  int64_t widest() const override { return inner_.weight().size(1); }
  at::Tensor embed(const c10::intrusive_ptr<InputFeatures>& x, double dropout,
                   const Mode& mode) const override;
  at::Tensor from_embedded(const Propagation& hop, const at::Tensor& embedded,
                           const Mode& mode) const override {
    return forward(hop, embedded, mode);
  }
  at::Tensor forward(const Propagation& hop, const at::Tensor& h, const Mode& mode) const override;
  bool activates() const override { return final_; }

 private:
  bool final_;              // no other layer follows
  Linear embedding_;        // of the first layer
  at::Tensor bond_weight_;  // B; undefined without model.bond_features
  Linear inner_, outer_;
  BatchNorm norm_;
};

}  // namespace emgnn
