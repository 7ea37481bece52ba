// SPDX-License-Identifier: Apache-2.0
#include <emgnn/em/variant.h>

#include <emgnn/base/error.h>

namespace emgnn {

namespace {
bool draws_from_posterior(Variant variant) {
  return variant == Variant::kPt || variant == Variant::kPd;
}
}  // namespace

double base_prior(Variant variant, int64_t num_points) {
  const bool uniform = variant == Variant::kPt || variant == Variant::kPo;
  return uniform ? 1.0 / static_cast<double>(num_points) : 0.0;
}

int64_t draw_lambda(const EmOptions& em, const Posterior& posterior, int64_t num_points, Rng& rng) {
  const bool explores = em.explore > 0.0 && rng.uniform() < em.explore;
  if (draws_from_posterior(em.variant) && !explores) return posterior.draw(rng);
  const auto k = static_cast<int64_t>(rng.below(static_cast<uint64_t>(num_points)));
  const std::vector<int64_t>& ids = posterior.lam_ids();
  return static_cast<int64_t>(ids.size()) == num_points ? ids[static_cast<size_t>(k)] : k;
}

double draw_probability(const EmOptions& em, const Posterior& posterior, int64_t num_points,
                        int64_t lam_id) {
  const double uniform = 1.0 / static_cast<double>(num_points);
  if (!draws_from_posterior(em.variant)) return uniform;
  return em.explore * uniform + (1.0 - em.explore) * posterior.prob(lam_id);
}

double mstep_weight(const EmOptions& em, const Posterior& posterior, int64_t num_points,
                    int64_t lam_id) {
  const double p = posterior.prob(lam_id);
  const double p0 = base_prior(em.variant, num_points);
  const double q = draw_probability(em, posterior, num_points, lam_id);
  EMGNN_DCHECK(q > 0.0);
  switch (em.weight) {
    case WeightRule::kImportance:
      return (p - p0) / q;
    case WeightRule::kContrast:
      return (p - em.alpha * p0) / q;
    case WeightRule::kSign:
      if (p0 == 0.0) return p / q;
      return p >= p0 * (1.0 - 1e-9) ? 1.0 : -em.alpha;
    case WeightRule::kOne:
      return 1.0;
  }
  throw InternalError("unknown weight rule");
}

}  // namespace emgnn
