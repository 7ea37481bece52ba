// SPDX-License-Identifier: Apache-2.0
#include <emgnn/methods/network_method.h>
#include <emgnn/models/acmp.h>

namespace emgnn {

std::unique_ptr<MethodConfig> acmp_config(bool em) {
  return std::make_unique<NetworkMethod<Acmp, AcmpOptions>>(em);
}

}  // namespace emgnn
