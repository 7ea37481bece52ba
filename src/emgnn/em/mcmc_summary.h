// SPDX-License-Identifier: Apache-2.0
// How far a sampled posterior can be trusted, in a few numbers.
#pragma once

#include <string>

#include <emgnn/em/mcmc.h>
#include <emgnn/learn/record.h>
#include <emgnn/space/parameter_space.h>

namespace emgnn {

// `known` has what draws do not say: acceptance, points evaluated and how well a fit of the loss did.
SampledPosterior describe_draws(const ParameterSpace& space, const ChainDraws& draws,
                                const McmcSummary& known);
McmcSummary summarise(const ParameterSpace& space, const McmcResult& mcmc);

// The worse of both, number by number; one that is not known is the worst.
McmcSummary worse(const McmcSummary& a, const McmcSummary& b);

// "R-hat 1.003, 2310 effective draws (tails 1870), acceptance 0.41: converged"
std::string in_words(const McmcSummary& summary);

// What a user should be told of a posterior that has not converged, and what to do; empty: it has.
std::string warning(const McmcSummary& summary);

}  // namespace emgnn
