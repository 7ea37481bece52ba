// SPDX-License-Identifier: Apache-2.0
#include <emgnn/learn/network_learner.h>

#include <utility>

namespace emgnn {

namespace {

const GraphWeights& as_given() {
  static const GraphWeights one{.lam_ids = {0}, .log_prob = {0.0}};
  return one;
}

}  // namespace

NetworkLearner::NetworkLearner(Problem problem, const NetworkLearnerOptions& options)
    : problem_(std::move(problem)),
      options_(options),
      loop_({problem_.shared_network()}, {.optim = options.optim,
                                          .stop = options.stop,
                                          .rule = stop_rule(options.stop, problem_.task())}) {}

FitSummary NetworkLearner::summary() const {
  FitSummary out{.epochs = loop_.epochs(), .stopped_early = loop_.stopped_early()};
  const std::vector<double> shares = problem_.network().shares();
  const std::vector<std::string> names = problem_.family().coordinate_names();
  for (size_t v = 0; v < shares.size(); ++v) out.shares.push_back({names[v], shares[v]});
  return out;
}

double NetworkLearner::descend(size_t /*member*/, int64_t epoch, int64_t step) {
  const Mode mode{.training = true, .seed = problem_.seed(), .step = static_cast<uint64_t>(step)};
  const Objective objective = problem_.objective({}, mode, {epoch, max_epochs()});
  objective.value.backward();
  return objective.mean_loss;
}

PartScores NetworkLearner::validate(size_t /*member*/, Ranks ranks) {
  return problem_.validate(as_given(), ranks);
}

Prediction NetworkLearner::predict(std::span<const int32_t> rows, const Poll& poll) {
  return problem_.predict(as_given(), rows, poll);
}

void NetworkLearner::visit_state(StateVisitor& visitor) {
  problem_.task().visit_state(visitor);
  loop_.visit_state(visitor);
}

}  // namespace emgnn
