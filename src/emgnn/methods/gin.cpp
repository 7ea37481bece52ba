// SPDX-License-Identifier: Apache-2.0
#include <emgnn/methods/network_config.h>
#include <emgnn/models/gin.h>

namespace emgnn {

namespace {

class GinConfig : public NetworkConfig {
 public:
  using NetworkConfig::NetworkConfig;

 protected:
  void describe_network(OptionVisitor& visitor) override { emgnn::describe(visitor, options_); }
  std::shared_ptr<Network> make_network(const Plan& plan) const override {
    return stack<GinLayer>(plan, options_, options_.stack.hidden);
  }

 private:
  GinOptions options_;
};

}  // namespace

std::unique_ptr<MethodConfig> gin_config(bool em) { return std::make_unique<GinConfig>(em); }

}  // namespace emgnn
