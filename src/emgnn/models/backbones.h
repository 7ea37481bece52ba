// SPDX-License-Identifier: Apache-2.0
// The backbones by name. Each one is a method of its own, on the graph as given, and another over a
// learned distribution of graphs.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <emgnn/models/backbone.h>
#include <emgnn/models/options.h>

namespace emgnn {

struct BackboneKind {
  std::string method, em_method;
  std::string summary;  // of the network
  std::unique_ptr<Backbone> (*make)(const ModelOptions& options, const BackboneSizes& sizes,
                                    uint64_t seed);
};
const std::vector<BackboneKind>& backbones();

}  // namespace emgnn
