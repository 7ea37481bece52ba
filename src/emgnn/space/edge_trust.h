// SPDX-License-Identifier: Apache-2.0
// A view whose edges are trusted more or less: the weight of an edge is
//   σ(trust + confidence + similarity · score + agreement · (2 p_iᵀp_j − 1)),
// with a confidence and a score of the edge and the current class probabilities p of its ends.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include <emgnn/data/dataset.h>
#include <emgnn/space/options.h>

namespace emgnn {

// The part of λ that says how edges are trusted, on a grid of three values each.
struct TrustPoint {
  static constexpr int kValues = 3, kAxes = 3;
  static constexpr int kCount = kValues * kValues * kValues;
  static constexpr std::array<const char*, kAxes> kNames = {"trust", "similarity", "agreement"};
  static constexpr std::array<std::array<double, kValues>, kAxes> kGrid = {
      {{5.0, 2.0, 0.0}, {0.0, 1.0, 2.0}, {0.0, 2.0, 4.0}}};

  std::array<int, kAxes> place = {};  // {0, 0, 0}: every edge as good as certain

  static TrustPoint of(int id);
  int id() const;
  double value(int axis) const;
};

class EdgeTrust {
 public:
  // Per entry of the view; `confidence` is empty or a log-odds.
  EdgeTrust(Csr adjacency, std::vector<float> score, std::vector<float> confidence);

  const Csr& adjacency() const { return adjacency_; }
  std::span<const float> score() const { return score_; }

  // 2 p_iᵀp_j − 1 of every entry; prob [nodes, classes].
  std::vector<float> agreement(std::span<const double> prob, int64_t classes) const;

  // p(edge is real) of every entry; without `agreement` that is 0.
  std::vector<float> probability(const TrustPoint& point, std::span<const float> agreement) const;

  // D⁻¹ (A + I), or D^-1/2 (A + I) D^-1/2, of A = probability × adjacency: the entries, then the
  // diagonal. A node whose edges are all in doubt looks at itself.
  std::vector<float> normalised(const TrustPoint& point, std::span<const float> agreement,
                                Normalisation normalisation) const;

 private:
  Csr adjacency_;
  std::vector<float> score_, confidence_;
};

// A view, distrusted. With space.confidence=weight its weights are the user's probabilities that an
// edge is real. DataError when they are none.
std::shared_ptr<const EdgeTrust> distrust(const Dataset& data, const Csr& graph, Csr view,
                                          Confidence confidence);

// The views of a family under what a network said of all nodes, if anything; null: a view that is
// taken as it is.
class TrustedWeights {
 public:
  TrustedWeights(std::vector<std::shared_ptr<const EdgeTrust>> views, Normalisation normalisation,
                 std::span<const double> prob, int64_t classes);

  // EdgeTrust::normalised, made when first asked for.
  const std::vector<float>& normalised(size_t view, int trust) const;
  std::vector<float> probability(size_t view, int trust) const;

 private:
  std::vector<std::shared_ptr<const EdgeTrust>> views_;
  Normalisation normalisation_;
  std::vector<std::vector<float>> agreement_;  // [views][entries], or empty: 0
  mutable std::mutex mutex_;
  mutable std::vector<std::unique_ptr<const std::vector<float>>> made_;  // [views * kCount]
};

}  // namespace emgnn
