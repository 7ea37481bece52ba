// SPDX-License-Identifier: Apache-2.0
#include <emgnn/em/state.h>

#include <fmt/format.h>

#include <algorithm>

namespace emgnn {

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
  if (!visitor.reading()) return;
  if (lam_ids.empty() || lam_ids.size() != log_probs.size() ||
      !std::is_sorted(lam_ids.begin(), lam_ids.end()) ||
      (tempered && temperature.size() != lam_ids.size()))
    visitor.fail(name + " is no distribution over graphs");
  posterior = {Posterior::from_log_prob(std::move(lam_ids), std::move(log_probs)),
               std::move(temperature)};
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
    visitor.number(name + "/acceptance", r.mcmc->acceptance);
    visitor.number(name + "/evaluated", r.mcmc->evaluated);
    if (!visitor.has(name + "/fit", r.mcmc->fitted())) continue;
    visitor.number(name + "/fit_error", r.mcmc->fit_error);
    visitor.number(name + "/corrected", r.mcmc->corrected);
  }
}

}  // namespace emgnn
