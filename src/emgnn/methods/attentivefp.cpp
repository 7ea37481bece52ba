// SPDX-License-Identifier: Apache-2.0
#include <emgnn/methods/network_method.h>
#include <emgnn/models/attentive_fp.h>

namespace emgnn {

std::unique_ptr<MethodConfig> attentivefp_config(bool em) {
  return std::make_unique<MoleculeMethod<AttentiveFp, AttentiveFpOptions>>(em);
}

}  // namespace emgnn
