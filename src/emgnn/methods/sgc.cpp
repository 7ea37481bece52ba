// SPDX-License-Identifier: Apache-2.0
#include <emgnn/methods/network_method.h>
#include <emgnn/models/sgc.h>

namespace emgnn {

std::unique_ptr<MethodConfig> sgc_config(bool em) {
  return std::make_unique<NetworkMethod<Sgc, SgcOptions>>(em);
}

}  // namespace emgnn
