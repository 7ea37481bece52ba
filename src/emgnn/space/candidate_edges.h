// SPDX-License-Identifier: Apache-2.0
// Candidate edges E': pairs of nodes that are not adjacent although their features are similar,
//   E' = { u < v : {u, v} is no edge, cos(x_u, x_v) > τ }.
// It is here and not in graph/ because dense rows are compared by gemm.h.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <emgnn/base/error.h>
#include <emgnn/graph/csr.h>

namespace emgnn {

// Cosines are decided in float64 as cos > τ + kCosineTie, so that a pair exactly at τ is never in,
// however its cosine was rounded.
inline constexpr double kCosineTie = 1e-9;

struct CandidateOptions {
  double threshold = 0.5;          // τ in [0, 1)
  int64_t max_pairs = 10'000'000;  // more are TooManyCandidates; they cost 12 bytes each
  // 1: every pair. In (0, 1): each pair is found with at least this probability (hashing, see
  // cosine_hashed.cpp), and what is returned is still checked exactly.
  double recall = 1.0;
  uint64_t seed = 0;  // of the hashing
};

struct TooManyCandidates : UsageError {
  using UsageError::UsageError;
};

struct CandidateEdge {
  int32_t u, v;  // u < v
  float cosine;
  bool operator==(const CandidateEdge&) const = default;
};

struct DenseRows {
  int32_t num_rows = 0;
  int32_t num_cols = 0;
  std::span<const float> val;  // [num_rows, num_cols], row-major
};

// Ascending by (u, v). `adjacency` is square with a row for each row of the features; a pair that
// it stores in either direction is left out. A row of zeros has cosine 0 with every other. Memory
// is linear in the input and the result; neither the algorithm nor the number of threads shows in
// the result.
std::vector<CandidateEdge> candidate_edges(const Csr& features, const Csr& adjacency,
                                           const CandidateOptions& options);
std::vector<CandidateEdge> candidate_edges(const DenseRows& features, const Csr& adjacency,
                                           const CandidateOptions& options);

}  // namespace emgnn
