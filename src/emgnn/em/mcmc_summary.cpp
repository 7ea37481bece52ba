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
std::vector<Chains> scalars(const ParameterSpace& space, const McmcResult& mcmc) {
  const size_t coordinates = space.coordinate_names().size();
  std::vector<Chains> out(coordinates + 1, Chains(mcmc.chains.size()));
  for (size_t chain = 0; chain < mcmc.chains.size(); ++chain) {
    for (int64_t id : mcmc.chains[chain]) {
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

}  // namespace

McmcSummary summarise(const ParameterSpace& space, const McmcResult& mcmc) {
  const McmcSummary known{.acceptance = mcmc.acceptance, .evaluated = mcmc.evaluated};
  std::vector<McmcSummary> each;
  for (const Chains& chains : scalars(space, mcmc)) {
    const ChainDiagnostics one = diagnose(chains);
    each.push_back({one.rhat, one.ess, known.acceptance, known.evaluated});
  }
  McmcSummary out = each.front();
  for (const McmcSummary& one : each) out = worse(out, one);
  return out;
}

McmcSummary worse(const McmcSummary& a, const McmcSummary& b) {
  return {.rhat = std::isnan(b.rhat) ? b.rhat : std::max(a.rhat, b.rhat),
          .ess = std::isnan(b.ess) ? b.ess : std::min(a.ess, b.ess),
          .acceptance = std::min(a.acceptance, b.acceptance),
          .evaluated = std::min(a.evaluated, b.evaluated),
          .fit_error = std::max(a.fit_error, b.fit_error),
          .corrected = std::min(a.corrected, b.corrected)};
}

std::string in_words(const McmcSummary& summary) {
  const std::string fit =
      summary.fitted()
          ? fmt::format(
                ", from {} graphs (log-posterior off by {:.2g} where held out, {:.0f} % of "
                "the draws effective after correction)",
                summary.evaluated, summary.fit_error, 100.0 * summary.corrected)
          : "";
  return fmt::format("R-hat {:.3f}, {:.0f} effective draws, acceptance {:.2f}{}: {}", summary.rhat,
                     summary.ess, summary.acceptance, fit,
                     summary.converged() ? "converged" : "not converged");
}

}  // namespace emgnn
