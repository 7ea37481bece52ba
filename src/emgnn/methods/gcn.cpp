// SPDX-License-Identifier: Apache-2.0
#include <emgnn/methods/network_config.h>
#include <emgnn/models/gcn.h>

namespace emgnn {

namespace {

class GcnConfig : public NetworkConfig {
 public:
  using NetworkConfig::NetworkConfig;

 protected:
  void describe_network(OptionVisitor& visitor) override { emgnn::describe(visitor, options_); }
  std::shared_ptr<Network> make_network(const Plan& plan) const override {
    return stack<GcnLayer>(plan, options_, options_.stack.hidden);
  }

 private:
  GcnOptions options_;
};

}  // namespace

std::unique_ptr<MethodConfig> gcn_config(bool em) { return std::make_unique<GcnConfig>(em); }

}  // namespace emgnn
