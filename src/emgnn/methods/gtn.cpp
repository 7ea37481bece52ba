// SPDX-License-Identifier: Apache-2.0
#include <emgnn/methods/network_config.h>
#include <emgnn/models/gtn.h>
#include <emgnn/space/edge_types.h>

namespace emgnn {

namespace {

class GtnConfig : public NetworkConfig {
 public:
  using NetworkConfig::NetworkConfig;

 protected:
  void describe_network(OptionVisitor& visitor, const DataFacts& /*facts*/) override {
    emgnn::describe(visitor, options_);
  }
  std::shared_ptr<Network> make_network(const Plan& plan) const override {
    return std::make_shared<Gtn>(options_, plan.shape, plan.family->coordinate_names(), plan.seed);
  }
  bool uses_graph() const override { return false; }
  std::shared_ptr<const GraphFamily> own_family(const LearnerInput& input) const override {
    return std::make_shared<EdgeTypeFamily>(input.data->graph());
  }

 private:
  GtnOptions options_;
};

}  // namespace

std::unique_ptr<MethodConfig> gtn_config(bool em) { return std::make_unique<GtnConfig>(em); }

}  // namespace emgnn
