// SPDX-License-Identifier: Apache-2.0
#include <emgnn/methods/network_config.h>
#include <emgnn/models/sgc.h>

namespace emgnn {

namespace {

class SgcConfig : public NetworkConfig {
 public:
  using NetworkConfig::NetworkConfig;

 protected:
  void describe_network(OptionVisitor& visitor) override { emgnn::describe(visitor, options_); }
  std::shared_ptr<Network> make_network(const Plan& plan) const override {
    return std::make_shared<Sgc>(options_, plan.shape, plan.seed);
  }

 private:
  SgcOptions options_;
};

}  // namespace

std::unique_ptr<MethodConfig> sgc_config(bool em) { return std::make_unique<SgcConfig>(em); }

}  // namespace emgnn
