// SPDX-License-Identifier: Apache-2.0
// Undirected edges as pairs of nodes.
#pragma once

#include <cstdint>
#include <vector>

#include <emgnn/base/rng.h>
#include <emgnn/graph/csr.h>

namespace emgnn {

struct NodePair {
  int32_t u, v;  // u < v

  // NOLINTNEXTLINE(modernize-use-nullptr): the check misreads a defaulted <=>
  friend auto operator<=>(const NodePair&, const NodePair&) = default;
};

// The edges of a symmetric matrix without a diagonal, each once, in ascending order.
std::vector<NodePair> undirected_edges(const Csr& a);

// A number in [0, 1) for the pair (u, v), in this order. It depends on the two nodes alone, so that a
// pair keeps its fate when other pairs come and go.
double uniform_of(int32_t u, int32_t v, uint64_t seed, Stream stream, uint32_t substream = 0);

struct EdgeChange {
  NodePair pair;
  bool added;  // else removed
};

// What turns the edges of one matrix into those of another, in ascending order.
std::vector<EdgeChange> edge_changes(const Csr& before, const Csr& after);

}  // namespace emgnn
