// SPDX-License-Identifier: Apache-2.0
#include <emgnn/learn/leave_one_out.h>

#include <ATen/ATen.h>

#include <tuple>
#include <vector>

#include <emgnn/base/error.h>
#include <emgnn/learn/diverged.h>

namespace emgnn {

namespace {

// σ over the mean squared length of a centred row. Labels fall on a few large eigenvalues of HHᵀ,
// each some multiple of the number of rows over the number of classes: this spans "no shrinkage"
// to "little more than the class means". It is chosen from the same errors that it is judged by,
// which costs little: six values, against as many errors as there are labels.
const std::vector<double> kGrid = {1e-3, 1e-2, 1e-1, 1.0, 1e1, 1e2};

// The ridge heads of all graphs, decomposed once for every σ. With centred features H the fit is
// the mean of the targets plus H (HᵀH + σI)⁻¹ Hᵀ y = HHᵀ (HHᵀ + σI)⁻¹ y = Q diag(gain) Qᵀ y.
class RidgeHeads {
 public:
  RidgeHeads(const at::Tensor& features, const at::Tensor& target)
      : target_(target), centred_(target - target.mean(0)), rows_(target.size(0)) {
    const at::Tensor all = features.to(at::kDouble);
    const at::Tensor h = all - all.mean(1, true);
    // Rows that are all alike say nothing; σ is then anything but 0.
    scale_ = (h.square().sum({1, 2}) / static_cast<double>(rows_)).clamp_min(1e-30).view({-1, 1});
    by_width_ = h.size(2) < rows_;
    const at::Tensor gram = by_width_ ? h.transpose(1, 2).matmul(h) : h.matmul(h.transpose(1, 2));
    at::Tensor vectors;
    std::tie(values_, vectors) = at::linalg_eigh(gram, "L");
    values_ = values_.clamp_min(0.0);
    basis_ = by_width_ ? h.matmul(vectors) : vectors;
    projected_ = basis_.transpose(1, 2).matmul(centred_);
  }

  // y_i − f_i of the head that was fitted without row i, [graphs, rows, outputs]: its own error is
  // (y_i − f_i) / (1 − h_i) of the head that was fitted to all, h the diagonal of the fit's matrix.
  at::Tensor errors(double sigma) const {
    const at::Tensor denominator = values_ + scale_ * sigma;
    const at::Tensor gain = by_width_ ? denominator.reciprocal() : values_ / denominator;
    const at::Tensor fit = basis_.matmul(gain.unsqueeze(2) * projected_);
    const at::Tensor leverage = basis_.square().matmul(gain.unsqueeze(2));
    return (centred_ - fit) / (1.0 - 1.0 / static_cast<double>(rows_) - leverage);
  }

  at::Tensor predicted(const at::Tensor& errors) const { return target_ - errors; }

 private:
  at::Tensor target_, centred_;  // [rows, outputs]
  int64_t rows_;
  bool by_width_;
  at::Tensor scale_;      // [graphs, 1]
  at::Tensor values_;     // [graphs, k]: eigenvalues of HᵀH or HHᵀ, whichever is smaller
  at::Tensor basis_;      // Q: [graphs, rows, k]
  at::Tensor projected_;  // Qᵀy: [graphs, k, outputs]
};

void check(const at::Tensor& features) {
  EMGNN_CHECK(features.size(1) >= 2,
              "em.evidence=last-layer: at least two labels to train on are needed",
              features.size(1));
  if (!at::isfinite(features).all().item<bool>()) throw_diverged();
}

}  // namespace

at::Tensor leave_one_out(const at::Tensor& features, const at::Tensor& target, double sigma) {
  check(features);
  const RidgeHeads heads(features, target);
  return heads.predicted(heads.errors(sigma));
}

at::Tensor leave_one_out(const at::Tensor& features, const at::Tensor& target) {
  check(features);
  const RidgeHeads heads(features, target);
  at::Tensor best, smallest;
  for (double sigma : kGrid) {
    const at::Tensor errors = heads.errors(sigma);
    const at::Tensor size = errors.square().sum({1, 2});
    if (!best.defined()) {
      best = errors;
      smallest = size;
      continue;
    }
    const at::Tensor better = size.lt(smallest);
    best = at::where(better.view({-1, 1, 1}), errors, best);
    smallest = at::where(better, size, smallest);
  }
  return heads.predicted(best);
}

}  // namespace emgnn
