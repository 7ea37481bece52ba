// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <emgnn/base/error.h>
#include <emgnn/methods/network_config.h>
#include <emgnn/models/sehgnn.h>
#include <emgnn/space/metapath_family.h>

namespace emgnn {

namespace {

class SeHgnnConfig : public NetworkConfig {
 public:
  using NetworkConfig::NetworkConfig;

 protected:
  void describe_network(OptionVisitor& visitor, const DataFacts& /*facts*/) override {
    emgnn::describe(visitor, options_);
  }
  bool uses_graph() const override { return false; }
  bool takes_rows() const override { return true; }

  // Labels differ with the split; features do not.
  std::shared_ptr<const GraphFamily> own_family(const LearnerInput& input) const override {
    const Data& data = *input.data;
    if (options_.label_hops > 0 && data.split().train.empty())
      throw UsageError(
          fmt::format("sehgnn: the model reads training labels, and {} has none; train with "
                      "model.label_hops=0 to predict on other data",
                      data.name()));
    const MetapathWalks walks(*data.graph(), data.predicted_rows());
    auto& features = input.prepared->metapaths[options_.feature_hops];
    if (!features)
      features =
          std::make_shared<const MetapathBlocks>(feature_blocks(walks, options_.feature_hops));
    return std::make_shared<MetapathFamily>(
        data.graph(), walks.rows(), features,
        label_blocks(walks, options_.label_hops, data.split().train));
  }

  // A norm of the outputs is for classes: other labels have a scale of their own.
  std::shared_ptr<Network> make_network(const Plan& plan) const override {
    SeHgnn::Plan out{.blocks = {},
                     .num_outputs = plan.shape.num_outputs,
                     .norm_outputs = plan.data->labels().kind == LabelKind::kClasses,
                     .seed = plan.seed};
    const auto family = std::static_pointer_cast<const MetapathFamily>(plan.family);
    for (const MetapathBlock* block : family->blocks())
      out.blocks.push_back({block->name, block->rows.num_cols});
    return std::make_shared<SeHgnn>(options_, out);
  }

 private:
  SeHgnnOptions options_;
};

}  // namespace

std::unique_ptr<MethodConfig> sehgnn_config(bool em) { return std::make_unique<SeHgnnConfig>(em); }

}  // namespace emgnn
