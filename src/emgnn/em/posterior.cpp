// SPDX-License-Identifier: Apache-2.0
#include <emgnn/em/posterior.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include <emgnn/base/error.h>
#include <emgnn/learn/diverged.h>

namespace emgnn {

namespace {

// log Σ exp(x_i)
double log_sum_exp(std::span<const double> x) {
  const double top = *std::max_element(x.begin(), x.end());
  if (std::isinf(top)) return top;
  double sum = 0.0;
  for (double v : x) sum += std::exp(v - top);
  return top + std::log(sum);
}

}  // namespace

Posterior::Posterior(std::vector<int64_t> lam_ids, std::vector<double> log_prob)
    : lam_ids_(std::move(lam_ids)), log_prob_(std::move(log_prob)) {
  EMGNN_DCHECK(!lam_ids_.empty() && lam_ids_.size() == log_prob_.size());
  EMGNN_DCHECK(std::is_sorted(lam_ids_.begin(), lam_ids_.end()));
  cumulative_.reserve(log_prob_.size());
  double sum = 0.0;
  for (double lp : log_prob_) cumulative_.push_back(sum += std::exp(lp));
}

Posterior Posterior::gibbs(std::vector<int64_t> lam_ids, std::span<const double> losses,
                           std::span<const double> log_prior, double eta) {
  EMGNN_DCHECK(lam_ids.size() == losses.size());
  EMGNN_DCHECK(log_prior.empty() || log_prior.size() == losses.size());
  std::vector<double> log_prob(losses.size());
  for (size_t i = 0; i < losses.size(); ++i) {
    check_has_not_diverged(losses[i]);
    log_prob[i] = -eta * losses[i] + (log_prior.empty() ? 0.0 : log_prior[i]);
  }
  const double log_normaliser = log_sum_exp(log_prob);
  for (double& lp : log_prob) lp -= log_normaliser;
  return {std::move(lam_ids), std::move(log_prob)};
}

Posterior Posterior::uniform(std::vector<int64_t> lam_ids) {
  std::vector<double> log_prob(lam_ids.size(), -std::log(static_cast<double>(lam_ids.size())));
  return {std::move(lam_ids), std::move(log_prob)};
}

Posterior Posterior::from_counts(const std::map<int64_t, int64_t>& count) {
  double total = 0.0;
  for (const auto& [id, n] : count) total += static_cast<double>(n);
  std::vector<int64_t> lam_ids;
  std::vector<double> log_prob;
  for (const auto& [id, n] : count) {
    lam_ids.push_back(id);
    log_prob.push_back(std::log(static_cast<double>(n) / total));
  }
  return {std::move(lam_ids), std::move(log_prob)};
}

Posterior Posterior::from_log_prob(std::vector<int64_t> lam_ids, std::vector<double> log_prob) {
  return {std::move(lam_ids), std::move(log_prob)};
}

double Posterior::log_prob(int64_t lam_id) const {
  const auto found = std::lower_bound(lam_ids_.begin(), lam_ids_.end(), lam_id);
  if (found == lam_ids_.end() || *found != lam_id) return -std::numeric_limits<double>::infinity();
  return log_prob_[static_cast<size_t>(found - lam_ids_.begin())];
}

double Posterior::prob(int64_t lam_id) const { return std::exp(log_prob(lam_id)); }

int64_t Posterior::draw(Rng& rng) const {
  const double u = rng.uniform() * cumulative_.back();
  const auto found = std::upper_bound(cumulative_.begin(), cumulative_.end(), u);
  const auto i =
      std::min<size_t>(static_cast<size_t>(found - cumulative_.begin()), lam_ids_.size() - 1);
  return lam_ids_[i];
}

Posterior Posterior::restricted(double threshold) const {
  std::vector<int64_t> ids;
  std::vector<double> log_prob;
  for (size_t i = 0; i < lam_ids_.size(); ++i) {
    // A rounding error below the threshold still counts: the uniform distribution keeps all of its
    // points.
    if (std::exp(log_prob_[i]) < threshold * (1.0 - 1e-9)) continue;
    ids.push_back(lam_ids_[i]);
    log_prob.push_back(log_prob_[i]);
  }
  if (ids.empty()) {
    const auto mode = std::max_element(log_prob_.begin(), log_prob_.end()) - log_prob_.begin();
    return {{lam_ids_[static_cast<size_t>(mode)]}, {0.0}};
  }
  const double log_normaliser = log_sum_exp(log_prob);
  for (double& lp : log_prob) lp -= log_normaliser;
  return {std::move(ids), std::move(log_prob)};
}

Posterior Posterior::thinned(int64_t count, double offset) const {
  if (static_cast<int64_t>(lam_ids_.size()) <= count) return *this;
  std::map<int64_t, int64_t> hits;
  size_t i = 0;
  for (int64_t k = 0; k < count; ++k) {
    const double quantile =
        (static_cast<double>(k) + offset) / static_cast<double>(count) * cumulative_.back();
    while (i + 1 < cumulative_.size() && cumulative_[i] <= quantile) ++i;
    ++hits[lam_ids_[i]];
  }
  return from_counts(hits);
}

double normalizer_ratio(std::span<const double> losses, double eta) {
  const auto n = static_cast<double>(losses.size());
  std::vector<double> once, twice;
  double mean_loss = 0.0;
  for (double loss : losses) {
    once.push_back(-eta * loss);
    twice.push_back(-2.0 * eta * loss);
    mean_loss += loss / n;
  }
  if (eta == 0.0 || mean_loss == 0.0) return 0.0;
  // Var/E² = E[e^{−2ηL}] / E[e^{−ηL}]² − 1
  const double ratio = std::exp(log_sum_exp(twice) - 2.0 * log_sum_exp(once) + std::log(n)) - 1.0;
  return std::max(0.0, ratio) / 2.0 / (-eta * mean_loss);
}

}  // namespace emgnn
