// SPDX-License-Identifier: Apache-2.0
#include <emgnn/methods/network_config.h>
#include <emgnn/models/gcn.h>
#include <emgnn/space/drop_edge.h>

namespace emgnn {

namespace {

class DropEdgeConfig : public NetworkConfig {
 public:
  using NetworkConfig::NetworkConfig;

 protected:
  void describe_network(OptionVisitor& visitor) override {
    emgnn::describe(visitor, edges_);
    emgnn::describe(visitor, gcn_);
  }
  std::shared_ptr<Network> make_network(const Plan& plan) const override {
    return stack<GcnLayer>(plan, gcn_, gcn_.stack.hidden);
  }
  bool uses_graph() const override { return false; }  // of the options: it has its own
  std::shared_ptr<const GraphFamily> own_family(const LearnerInput& input) const override {
    return std::make_shared<DropEdgeFamily>(input.data->graph(), edges_);
  }

 private:
  DropEdgeOptions edges_;
  GcnOptions gcn_;
};

}  // namespace

std::unique_ptr<MethodConfig> dropedge_config(bool em) {
  return std::make_unique<DropEdgeConfig>(em);
}

}  // namespace emgnn
