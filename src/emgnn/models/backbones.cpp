// SPDX-License-Identifier: Apache-2.0
#include <emgnn/models/backbones.h>

#include <emgnn/models/acm.h>
#include <emgnn/models/gcn.h>

namespace emgnn {

namespace {

std::unique_ptr<Backbone> make_gcn(const ModelOptions& options, const BackboneSizes& sizes,
                                   uint64_t seed) {
  return std::make_unique<Gcn>(options, sizes.num_features, sizes.num_outputs, seed);
}

std::unique_ptr<Backbone> make_acm(const ModelOptions& options, const BackboneSizes& sizes,
                                   uint64_t seed) {
  return std::make_unique<Acm>(options, sizes, seed);
}

}  // namespace

const std::vector<BackboneKind>& backbones() {
  static const std::vector<BackboneKind> all = {
      {"gcn", "em-gcn", "graph convolutional network", make_gcn},
      {"acm-gcn+", "em-acm", "graph convolutions in channels that each node mixes by itself",
       make_acm},
  };
  return all;
}

}  // namespace emgnn
