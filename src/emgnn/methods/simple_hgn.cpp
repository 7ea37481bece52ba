// SPDX-License-Identifier: Apache-2.0
#include <emgnn/methods/network_config.h>
#include <emgnn/models/simple_hgn.h>

namespace emgnn {

namespace {

class SimpleHgnConfig : public NetworkConfig {
 public:
  using NetworkConfig::NetworkConfig;

 protected:
  void describe_network(OptionVisitor& visitor, const DataFacts& /*facts*/) override {
    emgnn::describe(visitor, options_);
  }
  // Outputs of norm 1 are for classes: other labels need larger ones.
  std::shared_ptr<Network> make_network(const Plan& plan) const override {
    return std::make_shared<SimpleHgn>(
        options_, SimpleHgn::Plan{.shape = plan.shape,
                                  .data = plan.data->graph(),
                                  .num_views = plan.num_views,
                                  .unit_outputs = plan.data->labels().kind == LabelKind::kClasses,
                                  .seed = plan.seed});
  }

 private:
  SimpleHgnOptions options_;
};

}  // namespace

std::unique_ptr<MethodConfig> simple_hgn_config(bool em) {
  return std::make_unique<SimpleHgnConfig>(em);
}

}  // namespace emgnn
