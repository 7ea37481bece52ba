// SPDX-License-Identifier: Apache-2.0
// The most probable block model of a graph, by stochastic gradients of its log-likelihood that are
// scaled by the parameters themselves (Li, Ahn and Welling 2016, without their noise).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <emgnn/graph/block_model.h>
#include <emgnn/graph/link_set.h>
#include <emgnn/graph/node_pair.h>

namespace emgnn {

struct BlockFitOptions {
  int64_t batch = 500;      // nodes of an iteration, and partners of each
  double non_links = 0.01;  // share of the pairs without a link that an iteration looks at
};

// Whom a node is compared with: nodes that it is linked to, and of the others some that stand for
// all of them.
struct Partners {
  std::span<const int32_t> links;
  std::vector<int32_t> others;
  double weight = 1.0;  // of each of the others
};

// φ_ak ∂/∂φ_ak of Σ_b w_ab log Z_ab, over the partners b of node a: [communities].
std::vector<double> membership_slope(std::span<const double> memberships,
                                     std::span<const double> strengths, double cross, int32_t node,
                                     const Partners& partners);

// Σ r_k of pairs that are linked, or not: how many of them are expected to have met in community k.
// r_k = p π_ak π_bk / p(ab), p = β_k and p(ab) = Z_ab of links, else 1 − β_k and 1 − Z_ab.
std::vector<double> expected_meetings(std::span<const double> memberships,
                                      std::span<const double> strengths, double cross, bool linked,
                                      std::span<const NodePair> pairs);

// θ_k1 ∂/∂θ_k1 of the log-likelihood from the meetings of linked pairs and of all others; that of
// θ_k0 is the same with the other sign: [communities].
std::vector<double> strength_slope(std::span<const double> strengths,
                                   std::span<const double> linked, std::span<const double> others);

class BlockModelFit {
 public:
  // `graph` is symmetric without self loops. One with at most `batch` nodes is never sampled from:
  // all nodes and all pairs are in every iteration.
  BlockModelFit(Csr graph, const BlockFitOptions& options);

  const Csr& graph() const { return set_.graph(); }

  // Iteration `number` under a seed: a step of size ε/2 for the memberships of the drawn nodes,
  // then one for the strengths.
  //   φ ← | φ + (ε/2)(−0.001 φ + φ ∂ℓ/∂φ) |,   θ ← | θ + (ε/2)(−0.001 θ + θ ∂ℓ/∂θ) |
  void step(BlockModel& model, double epsilon, uint64_t seed, uint64_t number) const;

  // The partners of a node in an iteration: every link, and max(batch − degree, batch / 10) of the
  // others, or all if they are no more.
  Partners partners(int32_t node, uint64_t of_iteration) const;

 private:
  std::vector<int32_t> nodes(uint64_t of_iteration) const;
  void step_memberships(BlockModel& model, double epsilon, uint64_t of_iteration) const;
  void step_strengths(BlockModel& model, double epsilon, uint64_t of_iteration) const;
  // Of all pairs without a link, or of some that stand for them.
  std::vector<double> meetings_of_others(std::span<const double> pi, std::span<const double> beta,
                                         double cross, uint64_t of_iteration) const;
  std::vector<NodePair> drawn_non_links(int64_t count, const Rng& rng) const;

  LinkSet set_;
  BlockFitOptions options_;
  std::vector<NodePair> links_;
  std::vector<NodePair> non_links_;  // all, of a graph that is not sampled from
  int64_t num_non_links_ = 0;
};

}  // namespace emgnn
