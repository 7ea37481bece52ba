// SPDX-License-Identifier: Apache-2.0
// gcn; what makes it DropEdge is the shipped space.drop_edge of configs/methods/dropedge.toml.
#include <emgnn/methods/network_method.h>
#include <emgnn/models/gcn.h>

namespace emgnn {

std::unique_ptr<MethodConfig> dropedge_config(bool em) {
  return std::make_unique<NetworkMethod<GcnLayer, GcnOptions>>(em);
}

}  // namespace emgnn
