// SPDX-License-Identifier: Apache-2.0
#include <emgnn/methods/network_method.h>
#include <emgnn/models/attentive_fp.h>

namespace emgnn {

namespace {

class AttentiveFpConfig : public MoleculeMethod<AttentiveFp, AttentiveFpOptions> {
 public:
  using MoleculeMethod::MoleculeMethod;

 protected:
  bool reads_weights() const override { return false; }
};

}  // namespace

std::unique_ptr<MethodConfig> attentivefp_config(bool em) {
  return std::make_unique<AttentiveFpConfig>(em);
}

}  // namespace emgnn
