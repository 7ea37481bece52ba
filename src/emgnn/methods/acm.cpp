// SPDX-License-Identifier: Apache-2.0
#include <emgnn/methods/network_config.h>
#include <emgnn/models/acm.h>

namespace emgnn {

namespace {

class AcmConfig : public NetworkConfig {
 public:
  using NetworkConfig::NetworkConfig;

 protected:
  void describe_network(OptionVisitor& visitor) override { emgnn::describe(visitor, options_); }
  std::shared_ptr<Network> make_network(const Plan& plan) const override {
    return stack<AcmLayer>(plan, options_, options_.stack.hidden);
  }

 private:
  AcmOptions options_;
};

}  // namespace

std::unique_ptr<MethodConfig> acm_config(bool em) { return std::make_unique<AcmConfig>(em); }

}  // namespace emgnn
