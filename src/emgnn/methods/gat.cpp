// SPDX-License-Identifier: Apache-2.0
#include <emgnn/methods/network_config.h>
#include <emgnn/models/gat.h>

namespace emgnn {

namespace {

class GatConfig : public NetworkConfig {
 public:
  using NetworkConfig::NetworkConfig;

 protected:
  void describe_network(OptionVisitor& visitor) override { emgnn::describe(visitor, options_); }
  std::shared_ptr<Network> make_network(const Plan& plan) const override {
    return std::make_shared<LayerStack>(
        LayerStack::Plan{options_.stack, plan.head, plan.shape, plan.seed,
                         options_.heads * options_.stack.hidden},
        [&](Network& network, const LayerPlace& place) {
          return std::make_unique<GatLayer>(network, place, options_, plan.em);
        });
  }

 private:
  GatOptions options_;
};

}  // namespace

std::unique_ptr<MethodConfig> gat_config(bool em) { return std::make_unique<GatConfig>(em); }

}  // namespace emgnn
