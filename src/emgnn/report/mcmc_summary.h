// SPDX-License-Identifier: Apache-2.0
// How far a sampled posterior can be trusted, in five figures.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include <emgnn/em/mcmc.h>
#include <emgnn/space/parameter_space.h>

namespace emgnn {

// The thresholds of Vehtari et al., "Rank-normalization, folding, and localization" (2021).
inline constexpr double kConvergedRhat = 1.01;
inline constexpr double kConvergedEss = 400.0;

struct McmcSummary {
  double rhat = 1.0;        // split R-hat, the largest over the coordinates of λ and |λ|²
  double ess = 0.0;         // effective sample size, the smallest over the same
  double acceptance = 0.0;  // share of proposals accepted
  int64_t evaluated = 0;    // distinct points whose loss was computed

  bool converged() const { return rhat < kConvergedRhat && ess > kConvergedEss; }
};

McmcSummary summarise(const ParameterSpace& space, const McmcResult& mcmc);

// The worse of both, figure by figure; a figure that is not known is the worst.
McmcSummary worse(const McmcSummary& a, const McmcSummary& b);

// "R-hat 1.003, 2310 effective draws, acceptance 0.41: converged"
std::string in_words(const McmcSummary& summary);

nlohmann::ordered_json to_json(const McmcSummary& summary);
McmcSummary parse_mcmc_summary(const nlohmann::ordered_json& json);

}  // namespace emgnn
