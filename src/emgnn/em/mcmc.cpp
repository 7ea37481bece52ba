// SPDX-License-Identifier: Apache-2.0
#include <emgnn/em/mcmc.h>

#include <algorithm>
#include <cmath>

#include <emgnn/base/error.h>
#include <emgnn/learn/diverged.h>

namespace emgnn {

namespace {

// Independent proposals do not depend on the chain's state: this many are drawn, and their losses
// computed, at once.
constexpr int64_t kProposalsAhead = 64;

struct Chain {
  Rng rng;
  int64_t state;
  std::vector<int64_t> ahead;  // drawn proposals, last first
  std::vector<int64_t> record;
  std::vector<double> log_density, accept;
};

int64_t draw_uniform(const ParameterSpace& space, Rng& rng) {
  return static_cast<int64_t>(rng.below(static_cast<uint64_t>(space.size())));
}

// Draws the next proposals of every chain and computes their losses together.
void propose(const ParameterSpace& space, ProposalKind kind, LossCache& losses,
             std::vector<Chain>& chains) {
  std::vector<int64_t> wanted;
  for (Chain& chain : chains) {
    if (!chain.ahead.empty()) continue;
    if (kind == ProposalKind::kLocal) {
      chain.ahead.push_back(space.propose_local(chain.state, chain.rng));
    } else {
      for (int64_t k = 0; k < kProposalsAhead; ++k)
        chain.ahead.push_back(draw_uniform(space, chain.rng));
    }
    wanted.insert(wanted.end(), chain.ahead.begin(), chain.ahead.end());
  }
  if (!wanted.empty()) losses.fetch(wanted);
}

struct Transition {
  bool moved = false;
  double accept = 0.0;  // the probability of it
};

Transition step(Chain& chain, const LossCache& losses, double eta) {
  const int64_t proposal = chain.ahead.back();
  chain.ahead.pop_back();
  // Accept with probability min(1, exp(−η (L_new − L_old))).
  const double log_ratio = -eta * (losses.at(proposal) - losses.at(chain.state));
  const double accept = std::exp(std::min(0.0, log_ratio));
  if (std::log(1.0 - chain.rng.uniform()) >= log_ratio) return {false, accept};
  chain.state = proposal;
  return {true, accept};
}

}  // namespace

void LossCache::fetch(std::span<const int64_t> lam_ids) {
  std::vector<int64_t> missing;
  for (int64_t id : lam_ids) {
    if (!known_.contains(id)) missing.push_back(id);
  }
  std::sort(missing.begin(), missing.end());
  missing.erase(std::unique(missing.begin(), missing.end()), missing.end());
  if (missing.empty()) return;
  const std::vector<double> values = losses_(missing);
  for (size_t i = 0; i < missing.size(); ++i) {
    check_has_not_diverged(values[i]);
    known_.emplace(missing[i], values[i]);
  }
}

int64_t proposals_per_chain(const McmcOptions& options) {
  const int64_t per_chain = std::max<int64_t>(1, options.steps / options.chains);
  EMGNN_CHECK(options.burn_in < per_chain,
              fmt::format("mcmc.burn_in must be below mcmc.steps / mcmc.chains = {}", per_chain),
              options.burn_in);
  return per_chain;
}

McmcResult metropolis_hastings(const ParameterSpace& space, LossCache& losses, double eta,
                               const McmcOptions& options, uint64_t seed, uint64_t round) {
  const int64_t per_chain = proposals_per_chain(options);
  std::vector<Chain> chains;
  std::vector<int64_t> start;
  for (int64_t c = 0; c < options.chains; ++c) {
    Rng rng(seed, Stream::kMcmc, round, static_cast<uint32_t>(c));
    start.push_back(draw_uniform(space, rng));
    chains.push_back({rng, start.back(), {}, {}, {}, {}});
  }
  losses.fetch(start);

  int64_t accepted = 0;
  for (int64_t i = 0; i < per_chain; ++i) {
    propose(space, options.proposal, losses, chains);
    for (Chain& chain : chains) {
      const Transition made = step(chain, losses, eta);
      accepted += made.moved ? 1 : 0;
      if (i < options.burn_in || !(made.moved || options.record == RecordedStates::kAll)) continue;
      chain.record.push_back(chain.state);
      chain.log_density.push_back(-eta * losses.at(chain.state));
      chain.accept.push_back(made.accept);
    }
  }

  McmcResult result;
  std::map<int64_t, int64_t> count;
  for (Chain& chain : chains) {
    for (int64_t state : chain.record) ++count[state];
    result.draws.lam_ids.push_back(std::move(chain.record));
    result.draws.log_density.push_back(std::move(chain.log_density));
    result.draws.accept.push_back(std::move(chain.accept));
  }
  // With mcmc.record=accepted and no acceptance at all, the current states are all there is.
  if (count.empty()) {
    for (const Chain& chain : chains) ++count[chain.state];
  }
  result.posterior = Posterior::from_counts(count);
  result.acceptance =
      static_cast<double>(accepted) / static_cast<double>(per_chain * options.chains);
  result.evaluated = losses.size();
  return result;
}

}  // namespace emgnn
