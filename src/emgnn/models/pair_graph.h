// SPDX-License-Identifier: Apache-2.0
// A graph whose edges have weights that are learned: W_ij = W_ji is the weight of a pair of nodes,
// and a hop is P = D^-1/2 W D^-1/2 with D the row sums of W.
#pragma once

#include <ATen/core/Tensor.h>
#include <ATen/core/ivalue.h>

#include <cstdint>
#include <vector>

#include <emgnn/space/propagation.h>

namespace emgnn {

// Where the weight of each pair stands in W.
struct PairGraph : torch::CustomClassHolder {
  c10::intrusive_ptr<Edges> edges;  // the pattern of W, whole and symmetric
  std::vector<int32_t> pair;        // [entries] whose weight it has; -1: it is 1
  int64_t num_pairs = 0;
};

// Of pairs (i, j), i <= j. Unless they hold every (i, i), the nodes get loops of weight 1.
c10::intrusive_ptr<PairGraph> pair_graph(const Csr& pairs, bool loops);

// A pattern on which nothing is absent; the second is symmetric, with values on it that are, too.
c10::intrusive_ptr<Edges> whole_pattern(Csr pattern);
c10::intrusive_ptr<Edges> symmetric_pattern(Csr pattern);

// z_i·z_j of each pair, which is `known` already, with its gradient in the rows z.
at::Tensor pair_products(const c10::intrusive_ptr<PairGraph>& graph, const at::Tensor& rows,
                         const at::Tensor& known);

// The entries of P, [1, entries, 1], of weights >= 0 of the pairs. A node whose weights are all 0 has
// a row of zeros. Differentiable in the weights.
at::Tensor normalised(const c10::intrusive_ptr<PairGraph>& graph, const at::Tensor& weight);

// P as a hop from all nodes to all nodes.
c10::intrusive_ptr<Propagation> weighted_hop(const PairGraph& graph, at::Tensor values);

}  // namespace emgnn
