// SPDX-License-Identifier: Apache-2.0
// Metropolis–Hastings over Λ̂, for spaces too large to enumerate (and for comparison with the exact
// posterior).
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <unordered_map>
#include <vector>

#include <emgnn/em/options.h>
#include <emgnn/em/posterior.h>
#include <emgnn/space/parameter_space.h>

namespace emgnn {

// The losses of some points; called only with points it has not been asked for before.
using LossFunction = std::function<std::vector<double>(std::span<const int64_t>)>;

// Losses are computed when first needed, in batches, and kept.
class LossCache {
 public:
  explicit LossCache(LossFunction losses) : losses_(std::move(losses)) {}
  void fetch(std::span<const int64_t> lam_ids);
  double at(int64_t lam_id) const { return known_.at(lam_id); }  // after fetch
  int64_t size() const { return static_cast<int64_t>(known_.size()); }

 private:
  LossFunction losses_;
  std::unordered_map<int64_t, double> known_;
};

// Recorded states, chain by chain.
struct ChainDraws {
  std::vector<std::vector<int64_t>> lam_ids;
  std::vector<std::vector<double>> log_density;  // −η L(λ)
  std::vector<std::vector<double>> accept;  // the probability of accepting the proposal before it
};

struct McmcResult {
  Posterior posterior;  // relative frequencies of the recorded states
  ChainDraws draws;
  double acceptance = 0.0;  // share of proposals accepted, burn-in included
  int64_t evaluated = 0;    // distinct points whose loss was computed
};

// How many proposals one chain makes. UsageError when the burn-in leaves none of them to record.
int64_t proposals_per_chain(const McmcOptions& options);

// Samples p(λ) ∝ exp(−η L(λ)) with a uniform prior. Chains start at independent uniform points; a
// rejected proposal records the current state again (mcmc.record=all).
McmcResult metropolis_hastings(const ParameterSpace& space, LossCache& losses, double eta,
                               const McmcOptions& options, uint64_t seed, uint64_t round);

}  // namespace emgnn
