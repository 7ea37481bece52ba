// SPDX-License-Identifier: Apache-2.0
// GCN*, a graph convolutional network whose layers are polynomials of degree 1 in the shift:
//
//   H' = drop(act(norm(H Θ₀ + S_λ H Θ₁ + b)))   (+ H where the widths agree, with model.residual)
//
// With model.embedding H = act(X W + b) of the features comes first. With model.filter = scalar
// Θ_i = a_i Θ; with model.affine Θ_i (or a_i) is α_i + λ β_i. A head over the atoms makes the prediction.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include <emgnn/models/batch_norm.h>
#include <emgnn/models/head.h>

namespace emgnn {

enum class Filter { kMatrix, kScalar };

struct GcnStarOptions {
  StackOptions stack;
  bool bias = true;
  bool embedding = false;
  Filter filter = Filter::kMatrix;
  bool affine = false;
  Norm norm = Norm::kNone;
  bool residual = false;
};
void describe(OptionVisitor& visitor, GcnStarOptions& options);

class GcnStar : public Network {
 public:
  GcnStar(const GcnStarOptions& options, const HeadOptions& head, const NetworkShape& shape,
          uint64_t seed);

  NetworkNeeds needs() const override;
  at::Tensor embed(const c10::intrusive_ptr<InputFeatures>& x, const Mode& mode) const override;
  at::Tensor forward(const GraphBatch& batch, const at::Tensor& embedded,
                     const Mode& mode) const override;
  bool has_last_features() const override { return true; }
  at::Tensor last_features(const GraphBatch& batch, const at::Tensor& embedded,
                           const Mode& mode) const override;

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
  at::Tensor weight(const Layer& layer) const;
  at::Tensor rows(const GraphBatch& batch, const at::Tensor& embedded, const Mode& mode) const;
  Convolved convolve(const GraphBatch& batch, const at::Tensor& h, int number,
                     const Mode& mode) const;

  GcnStarOptions options_;
  at::Tensor embedding_weight_, embedding_bias_;
  std::vector<Layer> layers_;
  std::unique_ptr<GraphHead> head_;
};

}  // namespace emgnn
