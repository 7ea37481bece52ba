// SPDX-License-Identifier: Apache-2.0
// What the generators have in common.
#pragma once

#include <cstdint>

#include <emgnn/base/rng.h>
#include <emgnn/graph/csr.h>

namespace emgnn::detail {

// What the numbers of a generated dataset are for: one sub-sequence each.
enum class GeneratorStep : uint64_t { kTruth, kFeatures, kLinks, kMoreLinks, kOrder };

inline Rng sequence(uint64_t seed, GeneratorStep step) {
  return Rng(seed, Stream::kGenerator, static_cast<uint64_t>(step));
}

inline int32_t draw(Rng& rng, int32_t n) {  // {0, .., n-1}
  return static_cast<int32_t>(rng.below(static_cast<uint64_t>(n)));
}

inline Csr symmetric_graph(int32_t num_nodes, const Coo& links) {
  return remove_diagonal(
      symmetrise(csr_from_coo(num_nodes, num_nodes, links, Duplicates::kKeepFirst)));
}

}  // namespace emgnn::detail
