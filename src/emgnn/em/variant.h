// SPDX-License-Identifier: Apache-2.0
// What the four variants differ in: the prior p_0 of the M-step's weight and the distribution it
// draws λ from.
#pragma once

#include <cstdint>

#include <emgnn/em/options.h>
#include <emgnn/em/posterior.h>

namespace emgnn {

// p_0 of one point of Λ̂: uniform for PT and PO, 0 (all mass outside Λ̂) for PD and PH.
double base_prior(Variant variant, int64_t num_points);

// Draws λ from p_t (PT, PD) or uniformly from all of Λ̂ (PO, PH); a share em.explore of the draws is
// uniform in any case. Where the posterior has num_points points, Λ̂ is these.
int64_t draw_lambda(const EmOptions& em, const Posterior& posterior, int64_t num_points, Rng& rng);

// The probability q(λ) of that draw.
double draw_probability(const EmOptions& em, const Posterior& posterior, int64_t num_points,
                        int64_t lam_id);

// The signed weight of a drawn λ in the M-step's loss:
//   importance  (p_t − p_0) / q
//   contrast    (p_t − α p_0) / q
//   sign        +1 if p_t ≥ p_0, else −α; times p_t / q where p_0 = 0, so that PH still follows p_t
//   one         1
double mstep_weight(const EmOptions& em, const Posterior& posterior, int64_t num_points,
                    int64_t lam_id);

}  // namespace emgnn
