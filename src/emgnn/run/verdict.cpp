// SPDX-License-Identifier: Apache-2.0
#include <emgnn/run/verdict.h>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include <emgnn/run/marginal.h>

namespace emgnn {

namespace {

// KL(p || p_0) of one coordinate; values of the two agree up to rounding.
double nats_from_prior(const Marginal& distribution, const Marginal& prior) {
  double nats = 0.0;
  for (const auto& [value, p] : distribution) {
    if (p <= 0.0) continue;
    auto found = prior.lower_bound(value - 1e-9 * (1.0 + std::abs(value)));
    if (found == prior.end() || found->second <= 0.0) continue;
    nats += p * std::log(p / found->second);
  }
  return nats;
}

std::string largest_share(std::span<const CoordinateSummary> shares) {
  const auto less = [](const CoordinateSummary& a, const CoordinateSummary& b) {
    return a.mean < b.mean;
  };
  const auto [bottom, top] = std::minmax_element(shares.begin(), shares.end(), less);
  if (top->name == "none") {
    return fmt::format(
        "the graphs hardly help: the node itself carries the most weight, mean {:.2f}, 90 % "
        "interval "
        "{:.2f} to {:.2f}",
        top->mean, top->low, top->high);
  }
  const std::string claim = shares.size() == 2
                                ? fmt::format("more weight than {}", bottom->name)
                                : fmt::format("the most weight of {}", shares.size());
  return fmt::format("{} carries {}: mean {:.2f}, 90 % interval {:.2f} to {:.2f}", top->name, claim,
                     top->mean, top->low, top->high);
}

}  // namespace

Verdict verdict_of(const GraphDistribution& graphs) {
  Verdict out;
  for (size_t c = 0; c < graphs.names.size(); ++c) {
    const Marginal distribution = marginal(graphs.points, c);
    const MarginalSummary summary = summarise(distribution);
    out.coordinates.push_back({graphs.names[c], summary.mean, summary.low, summary.high});
    out.nats = std::max(out.nats, nats_from_prior(distribution, graphs.prior[c]));
  }
  return out;
}

std::string in_words(const GraphDistribution& graphs) {
  if (graphs.points.size() < 2 && graphs.prior.size() == 1 && graphs.prior[0].size() == 1)
    return "";
  const Verdict verdict = verdict_of(graphs);
  if (!verdict.informative()) {
    return fmt::format(
        "warning: the learned distribution is indistinguishable from the prior ({:.3f} nats); it "
        "says nothing about {}",
        verdict.nats, graphs.num_shares > 0 ? "what is mixed" : "the graphs");
  }
  if (graphs.num_shares > 0)
    return largest_share(std::span(verdict.coordinates).first(graphs.num_shares));
  std::vector<std::string> parts;
  for (const CoordinateSummary& c : verdict.coordinates)
    parts.push_back(fmt::format("{} mean {:.2f}, 90 % interval {:.2f} to {:.2f}", c.name, c.mean,
                                c.low, c.high));
  return fmt::format("{}", fmt::join(parts, "; "));
}

}  // namespace emgnn
