// SPDX-License-Identifier: Apache-2.0
#include <emgnn/methods/network_config.h>
#include <emgnn/models/dense_layer.h>

namespace emgnn {

namespace {

struct MlpOptions {
  StackOptions stack;
};

class MlpLayer : public DenseLayer {
 public:
  MlpLayer(Network& network, const LayerPlace& place, const MlpOptions& options)
      : DenseLayer(network, place, options.stack) {}
};

class MlpConfig : public NetworkConfig {
 public:
  using NetworkConfig::NetworkConfig;

 protected:
  void describe_network(OptionVisitor& visitor, const DataFacts& /*facts*/) override {
    emgnn::describe(visitor, options_.stack);
    describe_depth(visitor, options_.stack);
  }
  std::shared_ptr<Network> make_network(const Plan& plan) const override {
    return stack<MlpLayer>(plan, options_, options_.stack.hidden);
  }
  bool uses_graph() const override { return false; }

 private:
  MlpOptions options_;
};

}  // namespace

std::unique_ptr<MethodConfig> mlp_config(bool em) { return std::make_unique<MlpConfig>(em); }

}  // namespace emgnn
