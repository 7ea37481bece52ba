// SPDX-License-Identifier: Apache-2.0
#include <emgnn/methods/network_method.h>
#include <emgnn/models/weave.h>

namespace emgnn {

std::unique_ptr<MethodConfig> weave_config(bool em) {
  return std::make_unique<MoleculeMethod<Weave, WeaveOptions>>(em);
}

}  // namespace emgnn
