// SPDX-License-Identifier: Apache-2.0
#include <emgnn/learn/bgcn_options.h>

namespace emgnn {

namespace {
constexpr int64_t kMany = 1'000'000'000;
}  // namespace

void describe(OptionVisitor& v, BgcnOptions& o) {
  v.integer("bgcn.warmup", o.warmup, 0, kMany,
            "the last epoch, counted from 0, on the graph as given; a block model is fitted after "
            "it, and every later epoch sees a graph drawn from that");
  v.integer("bgcn.burn_in", o.burn_in, 0, kMany,
            "epochs on drawn graphs before those whose answers are averaged");
  v.integer("bgcn.refit", o.refit, 1, kMany, "epochs between fits of the block model");
  v.integer("bgcn.random_iterations", o.random_iterations, 0, kMany,
            "iterations of the first fit from a random start, which finds the scales");
  v.integer("bgcn.iterations", o.iterations, 1, kMany,
            "iterations of each fit from what the network says of the nodes");
  v.real("bgcn.cross", o.cross, 1e-12, 0.5,
         "probability of a link between nodes that meet in no community");
  v.integer(
      "bgcn.batch", o.fit.batch, 2, 10'000,
      "nodes of an iteration, and partners of each; a graph with no more nodes is used whole");
  v.real("bgcn.non_links", o.fit.non_links, 1e-9, 1.0,
         "share of the pairs without a link that an iteration looks at for the strengths");
}

}  // namespace emgnn
