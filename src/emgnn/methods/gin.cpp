// SPDX-License-Identifier: Apache-2.0
#include <emgnn/methods/network_method.h>
#include <emgnn/models/gin.h>

namespace emgnn {

std::unique_ptr<MethodConfig> gin_config(bool em) {
  return std::make_unique<NetworkMethod<GinLayer, GinOptions>>(em);
}

}  // namespace emgnn
