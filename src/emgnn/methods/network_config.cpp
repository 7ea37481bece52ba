// SPDX-License-Identifier: Apache-2.0
#include <emgnn/methods/network_config.h>

#include <emgnn/base/error.h>
#include <emgnn/em/em_learner.h>
#include <emgnn/learn/folds.h>
#include <emgnn/learn/network_learner.h>
#include <emgnn/models/learned_mixture.h>
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
  if (uses_graph()) emgnn::describe(visitor, family_, facts, reading());
  describe_network(visitor, facts);
  if (molecules && !has_own_readout()) emgnn::describe(visitor, head_);
  emgnn::describe(visitor, task_, facts.labels.value_or(LabelKind::kNone));
  const bool classes = !facts.labels || *facts.labels == LabelKind::kClasses;
  if (!molecules && classes && !takes_rows()) emgnn::describe(visitor, agreement_);
  emgnn::describe(visitor, optim_);
  if (molecules || takes_rows()) {
    emgnn::describe(visitor, batch_);
  } else {
    emgnn::describe(visitor, nodes_);
  }
  emgnn::describe(visitor, stop_);
}

GraphReading NetworkConfig::reading() const {
  return {.em = em_, .weights = em_ || reads_weights(), .distances = reads_distances()};
}

std::shared_ptr<const GraphFamily> NetworkConfig::family(const LearnerInput& input) const {
  if (std::shared_ptr<const GraphFamily> own = own_family(input)) return own;
  if (!uses_graph() && input.data->kind() == DataKind::kGraph)
    return std::make_shared<NoGraphFamily>(input.data->graph());
  return make_family(family_, input, reading());
}

std::shared_ptr<Network> NetworkConfig::network(const ProblemParts& parts, uint64_t seed) const {
  const Data& data = *parts.data;
  const bool molecules = data.kind() == DataKind::kMolecules;
  const auto coordinates = static_cast<int64_t>(parts.family->coordinate_names().size());
  // Shares have the identity beside the views.
  const bool shares = uses_graph() && family_.graph.mixing != Mixing::kDegree;
  DescriptorScale scale;
  if (molecules && !has_own_readout() && head_.descriptors)
    scale = DescriptorScale::fit(data.table()->molecules, data.split().train);
  std::shared_ptr<Network> out =
      make_network({.shape = {.num_nodes = molecules ? 0 : data.num_rows(),
                              .num_features = data.num_features(),
                              .num_outputs = parts.task->num_outputs(),
                              .reads_out = molecules,
                              .num_entry_features = parts.family->num_entry_features(),
                              .descriptors = scale.empty() ? nullptr : &scale},
                    .head = head_,
                    .em = em_,
                    .data = parts.data,
                    .family = parts.family,
                    .num_views = coordinates - (shares ? 1 : 0),
                    .seed = seed});
  if (em_ || molecules || !uses_graph() || family_.graph.mixing != Mixing::kLearned) return out;
  return std::make_shared<LearnedMixture>(std::move(out), coordinates);
}

// One network; or as many as there are folds, each of which judges graphs by its own.
std::vector<Problem> NetworkConfig::problems(const ProblemParts& parts, uint64_t seed) const {
  const Data& data = *parts.data;
  ProblemOptions options{.batch = batch_,
                         .nodes = nodes_,
                         .agreement = agreement_,
                         .average = em_options_.average,
                         .evidence = em_options_.evidence,
                         .left_out = {},
                         .seed = seed};
  const bool cross_fit = em_ && em_options_.evidence == EvidenceKind::kCrossFit;
  // Networks that only predict leave nothing out.
  std::vector<std::vector<int32_t>> folds(cross_fit ? static_cast<size_t>(em_options_.folds)
                                                    : size_t{1});
  if (cross_fit && !data.split().train.empty())
    folds = stratified_folds(data.labels(), data.split().train, em_options_.folds, seed);
  std::vector<Problem> out;
  for (size_t k = 0; k < folds.size(); ++k) {
    ProblemParts own = parts;
    options.left_out = std::move(folds[k]);
    options.seed = member_seed(seed, Stream::kFold, k);
    own.network = network(parts, options.seed);
    out.emplace_back(std::move(own), options);
  }
  return out;
}

std::shared_ptr<Learner> NetworkConfig::learner(const LearnerInput& input) const {
  const Data& data = *input.data;
  if (data.kind() == DataKind::kGraph && adds_neighbours()) {
    const Mixing mixing = em_ ? family_.mixture.mixing : family_.graph.mixing;
    if (mixing != Mixing::kDegree)
      throw UsageError(
          "this network adds up neighbours, of which shares know nothing; use "
          "space.mixing=degree, or a network such as gcn");
  }
  const ProblemParts parts{.data = input.data,
                           .family = family(input),
                           .network = nullptr,
                           .task = make_task(data.labels(), task_, data.split().train)};
  std::vector<Problem> all = problems(parts, input.seed);
  if (!em_) {
    return std::make_shared<NetworkLearner>(
        std::move(all.front()), NetworkLearnerOptions{.fit = fit_, .optim = optim_, .stop = stop_});
  }
  return std::make_shared<EmLearner>(
      std::move(all),
      EmLearnerOptions{
          .em = em_options_, .mcmc = mcmc_, .optim = optim_, .stop = stop_, .seed = input.seed});
}

}  // namespace emgnn
