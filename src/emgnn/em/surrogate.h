// SPDX-License-Identifier: Apache-2.0
// A smooth fit of the loss over Λ̂, for spaces of which only some points can be judged: kernel ridge
// regression with an exact leave-one-out error.
#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include <emgnn/em/mcmc.h>
#include <emgnn/em/posterior.h>
#include <emgnn/learn/record.h>
#include <emgnn/space/parameter_space.h>

namespace emgnn {

// L̂(λ) = mean + Σ_k a_k K(λ, λ_k), a = (K + σ I)⁻¹ (L − mean). Kernel (a quadratic one, or Gaussians
// of several widths) and σ are those with the smallest error at points left out of the fit.
class Surrogate {
 public:
  // At least two points, each once.
  Surrogate(const ParameterSpace& space, std::span<const int64_t> lam_ids,
            std::span<const double> losses);

  double at(const LambdaPoint& point) const;
  // The root mean square of L(λ_k) − L̂(λ_k) with L̂ fitted without λ_k.
  double held_out_error() const { return held_out_error_; }

 private:
  struct Kernel {
    double width = 0.0;  // of a Gaussian, in deviations of the coordinates; 0: (1 + x·y / c)²
    double operator()(const double* x, const double* y, size_t coordinates) const;
  };

  std::vector<double> scaled(const LambdaPoint& point) const;
  void fit(const Kernel& kernel, double penalty, std::span<const double> target);

  size_t coordinates_;
  std::vector<double> centre_, scale_;  // [coordinates]
  std::vector<double> points_;          // [points, coordinates], scaled
  Kernel kernel_;
  std::vector<double> weight_;  // a
  double mean_ = 0.0, held_out_error_ = 0.0;
};

struct SurrogateSample {
  Posterior posterior;
  std::vector<double> prior_losses;  // of points drawn from the prior
  McmcSummary summary;
  ChainDraws draws;  // of what the fit says
};

// Samples p(λ) ∝ exp(−η L(λ)) with at most `points` losses:
//   1. half of them at points drawn from the prior; L̂ is fitted to them;
//   2. a quarter where Metropolis–Hastings on L̂ goes; L̂ is fitted to both;
//   3. Metropolis–Hastings on L̂, and the last quarter at points that stand for its draws. They are
//      the support of the result, with weights ∝ exp(−η (L − L̂)): p(λ) up to the error of so many
//      draws, whatever the error of L̂.
SurrogateSample sample_by_surrogate(const ParameterSpace& space, LossCache& losses, double eta,
                                    const McmcOptions& options, int64_t points, uint64_t seed,
                                    uint64_t round);

}  // namespace emgnn
