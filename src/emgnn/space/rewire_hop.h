// SPDX-License-Identifier: Apache-2.0
// One hop of the rewire family's receptive field, and the batched operators over it.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include <emgnn/space/nested_pattern.h>
#include <emgnn/space/propagation.h>
#include <emgnn/space/rewire_draws.h>

namespace emgnn {

// What all hops share.
class RewireSpace {
 public:
  RewireSpace(const RewireGraph& graph, const RewireOptions& options, uint64_t seed);

  const RewireDraws& draws() const { return draws_; }
  const Csr& pattern() const { return pattern_; }  // the diagonal and every pair that is ever held
  int32_t pair_of(int64_t entry) const { return pair_[static_cast<size_t>(entry)]; }
  static constexpr int32_t kDiagonal = -1;
  // An edge keeps its weight, a candidate has the mean weight of the edges, the diagonal has 1.
  float weight_of(int32_t pair) const {
    return pair == kDiagonal ? 1.0F : weight_[static_cast<size_t>(pair)];
  }
  Normalisation normalisation() const { return normalisation_; }

  // factor[v] = 1 / D_λ(v), or 1 / √D_λ(v) if symmetric, for each of the nodes.
  void factors(int64_t lam_id, std::span<const int32_t> nodes, float* factor) const;

 private:
  void add_degree_tables(int64_t draw);
  std::vector<float> drawn_degrees(int64_t lam_id) const;

  RewireDraws draws_;
  Normalisation normalisation_;
  std::vector<float> weight_;  // [pairs]
  Csr pattern_;
  std::vector<int32_t> pair_;  // [entries]
  // Nested draws: D_λ(v) = stay[draw][drop, v] + arrive[draw][add, v]
  std::vector<std::vector<float>> stay_degree_, arrive_degree_;  // [draws][points, num_nodes]
};

struct RewireHop {
  HopPattern pattern;
  // Nested draws only, one per draw.
  std::vector<NestedPattern> forward, backward;

  RewireHop(Hop hop, const RewireSpace& space);
};

// The values of S_λ over the hop's entries, [lam_ids, entries].
std::vector<float> rewire_values(const RewireHop& hop, const RewireSpace& space,
                                 const std::vector<int64_t>& lam_ids);

// S_λ of several λ on one hop. Nested graphs are beginnings of the rows' lists: with a shared input
// a row is summed once for all graphs that have it, and no absent edge is ever read. Other graphs
// differ in the values over one pattern.
c10::intrusive_ptr<Propagation> rewire_propagation(std::shared_ptr<const RewireHop> hop,
                                                   std::shared_ptr<const RewireSpace> space,
                                                   std::span<const int64_t> lam_ids);

}  // namespace emgnn
