// SPDX-License-Identifier: Apache-2.0
#include <emgnn/methods/network_config.h>
#include <emgnn/models/gcn_star.h>

namespace emgnn {

namespace {

class GcnStarConfig : public NetworkConfig {
 public:
  using NetworkConfig::NetworkConfig;

 protected:
  void describe_network(OptionVisitor& visitor, const DataFacts& /*facts*/) override {
    emgnn::describe(visitor, options_);
  }
  std::shared_ptr<Network> make_network(const Plan& plan) const override {
    return std::make_shared<GcnStar>(options_, plan.head, plan.shape, plan.seed);
  }

 private:
  GcnStarOptions options_;
};

}  // namespace

std::unique_ptr<MethodConfig> gcn_star_config(bool em) {
  return std::make_unique<GcnStarConfig>(em);
}

}  // namespace emgnn
