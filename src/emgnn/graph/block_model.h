// SPDX-License-Identifier: Apache-2.0
// The assortative mixed-membership stochastic block model (Gopalan et al. 2012). Node a belongs to
// community k with weight π_ak; nodes that meet in community k are linked with probability β_k, all
// others with probability δ:
//   p(link ab) = Z_ab = Σ_k π_ak (β_k π_bk + δ (1 − π_bk))
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <emgnn/graph/csr.h>

namespace emgnn {

struct BlockModel {
  int64_t num_communities = 0;
  double cross = 1e-4;        // δ
  std::vector<double> phi;    // [nodes, communities] > 0: π_a = φ_a / Σ φ_a
  std::vector<double> theta;  // [communities, 2] > 0: β_k = θ_k1 / (θ_k0 + θ_k1)

  int64_t num_nodes() const { return static_cast<int64_t>(phi.size()) / num_communities; }
  std::vector<double> memberships() const;  // π
  std::vector<double> strengths() const;    // β
};

// What fits divide by when a probability has come out as 0, and what φ and θ never fall below.
inline constexpr double kLeastProbability = 1e-25;
inline constexpr double kLeastParameter = 1e-50;

// Sub-streams of Stream::kBlockModel.
struct BlockDraw {
  static constexpr uint32_t kStart = 0, kNodes = 1, kPartners = 2, kPairs = 3, kGraph = 4;
};

// The community of the largest membership of each node, the first of equal ones.
std::vector<int32_t> communities_of(std::span<const double> memberships, int64_t num_communities);

// Z_ab of two rows of π.
double link_probability(std::span<const double> a, std::span<const double> b,
                        std::span<const double> strengths, double cross);

// φ ~ Gamma(1 / communities, 1) and θ ~ Gamma(1, 1).
BlockModel random_block_model(int64_t num_nodes, int64_t num_communities, double cross,
                              uint64_t seed);

// New memberships and strengths with the scales Σ φ_a and θ_k0 + θ_k1 as they are: π as given, and
// β_k = 2 (links in community k) / (n_k² + 1) over the n_k nodes whose largest membership it is.
// `graph` is symmetric without self loops.
void restart(BlockModel& model, const Csr& graph, std::span<const double> memberships);

}  // namespace emgnn
