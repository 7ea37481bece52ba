// SPDX-License-Identifier: Apache-2.0
// Weave (Kearnes et al. 2016): atoms and entries of the graph both have features, and each layer
// makes new ones of both, with affine P₁ .. P₅, L, R:
//   h'_v = relu(P₃ [relu(P₁ h_v); Σ_{e=(u,v)} S_e relu(P₂ f_e)])
//   f'_e = relu(P₅ [relu(L h_u + R h_v); relu(R h_u + L h_v); relu(P₄ f_e)])   of e = (u, v)
// The last layer makes atoms alone. Behind it y_v = norm(tanh(h_v W + b)), a batch norm over all atoms.
// The prediction is linear in Σ_v y_v; with model.gaussian in tanh of an affine map of the sum of
// memberships: every number of y_v is replaced by how much it belongs to each of eleven Gaussians.
#pragma once

#include <vector>

#include <emgnn/models/batch_norm.h>
#include <emgnn/models/recurrent.h>
#include <emgnn/models/row_index.h>

namespace emgnn {

struct WeaveOptions {
  int64_t layers = 5;
  int64_t hidden = 50;
  int64_t readout_width = 128;
  bool gaussian = true;
};
void describe(OptionVisitor& visitor, WeaveOptions& options);

class Weave : public Network {
 public:
  Weave(const WeaveOptions& options, const NetworkShape& shape, uint64_t seed);

  NetworkNeeds needs() const override;
  at::Tensor embed(const c10::intrusive_ptr<InputFeatures>& x, const Mode& mode) const override;
  at::Tensor forward(const GraphBatch& batch, const at::Tensor& embedded,
                     const Mode& mode) const override;
  bool has_last_features() const override { return true; }
  at::Tensor last_features(const GraphBatch& batch, const at::Tensor& embedded,
                           const Mode& mode) const override;

 private:
  struct Layer {
    Linear atom, from_entry, to_atom;  // P₁, P₂, P₃
    Linear left, right;                // L, R
    Linear entry, to_entry;            // P₄, P₅
  };
  // Both ends of the entries, and what they are.
  struct Entries {
    RowIndex targets, sources, kinds;
    at::Tensor weight;  // [entries, 1] of S
  };

  at::Tensor atoms(const Layer& layer, const Entries& entries, const at::Tensor& h,
                   const at::Tensor& from_entries, const Mode& mode) const;
  at::Tensor entries_of(const Layer& layer, const Entries& entries, const at::Tensor& h,
                        const at::Tensor& own, const Mode& mode) const;
  at::Tensor read_out(const Segments& items, const at::Tensor& y) const;

  WeaveOptions options_;
  std::vector<Layer> layers_;
  Linear graph_;
  BatchNorm norm_;
  Linear memberships_, output_;
};

}  // namespace emgnn
