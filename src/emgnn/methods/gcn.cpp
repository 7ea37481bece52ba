// SPDX-License-Identifier: Apache-2.0
#include <emgnn/methods/network_method.h>
#include <emgnn/models/gcn.h>

namespace emgnn {

std::unique_ptr<MethodConfig> gcn_config(bool em) {
  return std::make_unique<NetworkMethod<GcnLayer, GcnOptions>>(em);
}

}  // namespace emgnn
