// SPDX-License-Identifier: Apache-2.0
// The network of the benchmarks on nodes.
#pragma once

#include <cstdint>
#include <memory>

#include <emgnn/models/gcn.h>

namespace emgnn {

inline std::shared_ptr<Network> make_gcn(const GcnOptions& options, int64_t num_features,
                                         int64_t num_classes, uint64_t seed) {
  LayerStack::Plan plan{.stack = options.stack,
                        .head = {},
                        .shape = {.num_features = num_features, .num_outputs = num_classes},
                        .seed = seed,
                        .hidden_outputs = options.stack.hidden};
  return std::make_shared<LayerStack>(plan, [&](Network& network, const LayerPlace& place) {
    return std::make_unique<GcnLayer>(network, place, options);
  });
}

}  // namespace emgnn
