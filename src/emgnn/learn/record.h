// SPDX-License-Identifier: Apache-2.0
// What a training run tells about itself, in plain numbers.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <emgnn/learn/metrics.h>
#include <emgnn/space/parameter_space.h>

namespace emgnn {

// The thresholds of Vehtari et al., "Rank-normalization, folding, and localization" (2021).
inline constexpr double kConvergedRhat = 1.01;
inline constexpr double kConvergedEss = 400.0;
// Below this the fit of the loss says little of where the posterior is.
inline constexpr double kConvergedCorrection = 0.5;

// How far a sampled posterior can be trusted.
struct McmcSummary {
  double rhat = 1.0;  // rank-normalised split R-hat, the largest over the coordinates of λ and |λ|²
  double ess = 0.0;         // effective draws for the bulk, the smallest over the same
  double acceptance = 0.0;  // share of proposals accepted
  int64_t evaluated = 0;    // distinct points whose loss was computed
  // Where a fit of the loss was sampled: its error at points left out, times η (the error of the
  // log-posterior), and the share of the draws that are effective after the correction by exact
  // losses. Without a fit 0 and 1.
  double fit_error = 0.0;
  double corrected = 1.0;
  double ess_tail = 0.0;  // effective draws for the 5 % and 95 % quantiles, the smallest
  double mcse = 0.0;      // Monte Carlo standard error of a mean, the largest over the coordinates

  bool fitted() const { return fit_error != 0.0 || corrected != 1.0; }
  bool converged() const {
    return rhat < kConvergedRhat && ess > kConvergedEss && ess_tail > kConvergedEss &&
           corrected > kConvergedCorrection;
  }
};

// Of one coordinate of λ.
struct CoordinateDiagnostics {
  std::string name;
  double mean = 0.0, sd = 0.0;  // of all draws
  double mcse = 0.0, rhat = 1.0, ess = 0.0, ess_tail = 0.0;
};

// Of the posterior that predicts, where it was sampled.
struct SampledPosterior {
  McmcSummary worst;
  std::vector<CoordinateDiagnostics> coordinates;
};

// One E-step.
struct RoundRecord {
  int64_t round = 0;  // from 1
  double eta = 0.0;
  double normalizer_ratio = 0.0;    // ϱ_t
  double mean_loss = 0.0;           // E_{λ~p_t}[L(λ)]
  std::vector<double> mean_lambda;  // E_{λ~p_t}[λ]
  std::optional<McmcSummary> mcmc;  // none: the posterior was enumerated
  std::optional<int64_t> member;    // of an ensemble, from 0
};

// Of one part of the data.
struct PartScores {
  double loss = 0.0;
  Scores scores;
};

// One pass over the training data, with the validation that followed it, if one did.
struct EpochRecord {
  int64_t epoch = 0;       // from 1
  int64_t max_epochs = 0;  // if training is not stopped early
  int64_t round = 0;       // of EM; 0: none yet, or never
  double train_loss = 0.0;
  std::optional<PartScores> validation;
  std::optional<int64_t> member;  // of an ensemble, from 0; epochs are counted over all members
};

// A learned distribution over graphs.
struct GraphDistribution {
  std::string family;
  std::vector<std::string> names;  // of the coordinates of λ; none: its graphs have no λ
  size_t num_shares = 0;           // the first of them are shares of a whole
  std::vector<WeightedPoint> points;
  std::vector<Marginal> prior;  // of each coordinate
};

// Of at least one, all over the same family and equally likely: the mean of the probabilities of
// points, in their order.
GraphDistribution mixture_of(std::span<const GraphDistribution> distributions);

// Of a view in one graph.
struct ViewShare {
  std::string name;
  double value = 0.0;
};

// One graph of a distribution by itself: what training thinks of it, and how good the predictions
// under it alone are for some rows.
struct JudgedGraph {
  int64_t lam_id = 0;
  double loss = 0.0;
  double score = 0.0;  // the task's main score
};

// How a fit went.
struct FitSummary {
  int64_t epochs = 0;
  bool stopped_early = false;
  std::vector<RoundRecord> rounds;               // of EM
  std::vector<ViewShare> shares = {};            // of the one graph that was learned by gradient
  std::optional<SampledPosterior> sampled = {};  // none: nothing was, or it is not known
};

}  // namespace emgnn
