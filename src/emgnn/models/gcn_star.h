// SPDX-License-Identifier: Apache-2.0
// GCN*, a graph convolutional network whose layers are polynomials of degree 1 in the shift:
//
//   H' = drop(act(norm(H Θ₀ + S_λ H Θ₁ + b)))   (+ H where the widths agree, with model.residual)
//
// With model.embedding H = act(X W + b) of the features comes first. With model.filter = scalar
// Θ_i = a_i Θ; with model.affine Θ_i (or a_i) is α_i + λ β_i. A readout over the atoms and a
// perceptron with one hidden layer make the prediction.
#pragma once

#include <cstdint>
#include <vector>

#include <emgnn/models/batch_norm.h>
#include <emgnn/models/molecule_backbone.h>
#include <emgnn/models/options.h>

namespace emgnn {

class GcnStar : public MoleculeBackbone {
 public:
  GcnStar(const ModelOptions& options, int64_t num_features, uint64_t seed);

  int num_hops() const override { return static_cast<int>(layers_.size()); }
  int64_t widest_layer() const override;
  bool reads_lambda() const override { return options_.affine; }
  at::Tensor forward(const MoleculeBatch& batch, const Pass& pass) const override;

 private:
  struct Layer {
    at::Tensor weight;       // [Θ₀ | Θ₁], or Θ with filter = scalar
    at::Tensor coefficient;  // a of filter = scalar
    at::Tensor lambda_term;  // the same shape as what λ changes: weight, or coefficient
    at::Tensor bias;
    BatchNorm norm;  // without moments for norm = layer
  };
  struct Convolved {
    at::Tensor out, bias;
  };

  int64_t num_terms() const { return options_.affine ? 2 : 1; }
  Layer make_layer(int64_t inputs, int index, uint64_t seed);
  void make_head(uint64_t seed);
  at::Tensor weight(const Layer& layer) const;
  Convolved convolve(const MoleculeBatch& batch, const at::Tensor& h, int hop,
                     const Pass& pass) const;
  at::Tensor read_out(const MoleculeBatch& batch, const at::Tensor& h) const;

  ModelOptions options_;
  at::Tensor embedding_weight_, embedding_bias_;
  std::vector<Layer> layers_;
  at::Tensor gate_weight_, gate_bias_;  // readout = weighted-sum-and-max
  at::Tensor head_weight_, head_bias_, output_weight_, output_bias_;
};

}  // namespace emgnn
