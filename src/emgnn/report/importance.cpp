// SPDX-License-Identifier: Apache-2.0
#include <emgnn/report/importance.h>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include <emgnn/report/marginal.h>
#include <emgnn/space/simplex.h>

namespace emgnn {

namespace {

// KL(p || p_0) for the weight of one type, p_0 its distribution on the grid's equally likely points
double nats_from_prior(const Marginal& distribution, const SimplexGrid& grid) {
  double nats = 0.0;
  for (const auto& [value, p] : distribution) {
    if (p <= 0.0) continue;
    const auto part = static_cast<int>(std::lround(value * grid.total()));
    nats += p * std::log(p / grid.share_with_part(part));
  }
  return nats;
}

}  // namespace

Importance importance_of(const std::vector<std::string>& names,
                         const std::vector<WeightedPoint>& posterior, double step) {
  Importance out;
  if (names.size() < 2 || posterior.empty() || !sums_to_one(posterior)) return out;
  const SimplexGrid grid(static_cast<int>(names.size()), static_cast<int>(std::lround(1.0 / step)));
  for (size_t c = 0; c < names.size(); ++c) {
    const Marginal distribution = marginal(posterior, c);
    const MarginalSummary summary = summarise(distribution);
    out.weights.push_back({names[c], summary.mean, summary.low, summary.high});
    out.nats = std::max(out.nats, nats_from_prior(distribution, grid));
  }
  return out;
}

std::string in_words(const Importance& importance) {
  if (importance.weights.empty()) return "";
  if (!importance.informative()) {
    return fmt::format(
        "warning: the learned distribution cannot be told from the prior ({:.3f} nats); its "
        "weights "
        "say nothing about the edge types",
        importance.nats);
  }
  const auto less = [](const EdgeTypeWeight& a, const EdgeTypeWeight& b) {
    return a.mean < b.mean;
  };
  const auto [bottom, top] =
      std::minmax_element(importance.weights.begin(), importance.weights.end(), less);
  const std::string claim = importance.weights.size() == 2
                                ? fmt::format("more weight than {}", bottom->name)
                                : fmt::format("the most weight of {}", importance.weights.size());
  return fmt::format("{} carries {}: mean {:.2f}, 90 % interval {:.2f} to {:.2f}", top->name, claim,
                     top->mean, top->low, top->high);
}

}  // namespace emgnn
