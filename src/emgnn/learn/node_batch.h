// SPDX-License-Identifier: Apache-2.0
// How a network is trained on the nodes of one graph: on all labelled ones at once or, where the graph
// is large, on batches of them, each with a sample of its neighbours.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <emgnn/base/options.h>
#include <emgnn/base/size_limits.h>
#include <emgnn/data/dataset.h>

namespace emgnn {

enum class NodeBatches { kAuto, kFull, kSampled };

struct NodeBatchOptions {
  NodeBatches batches = NodeBatches::kAuto;
  int64_t size = 1024;
  std::string fanout = "12,8";
  int64_t epoch_steps = 4;
  int64_t judged_rows = 0;  // 0: as many as fit
  SizeLimits limits = {};
};
void describe(OptionVisitor& visitor, NodeBatchOptions& options);

// "12,8": neighbours of a row in each hop; none: all. UsageError otherwise.
std::vector<int64_t> parse_fanout(const std::string& text);

// Whether such a graph is trained on in batches.
bool takes_batches(const NodeBatchOptions& options, const Dataset& data);

// The first so many in an order that (seed, number) decides, ascending.
std::vector<int32_t> sample_rows(std::span<const int32_t> rows, size_t count, uint64_t seed,
                                 uint64_t number);

}  // namespace emgnn
