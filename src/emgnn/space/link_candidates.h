// SPDX-License-Identifier: Apache-2.0
// Pairs of nodes for a method that learns which of them are linked (Dai et al. 2022).
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include <emgnn/base/rng.h>
#include <emgnn/data/dataset.h>

namespace emgnn {

// Pairs that may be linked.
struct LinkCandidates {
  Csr adjacency;                  // all edge types in one, in both directions
  Csr pairs;                      // (i, j) with i <= j, no values
  std::vector<uint8_t> observed;  // [pairs] whether it is an edge of the graph
  bool loops = false;             // every (i, i) is a pair
};

// All neighbours; with nearest > 0 also (i, i), and (i, j) where i < j is one of the `nearest` nodes
// of the largest cosine with i, which i itself counts among.
LinkCandidates link_candidates(const Dataset& data, int64_t nearest);

// In row i some of the nodes that are neither i nor a neighbour: those of `draws` uniform draws from
// all nodes, each once.
Csr draw_non_edges(const Csr& adjacency, int64_t draws, Rng rng);

// ‖x_i − x_j‖² of the rows of a matrix of features.
class SquaredDistances {
 public:
  explicit SquaredDistances(std::shared_ptr<const Features> features);

  std::vector<float> of(const Csr& pairs) const;

 private:
  // Those of row i, given its features as a dense row.
  void fill_row(const Csr& pairs, int32_t i, const float* row, float* out) const;

  std::shared_ptr<const Features> features_;
  std::vector<double> square_;  // ‖x_i‖²
};

}  // namespace emgnn
