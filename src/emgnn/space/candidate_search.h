// SPDX-License-Identifier: Apache-2.0
// Candidate edges within a budget: all similar pairs where they are few enough, else the most
// similar ones of each node.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <emgnn/data/dataset.h>
#include <emgnn/space/candidate_edges.h>
#include <emgnn/space/options.h>

namespace emgnn {

struct GraphSize {
  int64_t nodes = 0, edges = 0;  // undirected ones
};

// How many candidates there may be.
struct CandidateBudget {
  int64_t pairs = 0;
  int64_t bytes() const { return pairs * kBytesPerPair; }

  // A candidate is a pair with its cosine, its rates and levels, and two entries of the pattern, of
  // which the hops and their transposes hold copies.
  static constexpr int64_t kBytesPerPair = 128;
  static constexpr int64_t kMostBytes = int64_t{1} << 31;
};

// space.max_candidates, or by default five per edge, so that with λ₂ = 0.2 a graph has twice as
// many edges at most; but at least 20 per node, and 100,000. Never more than fit into `bytes`.
CandidateBudget candidate_budget(const RewireOptions& options, const GraphSize& size,
                                 int64_t bytes = CandidateBudget::kMostBytes);

struct FoundCandidates {
  std::vector<CandidateEdge> pairs;  // ascending by (u, v)
  std::string note;                  // what was left out, one line; empty: nothing
};

// Where more pairs than the budget have a cosine above τ, each node keeps the k = ⌊budget / nodes⌋
// (at least 1) most similar of them, ties by number; a pair stays when either of its nodes keeps it.
FoundCandidates similar_pairs(const Features& features, const Csr& adjacency,
                              const RewireOptions& options);

}  // namespace emgnn
