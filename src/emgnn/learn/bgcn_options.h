// SPDX-License-Identifier: Apache-2.0
// When bgcn trains on which graphs, and how it fits their distribution.
#pragma once

#include <cstdint>

#include <emgnn/base/options.h>
#include <emgnn/graph/block_model_fit.h>

namespace emgnn {

struct BgcnOptions {
  int64_t warmup = 200;  // the last epoch (from 0) on the graph as given
  int64_t burn_in = 40;  // epochs on drawn graphs whose answers do not count
  int64_t refit = 20;    // epochs between fits
  int64_t random_iterations = 1000;
  int64_t iterations = 200;
  double cross = 1e-4;  // δ
  BlockFitOptions fit;

  // The first epoch whose answers count.
  int64_t first_averaged() const { return warmup + burn_in + 1; }
};
void describe(OptionVisitor& visitor, BgcnOptions& options);

}  // namespace emgnn
