// SPDX-License-Identifier: Apache-2.0
// Random damage to a graph, for measuring how well a method bears it.
#pragma once

#include <cstdint>

#include <emgnn/graph/csr.h>

namespace emgnn {

// Removes k = floor(percent/100 · |E|) edges of an undirected graph and adds as many pairs that
// were not adjacent before; both sets are uniform among all such sets. `adjacency` is symmetric
// without self loops; added edges have the value 1. A pure function of its arguments, in expected
// time linear in the graph. UsageError if the graph has fewer than k pairs that are not adjacent.
Csr perturb_edges(const Csr& adjacency, double percent, uint64_t seed);

}  // namespace emgnn
