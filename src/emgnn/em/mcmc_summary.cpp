// SPDX-License-Identifier: Apache-2.0
#include <emgnn/em/mcmc_summary.h>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include <emgnn/em/chain_diagnostics.h>

namespace emgnn {

namespace {

using Chains = std::vector<std::vector<double>>;

// The coordinates of λ, then |λ|²: it needs no loss, and tells chains apart that agree on the
// means.
std::vector<Chains> scalars(const ParameterSpace& space, const ChainDraws& draws) {
  const size_t coordinates = space.coordinate_names().size();
  const size_t num_chains = draws.lam_ids.size();
  std::vector<Chains> out(coordinates + 1, Chains(num_chains));
  for (size_t chain = 0; chain < num_chains; ++chain) {
    for (int64_t id : draws.lam_ids[chain]) {
      const LambdaPoint point = space.point(id);
      double squares = 0.0;
      for (size_t c = 0; c < coordinates; ++c) {
        out[c][chain].push_back(point[c]);
        squares += point[c] * point[c];
      }
      out[coordinates][chain].push_back(squares);
    }
  }
  return out;
}

double worst_low(double a, double b) { return std::isnan(b) ? b : std::min(a, b); }
double worst_high(double a, double b) { return std::isnan(b) ? b : std::max(a, b); }

}  // namespace

SampledPosterior describe_draws(const ParameterSpace& space, const ChainDraws& draws,
                                const McmcSummary& known) {
  const std::vector<std::string> names = space.coordinate_names();
  const std::vector<Chains> all = scalars(space, draws);
  SampledPosterior out;
  for (size_t k = 0; k < all.size(); ++k) {
    const ChainDiagnostics d = diagnose(all[k]);
    McmcSummary one = known;
    one.rhat = d.rhat;
    one.ess = d.ess_bulk;
    one.ess_tail = d.ess_tail;
    one.mcse = k < names.size() ? d.mcse_mean : 0.0;
    out.worst = k == 0 ? one : worse(out.worst, one);
    if (k == names.size()) continue;
    out.coordinates.push_back({.name = names[k],
                               .mean = d.mean,
                               .sd = d.sd,
                               .mcse = d.mcse_mean,
                               .rhat = d.rhat,
                               .ess = d.ess_bulk,
                               .ess_tail = d.ess_tail});
  }
  return out;
}

McmcSummary summarise(const ParameterSpace& space, const McmcResult& mcmc) {
  const McmcSummary known{.acceptance = mcmc.acceptance, .evaluated = mcmc.evaluated};
  return describe_draws(space, mcmc.draws, known).worst;
}

McmcSummary worse(const McmcSummary& a, const McmcSummary& b) {
  return {.rhat = worst_high(a.rhat, b.rhat),
          .ess = worst_low(a.ess, b.ess),
          .acceptance = std::min(a.acceptance, b.acceptance),
          .evaluated = std::min(a.evaluated, b.evaluated),
          .fit_error = std::max(a.fit_error, b.fit_error),
          .corrected = std::min(a.corrected, b.corrected),
          .ess_tail = worst_low(a.ess_tail, b.ess_tail),
          .mcse = worst_high(a.mcse, b.mcse)};
}

std::string in_words(const McmcSummary& summary) {
  const std::string fit =
      summary.fitted()
          ? fmt::format(
                ", from {} graphs (log-posterior off by {:.2g} where held out, {:.0f} % of "
                "the draws effective after correction)",
                summary.evaluated, summary.fit_error, 100.0 * summary.corrected)
          : "";
  return fmt::format("R-hat {:.3f}, {:.0f} effective draws (tails {:.0f}), acceptance {:.2f}{}: {}",
                     summary.rhat, summary.ess, summary.ess_tail, summary.acceptance, fit,
                     summary.converged() ? "converged" : "not converged");
}

std::string warning(const McmcSummary& summary) {
  if (summary.converged()) return "";
  if (std::isnan(summary.rhat))
    return "the sampled distribution over graphs has too few draws to judge it; raise mcmc.steps";
  if (summary.rhat < kConvergedRhat && summary.ess > kConvergedEss &&
      summary.ess_tail > kConvergedEss)
    return fmt::format(
        "the fit of the loss says little of where the distribution over graphs is: {:.0f} % of the "
        "draws are effective, {:.0f} are wanted; raise em.judging or use em.posterior=mcmc",
        100.0 * summary.corrected, 100.0 * kConvergedCorrection);
  return fmt::format(
      "the sampled distribution over graphs has not converged: R-hat {:.3f} (wanted: below {}), "
      "{:.0f} "
      "effective draws in the bulk and {:.0f} in the tails (wanted: above {:.0f}); raise "
      "mcmc.steps",
      summary.rhat, kConvergedRhat, summary.ess, summary.ess_tail, kConvergedEss);
}

}  // namespace emgnn
