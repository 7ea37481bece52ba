// SPDX-License-Identifier: Apache-2.0
// Graphs that lack some of the observed edges and have some of the candidates: λ = (λ₁, λ₂) on a
// grid, S_λ = D_λ⁻¹ (A_λ + I).
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include <emgnn/data/dataset.h>
#include <emgnn/space/candidate_edges.h>
#include <emgnn/space/family.h>
#include <emgnn/space/rewire_draws.h>

namespace emgnn {

class RewireSpace;

class RewireFamily : public GraphFamily {
 public:
  // G_λ is drawn once per λ from the seed; λ = (0, 0) is the graph as given. `candidates` are those
  // of find_candidates.
  static std::shared_ptr<RewireFamily> make(std::shared_ptr<const Dataset> data,
                                            std::span<const CandidateEdge> candidates,
                                            const RewireOptions& options, uint64_t seed);

  const RewireDraws& draws() const;

  std::string name() const override { return "rewire"; }
  int64_t size() const override;
  LambdaPoint point(int64_t lam_id) const override;
  std::vector<std::string> coordinate_names() const override;  // drop, add; draw if several
  Marginal prior_marginal(size_t coordinate) const override;
  int64_t propose_local(int64_t lam_id, Rng& rng) const override;
  std::shared_ptr<const FamilyView> view(std::span<const int32_t> rows,
                                         const NetworkNeeds& needs) const override;

  // edges.csv: source, target, kind (observed or candidate), cosine (of a candidate), p, the
  // probability under `p` that the graph has the edge, and p_rate, the same over all draws of the
  // graphs that could have been made.
  FamilyReport report(const GraphWeights& p, const SeveralBeliefs& beliefs,
                      const RowName& name) const override;

 private:
  RewireFamily(std::shared_ptr<const Dataset> data, const RewireGraph& graph,
               const RewireOptions& options, uint64_t seed);

  std::shared_ptr<const Dataset> data_;
  std::shared_ptr<const RewireSpace> space_;
  std::vector<float> cosine_;  // [candidates]
};

}  // namespace emgnn
