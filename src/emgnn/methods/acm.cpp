// SPDX-License-Identifier: Apache-2.0
#include <emgnn/methods/network_method.h>
#include <emgnn/models/acm.h>

namespace emgnn {

std::unique_ptr<MethodConfig> acm_config(bool em) {
  return std::make_unique<NetworkMethod<AcmLayer, AcmOptions>>(em);
}

}  // namespace emgnn
