// SPDX-License-Identifier: Apache-2.0
#include <emgnn/methods/network_method.h>
#include <emgnn/models/mpnn.h>

namespace emgnn {

std::unique_ptr<MethodConfig> mpnn_config(bool em) {
  return std::make_unique<MoleculeMethod<Mpnn, MpnnOptions>>(em);
}

}  // namespace emgnn
