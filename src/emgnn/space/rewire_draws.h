// SPDX-License-Identifier: Apache-2.0
// Which edges each graph of the rewire family has: λ = (λ₁, λ₂) on a grid, an observed edge is
// dropped with probability λ₁ and a candidate is added with probability λ₂.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <emgnn/graph/node_pair.h>
#include <emgnn/space/options.h>

namespace emgnn {

// What is rewired.
struct RewireGraph {
  Csr adjacency;                     // symmetric, no self loops, weights > 0
  std::vector<NodePair> candidates;  // distinct, ascending, none an edge
  std::vector<float> cosine;         // [candidates], or empty; for tables
  // Priors in [0, 1]; empty: all alike. An edge of confidence c is dropped with probability
  // min(1, λ₁ (1 - c) / mean(1 - c)), a candidate of affinity a added with min(1, λ₂ a / mean(a)).
  std::vector<float> confidence;  // [undirected_edges(adjacency)]
  std::vector<float> affinity;    // [candidates]
};

// Λ̂: `draws` graphs for each of grid × grid rates.
class RewireGrid {
 public:
  explicit RewireGrid(const RewireOptions& options);

  struct Place {
    int64_t draw, drop, add;
  };
  int64_t size() const { return draws_ * points_ * points_; }
  int64_t points() const { return points_; }
  int64_t draws() const { return draws_; }
  Place place(int64_t lam_id) const;
  int64_t id(const Place& place) const;  // consecutive ids differ in λ₂ first
  double drop_rate(int64_t k) const { return max_drop_ * rate(k); }
  double add_rate(int64_t k) const { return max_add_ * rate(k); }

 private:
  double rate(int64_t k) const { return static_cast<double>(k) / static_cast<double>(points_ - 1); }

  int64_t points_, draws_;
  double max_drop_, max_add_;
};

// Pairs are numbered: the edges first, then the candidates.
class RewireDraws {
 public:
  // UsageError when the graph breaks its contract.
  RewireDraws(const RewireGraph& graph, const RewireOptions& options, uint64_t seed);

  const RewireGrid& grid() const { return grid_; }
  const std::vector<NodePair>& pairs() const { return pairs_; }
  int64_t num_edges() const { return num_edges_; }
  bool nested() const { return drawing_ == Drawing::kCoupled; }

  bool holds(int64_t lam_id, int64_t pair) const;
  bool ever_holds(int64_t pair) const;  // some graph of Λ̂ or the observed one has the pair

  // The probability that a graph has the pair, over all draws that could have been made; `level` is
  // place.drop for an edge and place.add for a candidate.
  double rate(int64_t level, int64_t pair) const;

  // Σ_λ p(λ) 1[G_λ has the pair] and Σ_λ p(λ) rate.
  struct Expected {
    std::vector<double> held, rate;  // [pairs]
  };
  Expected expected(std::span<const int64_t> lam_ids, std::span<const double> p) const;

  // Nested draws: pair p has one uniform u_p per draw. An edge is gone from the graphs with
  // place.drop >= level, a candidate is in those with place.add >= level; grid().points(): never.
  int32_t level(int64_t draw, int64_t pair) const {
    return level_[static_cast<size_t>(draw)][static_cast<size_t>(pair)];
  }

 private:
  void draw_nested();
  void draw_by_authors();

  RewireGrid grid_;
  Drawing drawing_;
  uint64_t seed_;
  std::vector<NodePair> pairs_;
  int64_t num_edges_;
  std::vector<double> factor_;               // [pairs] of λ₁ or λ₂
  std::vector<std::vector<int32_t>> level_;  // [draws][pairs], nested
  std::vector<std::vector<bool>> held_;      // [|Λ̂|][pairs], by the authors' rule
};

}  // namespace emgnn
