// SPDX-License-Identifier: Apache-2.0
#include <emgnn/base/error.h>
#include <emgnn/learn/bgcn_learner.h>
#include <emgnn/learn/task.h>
#include <emgnn/methods/method.h>
#include <emgnn/models/gcn.h>

namespace emgnn {

namespace {

class BgcnConfig : public MethodConfig {
 public:
  void describe(OptionVisitor& visitor, const DataFacts& /*facts*/) override {
    emgnn::describe(visitor, fit_);
    emgnn::describe(visitor, bgcn_);
    emgnn::describe(visitor, normalisation_);
    emgnn::describe(visitor, gcn_);
    emgnn::describe(visitor, task_, LabelKind::kClasses);
    emgnn::describe(visitor, optim_);
  }

  std::shared_ptr<Learner> learner(const LearnerInput& input) const override {
    const Data& data = *input.data;
    EMGNN_CHECK(data.labels().kind == LabelKind::kClasses, "bgcn is for one class per node",
                name_of(data.labels().kind));
    const std::shared_ptr<Task> task = make_task(data.labels(), task_, data.split().train);
    return std::make_shared<BgcnLearner>(
        BgcnParts{.data = input.data,
                  .network = network({.num_nodes = data.num_rows(),
                                      .num_features = data.num_features(),
                                      .num_outputs = task->num_outputs()},
                                     input.seed),
                  .task = task},
        BgcnLearnerOptions{.bgcn = bgcn_,
                           .normalisation = normalisation_,
                           .fit = fit_,
                           .optim = optim_,
                           .seed = input.seed});
  }

 private:
  std::shared_ptr<Network> network(const NetworkShape& shape, uint64_t seed) const {
    return std::make_shared<LayerStack>(
        LayerStack::Plan{gcn_.stack, {}, shape, seed, gcn_.stack.hidden},
        [&](Network& network, const LayerPlace& place) {
          return std::make_unique<GcnLayer>(network, place, gcn_);
        });
  }

  FitOptions fit_{.epochs = 300};
  BgcnOptions bgcn_;
  Normalisation normalisation_ = Normalisation::kRow;
  GcnOptions gcn_;
  TaskOptions task_;
  OptimOptions optim_;
};

}  // namespace

std::unique_ptr<MethodConfig> bgcn_config(bool /*em*/) { return std::make_unique<BgcnConfig>(); }

}  // namespace emgnn
