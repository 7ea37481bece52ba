// SPDX-License-Identifier: Apache-2.0
#include <emgnn/run/trial_plan.h>

#include <algorithm>
#include <cmath>
#include <functional>

namespace emgnn {

namespace {

using Values = std::map<std::string, std::string>;

constexpr int64_t kFewestEpochs = 4;  // fewer say nothing
constexpr int64_t kMostEpochs = 60;   // more tell little that is new
constexpr double kBackward = 2.0;     // beside the way forward

double number(const Values& values, const std::string& key, double otherwise) {
  const auto found = values.find(key);
  return found == values.end() ? otherwise : std::stod(found->second);
}

std::string text(const Values& values, const std::string& key) {
  const auto found = values.find(key);
  return found == values.end() ? "" : found->second;
}

// One way through the network: X W₁, then a sum over neighbours and a product in each layer.
double forward_work(const Values& values, const GraphFacts& facts) {
  const double layers = number(values, "model.layers", 2.0);
  const double width = number(values, "model.hidden", 64.0) * number(values, "model.heads", 1.0);
  const auto nodes = static_cast<double>(facts.num_nodes);
  const double neighbours = 2.0 * static_cast<double>(facts.num_edges) + nodes;
  return static_cast<double>(facts.num_feature_entries) * width + layers * neighbours * width +
         (layers - 1.0) * nodes * width * width;
}

// Epochs of one learner; EM has as many as its rounds have steps.
double epochs_of(const Values& values) {
  if (!values.contains("em.rounds")) return number(values, "fit.epochs", 1.0);
  return number(values, "em.warmup", 0.0) +
         number(values, "em.rounds", 1.0) * number(values, "em.steps", 1.0);
}

}  // namespace

TrialCost cost_of(const Values& run, const Values& trial, const GraphFacts& facts) {
  const double learners =
      number(run, "ensemble", 1.0) *
      (text(run, "em.evidence") == "cross-fit" ? number(run, "em.folds", 1.0) : 1.0);
  const double validation = 1.0 / number(run, "stop.every", 1.0);
  return {
      .epoch = (1.0 + kBackward) * forward_work(trial, facts),
      .full = learners * epochs_of(run) * (1.0 + kBackward + validation) * forward_work(run, facts),
      .epochs = static_cast<int64_t>(epochs_of(trial))};
}

std::vector<Rung> plan_rungs(std::span<const TrialCost> costs, double share) {
  std::vector<size_t> sizes;
  for (size_t k = costs.size(); k > 1; k = (k + 1) / 2) sizes.push_back(k);
  if (sizes.empty()) return {};
  std::vector<double> epoch;
  double cheapest = costs.front().full;
  int64_t longest = costs.front().epochs;
  for (const TrialCost& cost : costs) {
    epoch.push_back(cost.epoch);
    cheapest = std::min(cheapest, cost.full);
    longest = std::min(longest, cost.epochs);
  }
  std::sort(epoch.begin(), epoch.end(), std::greater<>());
  // Each rung has the same part of the work, at least if its candidates are the most expensive ones.
  const double part = share * cheapest / static_cast<double>(sizes.size());
  std::vector<Rung> out;
  int64_t trained = 0;
  for (const size_t size : sizes) {
    double together = 0.0;
    for (size_t i = 0; i < size; ++i) together += epoch[i];
    const double more = std::floor(part / together);
    trained = std::min({longest, kMostEpochs, trained + static_cast<int64_t>(std::min(more, 1e9))});
    out.push_back({size, trained});
  }
  return out.front().epochs < kFewestEpochs ? std::vector<Rung>() : out;
}

}  // namespace emgnn
