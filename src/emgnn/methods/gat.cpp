// SPDX-License-Identifier: Apache-2.0
#include <emgnn/base/error.h>
#include <emgnn/methods/network_config.h>
#include <emgnn/models/gat.h>

namespace emgnn {

namespace {

class GatConfig : public NetworkConfig {
 public:
  using NetworkConfig::NetworkConfig;

 protected:
  void describe_network(OptionVisitor& visitor, const DataFacts& /*facts*/) override {
    emgnn::describe(visitor, options_);
    emgnn::describe(visitor, options_.form);
    describe_depth(visitor, options_.stack);
  }
  std::shared_ptr<Network> make_network(const Plan& plan) const override {
    const int64_t width = options_.stack.hidden;
    if (options_.form.mean_heads && !plan.shape.reads_out)
      throw UsageError(
          "model.mean_heads is for molecules: the last layer of nodes averages anyway");
    return std::make_shared<LayerStack>(
        LayerStack::Plan{.stack = options_.stack,
                         .head = plan.head,
                         .shape = plan.shape,
                         .seed = plan.seed,
                         .hidden_outputs = options_.heads * width,
                         .last_outputs = options_.form.mean_heads ? width : 0},
        [&](Network& network, const LayerPlace& place) {
          return std::make_unique<GatLayer>(network, place, options_, plan.em);
        });
  }
  bool reads_weights() const override { return false; }

 private:
  GatOptions options_;
};

}  // namespace

std::unique_ptr<MethodConfig> gat_config(bool em) { return std::make_unique<GatConfig>(em); }

}  // namespace emgnn
