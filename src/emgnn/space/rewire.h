// SPDX-License-Identifier: Apache-2.0
// Graphs that lack some of the observed edges and have some of the candidates: λ = (λ₁, λ₂) on a
// grid, S_λ = D_λ⁻¹ (A_λ + I).
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <emgnn/space/family.h>
#include <emgnn/space/rewire_draws.h>

namespace emgnn {

class RewireSpace;

class RewireFamily : public GraphFamily {
 public:
  // G_λ is drawn once per λ from the seed; λ = (0, 0) is the graph as given.
  RewireFamily(const RewireGraph& graph, const SpaceOptions& options, uint64_t seed);

  const RewireDraws& draws() const;

  int64_t size() const override;
  LambdaPoint point(int64_t lam_id) const override;
  std::vector<std::string> coordinate_names() const override;  // drop, add; draw if several
  int64_t propose_local(int64_t lam_id, Rng& rng) const override;
  std::shared_ptr<const FamilyView> view(std::span<const int32_t> rows,
                                         int num_hops) const override;

 private:
  std::shared_ptr<const RewireSpace> space_;
};

}  // namespace emgnn
