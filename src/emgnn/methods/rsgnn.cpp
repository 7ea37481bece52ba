// SPDX-License-Identifier: Apache-2.0
#include <emgnn/base/error.h>
#include <emgnn/methods/method.h>
#include <emgnn/methods/rsgnn_learner.h>

namespace emgnn {

namespace {

class RsgnnConfig : public MethodConfig {
 public:
  void describe(OptionVisitor& visitor, const DataFacts& /*facts*/) override {
    emgnn::describe(visitor, options_.fit);
    emgnn::describe(visitor, options_.model);
    emgnn::describe(visitor, task_, LabelKind::kClasses);
    emgnn::describe(visitor, options_.optim);
    visitor.real("optim.link_learning_rate", options_.link_learning_rate, 0.0, 1e3,
                 "Adam's learning rate for the link predictor");
    emgnn::describe(visitor, options_.stop);
  }

  std::shared_ptr<Learner> learner(const LearnerInput& input) const override {
    const Data& data = *input.data;
    EMGNN_CHECK(data.labels().kind == LabelKind::kClasses, "rsgnn is for one class per node",
                name_of(data.labels().kind));
    const int64_t nearest = options_.model.candidates;
    std::shared_ptr<const LinkCandidates>& links = input.prepared->links[nearest];
    if (!links)
      links = std::make_shared<const LinkCandidates>(link_candidates(*data.graph(), nearest));
    RsgnnLearnerOptions options = options_;
    options.seed = input.seed;
    return std::make_shared<RsgnnLearner>(
        input.data, links, make_task(data.labels(), task_, data.split().train), options);
  }

 private:
  RsgnnLearnerOptions options_;
  TaskOptions task_;
};

}  // namespace

std::unique_ptr<MethodConfig> rsgnn_config(bool /*em*/) { return std::make_unique<RsgnnConfig>(); }

}  // namespace emgnn
