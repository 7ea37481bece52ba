// SPDX-License-Identifier: Apache-2.0
// Distributions over the points of Λ̂, in log space.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include <emgnn/base/rng.h>

namespace emgnn {

class Posterior {
 public:
  Posterior() = default;

  // p(λ) ∝ exp(−η L(λ)) p'_0(λ) over `lam_ids` (ascending). `log_prior` is empty for the uniform
  // prior. Stable for any finite η L; UsageError if a loss is not finite.
  static Posterior gibbs(std::vector<int64_t> lam_ids, std::span<const double> losses,
                         std::span<const double> log_prior, double eta);
  static Posterior uniform(std::vector<int64_t> lam_ids);
  // Relative frequencies of recorded states.
  static Posterior from_counts(const std::map<int64_t, int64_t>& count);
  static Posterior from_log_prob(std::vector<int64_t> lam_ids, std::vector<double> log_prob);

  const std::vector<int64_t>& lam_ids() const { return lam_ids_; }    // the support, ascending
  const std::vector<double>& log_probs() const { return log_prob_; }  // beside lam_ids
  double log_prob(int64_t lam_id) const;                              // −inf off the support
  double prob(int64_t lam_id) const;
  int64_t draw(Rng& rng) const;

  // The points with probability of at least `threshold`, renormalised; the mode alone if there is
  // none.
  Posterior restricted(double threshold) const;

  // At most `count` points that stand for the distribution: the points at the (k + offset)/count
  // quantiles, in the order of their ids. The distribution itself if it has no more points. With an
  // offset drawn from [0, 1) all expectations are right on average.
  Posterior thinned(int64_t count, double offset = 0.5) const;

 private:
  Posterior(std::vector<int64_t> lam_ids, std::vector<double> log_prob);

  std::vector<int64_t> lam_ids_;
  std::vector<double> log_prob_;
  std::vector<double> cumulative_;
};

// ϱ = [Var(e^{−ηL}) / (2 E[e^{−ηL}]²)] / (−η E[L]) with moments over equally likely points: how
// well log C(θ) is approximated by −η E[L]. Near 0 is good.
double normalizer_ratio(std::span<const double> losses, double eta);

}  // namespace emgnn
