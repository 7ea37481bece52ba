// SPDX-License-Identifier: Apache-2.0
// Which rows a K-layer network must compute so that some target rows come out right.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include <emgnn/graph/csr.h>

namespace emgnn {

// One message-passing step between two row sets of a square pattern: rows `output_rows` of the
// pattern, with columns renumbered by their place in `input_rows`.
struct Hop {
  std::vector<int32_t> input_rows;   // ascending node ids
  std::vector<int32_t> output_rows;  // node ids
  Csr pattern;                       // [output_rows, input_rows], no values
  std::vector<int32_t> entry;        // [entries] position of each entry in the full pattern
  std::vector<int32_t> self;         // [output_rows] place of each output row among the input rows
};

// In place of a number of hops: all nodes reach the targets. The hops are two, from all nodes to all
// nodes, as often as one likes, and from these to the targets.
inline constexpr int kWholeGraph = std::numeric_limits<int>::max();

// `num_hops` steps that end in `targets` (distinct, in the order given). hops[k].input_rows ==
// hops[k-1].output_rows. The pattern must hold its diagonal, so that every output row is also an
// input row.
std::vector<Hop> receptive_field(const Csr& pattern, std::span<const int32_t> targets,
                                 int num_hops);

}  // namespace emgnn
