// SPDX-License-Identifier: Apache-2.0
#include <emgnn/methods/network_config.h>

#include <emgnn/em/em_learner.h>
#include <emgnn/learn/network_learner.h>
#include <emgnn/space/no_graph.h>

namespace emgnn {

void NetworkConfig::describe(OptionVisitor& visitor, const DataFacts& facts) {
  const bool molecules = facts.kind == DataKind::kMolecules;
  if (em_) {
    emgnn::describe(visitor, em_options_);
    emgnn::describe(visitor, mcmc_);
  } else {
    emgnn::describe(visitor, fit_);
  }
  if (uses_graph()) emgnn::describe(visitor, family_, facts, em_);
  describe_network(visitor);
  if (molecules) emgnn::describe(visitor, head_);
  emgnn::describe(visitor, task_, facts.labels.value_or(LabelKind::kNone));
  const bool classes = !facts.labels || *facts.labels == LabelKind::kClasses;
  if (!molecules && classes) emgnn::describe(visitor, agreement_);
  emgnn::describe(visitor, optim_);
  if (molecules) emgnn::describe(visitor, batch_);
  emgnn::describe(visitor, stop_);
}

std::shared_ptr<const GraphFamily> NetworkConfig::family(const LearnerInput& input) const {
  if (!uses_graph() && input.data->kind() == DataKind::kGraph)
    return std::make_shared<NoGraphFamily>(input.data->graph());
  return make_family(family_, input, em_);
}

std::shared_ptr<Learner> NetworkConfig::learner(const LearnerInput& input) const {
  const Data& data = *input.data;
  const bool molecules = data.kind() == DataKind::kMolecules;
  ProblemParts parts{.data = input.data,
                     .family = family(input),
                     .network = nullptr,
                     .task = make_task(data.labels(), task_, data.split().train)};
  parts.network = make_network({.shape = {.num_nodes = molecules ? 0 : data.num_rows(),
                                          .num_features = data.num_features(),
                                          .num_outputs = parts.task->num_outputs(),
                                          .reads_out = molecules},
                                .head = head_,
                                .em = em_,
                                .seed = input.seed});
  const ProblemOptions problem{
      .batch = batch_,
      .agreement = agreement_,
      .average = em_options_.average,
      .evidence_from_validation = em_options_.labels == EvidenceLabels::kTrainAndValidation,
      .seed = input.seed};
  if (!em_) {
    return std::make_shared<NetworkLearner>(
        parts, problem,
        NetworkLearnerOptions{.fit = fit_, .optim = optim_, .stop = stop_, .seed = input.seed});
  }
  return std::make_shared<EmLearner>(
      parts, problem,
      EmLearnerOptions{
          .em = em_options_, .mcmc = mcmc_, .optim = optim_, .stop = stop_, .seed = input.seed});
}

}  // namespace emgnn
