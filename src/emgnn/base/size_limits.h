// SPDX-License-Identifier: Apache-2.0
// From which size on work is done in parts. One place for all such decisions, so that a budget of
// memory can steer them.
#pragma once

#include <cstdint>

namespace emgnn {

struct SizeLimits {
  // Entries of the data's graph, each undirected edge twice: with more, a gradient step takes a batch
  // of nodes and a sample of their neighbours.
  int64_t full_batch_entries = 1'000'000;
  // Entries of the receptive field of rows that are judged at once under many graphs (E-step,
  // validation); a random sample of the rows stands for them when it is larger.
  int64_t judged_entries = 2'000'000;
  // Floats of one layer's rows, of all nodes, that a network which is run layer by layer keeps.
  int64_t state_floats = int64_t{1} << 29;
  // Floats of one tile of such rows.
  int64_t tile_floats = int64_t{1} << 22;
};

}  // namespace emgnn
