// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>

#include <emgnn/graph/block_model.h>
#include <emgnn/graph/csr.h>

namespace emgnn {

// Draw number `draw` of a graph whose nodes belong to one community each: every pair of nodes is
// linked by itself, with probability strengths[k] inside community k and `cross` between two. In
// time linear in the nodes and in the links that come out; symmetric, without self loops.
// UsageError when more links are expected than a matrix holds.
Csr sample_graph(std::span<const int32_t> community, std::span<const double> strengths,
                 double cross, uint64_t seed, uint64_t draw);

// With each node in the community of its largest membership.
Csr sample_graph(const BlockModel& model, uint64_t seed, uint64_t draw);

}  // namespace emgnn
