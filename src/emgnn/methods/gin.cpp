// SPDX-License-Identifier: Apache-2.0
#include <emgnn/base/error.h>
#include <emgnn/methods/network_config.h>
#include <emgnn/models/gin.h>
#include <emgnn/models/molecular_gin.h>

namespace emgnn {

namespace {

enum class GinForm { kPlain, kMolecular };

class GinConfig : public NetworkConfig {
 public:
  using NetworkConfig::NetworkConfig;

 protected:
  void describe_network(OptionVisitor& visitor, const DataFacts& facts) override {
    const bool known = facts.labels.has_value();  // else either form may still be asked for
    emgnn::describe(visitor, options_.stack);
    if (!known || form_ == GinForm::kPlain) {
      describe_epsilon(visitor, options_);
      describe_depth(visitor, options_.stack);
    }
    visitor.choice("model.form", form_, {"plain", "molecular"},
                   "the layers of gin, or those of its form for molecules");
    if (!known || form_ == GinForm::kMolecular) emgnn::describe(visitor, molecular_);
  }
  std::shared_ptr<Network> make_network(const Plan& plan) const override {
    if (form_ == GinForm::kPlain) return stack<GinLayer>(plan, options_, options_.stack.hidden);
    EMGNN_CHECK(plan.shape.reads_out, "model.form=molecular is for molecules", "a graph");
    // Its layers have a norm of their own.
    StackOptions layers = options_.stack;
    layers.norm = Norm::kNone;
    layers.residual = false;
    layers.jumping = molecular_.jumping;
    return std::make_shared<LayerStack>(LayerStack::Plan{.stack = layers,
                                                         .head = plan.head,
                                                         .shape = plan.shape,
                                                         .seed = plan.seed,
                                                         .hidden_outputs = layers.hidden,
                                                         .jumps_from_embedding = true},
                                        [&](Network& network, const LayerPlace& place) {
                                          return std::make_unique<MolecularGinLayer>(
                                              network, place,
                                              MolecularGinLayer::Options{layers, molecular_});
                                        });
  }
  bool adds_neighbours() const override { return GinOptions::adds_neighbours(); }

 private:
  GinOptions options_;
  GinForm form_ = GinForm::kPlain;
  MolecularGinOptions molecular_;
};

}  // namespace

std::unique_ptr<MethodConfig> gin_config(bool em) { return std::make_unique<GinConfig>(em); }

}  // namespace emgnn
