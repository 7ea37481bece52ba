// SPDX-License-Identifier: Apache-2.0
#include <emgnn/em/state.h>

#include <fmt/format.h>

#include <algorithm>

namespace emgnn {

namespace {

void visit_known(StateVisitor& visitor, const std::string& name, McmcSummary& summary) {
  visitor.number(name + "/acceptance", summary.acceptance);
  visitor.number(name + "/evaluated", summary.evaluated);
  if (!visitor.has(name + "/fit", summary.fitted())) return;
  visitor.number(name + "/fit_error", summary.fit_error);
  visitor.number(name + "/corrected", summary.corrected);
}

// Of every chain, one after the other.
template <class Number>
void visit_chains(StateVisitor& visitor, const std::string& name,
                  const std::vector<int64_t>& lengths, std::vector<std::vector<Number>>& chains) {
  std::vector<Number> all;
  for (const auto& chain : chains) all.insert(all.end(), chain.begin(), chain.end());
  visitor.numbers(name, all);
  if (!visitor.reading()) return;
  chains.clear();
  auto at = all.begin();
  for (int64_t length : lengths) {
    if (length < 0 || length > all.end() - at) visitor.fail(name + " is of other chains");
    chains.emplace_back(at, at + length);
    at += length;
  }
}

// A stored model goes without the draws.
void visit_sampled(StateVisitor& visitor, const std::string& name,
                   std::shared_ptr<const SampledDraws>& sampled) {
  if (!visitor.training()) return;
  if (!visitor.has(name, sampled != nullptr)) return sampled.reset();
  SampledDraws out = sampled ? *sampled : SampledDraws{};
  visit_known(visitor, name, out.known);
  std::vector<int64_t> lengths;
  for (const auto& chain : out.draws.lam_ids) lengths.push_back(static_cast<int64_t>(chain.size()));
  visitor.numbers(name + "/lengths", lengths);
  visit_chains(visitor, name + "/lam_ids", lengths, out.draws.lam_ids);
  visit_chains(visitor, name + "/log_density", lengths, out.draws.log_density);
  visit_chains(visitor, name + "/accept", lengths, out.draws.accept);
  if (visitor.reading()) sampled = std::make_shared<const SampledDraws>(std::move(out));
}

}  // namespace

void visit_posterior(StateVisitor& visitor, const std::string& name,
                     std::optional<GraphPosterior>& posterior, bool tempered) {
  if (!visitor.has(name, posterior.has_value())) {
    posterior.reset();
    return;
  }
  std::vector<int64_t> lam_ids;
  std::vector<double> log_probs, temperature;
  if (posterior) {
    lam_ids = posterior->p.lam_ids();
    log_probs = posterior->p.log_probs();
    temperature = posterior->temperature;
  }
  visitor.numbers(name + "/lam_ids", lam_ids);
  visitor.numbers(name + "/log_probs", log_probs);
  if (tempered) visitor.numbers(name + "/temperature", temperature);
  std::shared_ptr<const SampledDraws> sampled = posterior ? posterior->sampled : nullptr;
  visit_sampled(visitor, name + "/sampled", sampled);
  if (!visitor.reading()) return;
  if (lam_ids.empty() || lam_ids.size() != log_probs.size() ||
      !std::is_sorted(lam_ids.begin(), lam_ids.end()) ||
      (tempered && temperature.size() != lam_ids.size()))
    visitor.fail(name + " is no distribution over graphs");
  posterior = {Posterior::from_log_prob(std::move(lam_ids), std::move(log_probs)),
               std::move(temperature), std::move(sampled)};
}

void visit_rounds(StateVisitor& visitor, std::vector<RoundRecord>& rounds) {
  auto count = static_cast<int64_t>(rounds.size());
  visitor.number("rounds", count);
  if (visitor.reading()) rounds.clear();
  for (int64_t i = 0; i < count; ++i) {
    if (visitor.reading()) rounds.emplace_back();
    RoundRecord& r = rounds[static_cast<size_t>(i)];
    const std::string name = fmt::format("round/{}", i);
    r.round = i + 1;
    visitor.number(name + "/eta", r.eta);
    visitor.number(name + "/normalizer_ratio", r.normalizer_ratio);
    visitor.number(name + "/mean_loss", r.mean_loss);
    visitor.numbers(name + "/mean_lambda", r.mean_lambda);
    if (!visitor.has(name + "/mcmc", r.mcmc.has_value())) continue;
    if (!r.mcmc) r.mcmc.emplace();
    visitor.number(name + "/rhat", r.mcmc->rhat);
    visitor.number(name + "/ess", r.mcmc->ess);
    visitor.number(name + "/ess_tail", r.mcmc->ess_tail);
    visitor.number(name + "/mcse", r.mcmc->mcse);
    visit_known(visitor, name, *r.mcmc);
  }
}

}  // namespace emgnn
