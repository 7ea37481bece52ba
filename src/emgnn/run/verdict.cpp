// SPDX-License-Identifier: Apache-2.0
#include <emgnn/run/verdict.h>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include <emgnn/run/marginal.h>

namespace emgnn {

namespace {

// What counts as clear, as in the central 90 % interval.
constexpr double kClear = 0.9;

struct Shift {
  double nats = 0.0;   // KL(p || p_0)
  double moved = 0.0;  // ½ Σ |p − p_0| = 1 − Σ min(p, p_0)
};

// Of one coordinate; values of the two agree up to rounding.
Shift shift_from_prior(const Marginal& distribution, const Marginal& prior) {
  Shift out;
  double kept = 0.0;
  for (const auto& [value, p] : distribution) {
    if (p <= 0.0) continue;
    auto found = prior.lower_bound(value - 1e-9 * (1.0 + std::abs(value)));
    if (found == prior.end() || found->second <= 0.0) continue;
    out.nats += p * std::log(p / found->second);
    kept += std::min(p, found->second);
  }
  out.moved = std::max(0.0, 1.0 - kept);
  return out;
}

std::string interval(const CoordinateSummary& c) {
  return fmt::format("90 % interval {:.2f} to {:.2f}", c.low, c.high);
}

std::string against_prior(const Verdict& verdict, bool shares) {
  if (verdict.informative()) {
    return fmt::format(
        "learned: {:.0f} % of the prior probability of {} moved ({:.2f} nats; {} or more counts)",
        100.0 * verdict.moved, verdict.moved_name, verdict.nats, kInformativeNats);
  }
  return fmt::format(
      "warning: the learned distribution is indistinguishable from the prior ({:.3f} nats, "
      "{:.0f} % of the probability moved); it says nothing about {}",
      verdict.nats, 100.0 * verdict.moved, shares ? "what is mixed" : "the graphs");
}

// Where "no graph" is a point of the family, the node itself has a share of the weight.
std::string use_of_graphs(const GraphDistribution& graphs, size_t none,
                          const CoordinateSummary& itself) {
  double alone = 0.0;
  for (const WeightedPoint& point : graphs.points)
    if (point.lambda[none] > 1.0 - 1e-9) alone += point.p;
  const char* claim = itself.low >= 0.5   ? "the graphs hardly help"
                      : itself.high < 0.5 ? "the graphs help"
                                          : "how much the graphs help is open";
  return fmt::format(
      "{}: the node itself carries {:.2f} of the weight, {}; no graph at all has probability "
      "{:.2f}",
      claim, itself.mean, interval(itself), alone);
}

// The probability that one of `views` has more weight than each of the others.
double probability_of_most(const GraphDistribution& graphs, const std::vector<size_t>& views,
                           size_t most) {
  double out = 0.0;
  for (const WeightedPoint& point : graphs.points) {
    const bool is_most = std::all_of(views.begin(), views.end(), [&](size_t v) {
      return v == most || point.lambda[v] < point.lambda[most];
    });
    if (is_most) out += point.p;
  }
  return out;
}

std::string heaviest(const GraphDistribution& graphs, const Verdict& verdict,
                     const std::vector<size_t>& views) {
  const std::vector<CoordinateSummary>& all = verdict.coordinates;
  const auto less = [&](size_t a, size_t b) { return all[a].mean < all[b].mean; };
  const auto [bottom, top] = std::minmax_element(views.begin(), views.end(), less);
  const CoordinateSummary& most = all[*top];
  if (probability_of_most(graphs, views, *top) < kClear) {
    return fmt::format(
        "no view clearly carries the most weight; {} has the largest mean: {:.2f}, {}", most.name,
        most.mean, interval(most));
  }
  const std::string claim = views.size() == 2
                                ? fmt::format("more weight than {}", all[*bottom].name)
                                : fmt::format("the most weight of {}", views.size());
  return fmt::format("{} carries {}: mean {:.2f}, {}", most.name, claim, most.mean, interval(most));
}

void add_shares(std::vector<std::string>& lines, const GraphDistribution& graphs,
                const Verdict& verdict) {
  std::vector<size_t> views;
  for (size_t c = 0; c < graphs.num_shares; ++c) {
    if (graphs.names[c] == kNoGraph) {
      lines.push_back(use_of_graphs(graphs, c, verdict.coordinates[c]));
    } else {
      views.push_back(c);
    }
  }
  if (views.size() > 1) lines.push_back(heaviest(graphs, verdict, views));
}

std::string coordinates_in_words(const Verdict& verdict) {
  std::vector<std::string> parts;
  for (const CoordinateSummary& c : verdict.coordinates)
    parts.push_back(fmt::format("{} mean {:.2f}, {}", c.name, c.mean, interval(c)));
  return fmt::format("{}", fmt::join(parts, "; "));
}

// Such a network has learned nothing but which class is the largest: its accuracy is that class's
// share of the rows.
std::string constant_answer(const std::vector<RunRecord>& runs) {
  const auto constant = [](const RunRecord& run) { return run.one_answer.has_value(); };
  const auto count = std::count_if(runs.begin(), runs.end(), constant);
  if (count == 0) return "";
  const std::string& answer = *std::find_if(runs.begin(), runs.end(), constant)->one_answer;
  const std::string which =
      runs.size() == 1 ? "" : fmt::format("in {} of {} runs ", count, runs.size());
  return fmt::format(
      "warning: {}every {} row is predicted to be {:?}: the accuracy is that class's share of the "
      "rows, not something learned",
      which, runs.front().test ? "validation and test" : "validation", answer);
}

std::optional<double> mean_change(const std::vector<RunRecord>& runs) {
  double changed = 0.0;
  for (const RunRecord& run : runs) {
    if (!run.changed_by_graph) return std::nullopt;
    changed += *run.changed_by_graph;
  }
  return changed / static_cast<double>(runs.size());
}

}  // namespace

Verdict verdict_of(const GraphDistribution& graphs) {
  Verdict out;
  for (size_t c = 0; c < graphs.names.size(); ++c) {
    const Marginal distribution = marginal(graphs.points, c);
    const MarginalSummary summary = summarise(distribution);
    out.coordinates.push_back({graphs.names[c], summary.mean, summary.low, summary.high});
    const Shift shift = shift_from_prior(distribution, graphs.prior[c]);
    if (c > 0 && shift.nats <= out.nats) continue;
    out.nats = std::max(0.0, shift.nats);
    out.moved = shift.moved;
    out.moved_name = graphs.names[c];
  }
  return out;
}

std::vector<std::string> in_words(const GraphDistribution& graphs,
                                  std::optional<double> changed_by_graph) {
  if (graphs.points.size() < 2 && graphs.prior.size() == 1 && graphs.prior[0].size() == 1)
    return {};
  const Verdict verdict = verdict_of(graphs);
  std::vector<std::string> out;
  if (!graphs.names.empty()) out.push_back(against_prior(verdict, graphs.num_shares > 0));
  if (verdict.informative() && graphs.num_shares > 0) add_shares(out, graphs, verdict);
  if (verdict.informative() && graphs.num_shares == 0) out.push_back(coordinates_in_words(verdict));
  if (changed_by_graph) {
    out.push_back(fmt::format(
        "one graph of this distribution, with one network, would on average change {:.1f} % of the "
        "answers",
        100.0 * *changed_by_graph));
  }
  return out;
}

std::vector<std::string> in_words(const std::vector<RunRecord>& runs) {
  std::vector<std::string> out;
  if (const std::string warning = constant_answer(runs); !warning.empty()) out.push_back(warning);
  const std::optional<GraphDistribution> graphs = mean_graphs(runs);
  if (!graphs) return out;
  for (std::string& line : in_words(*graphs, mean_change(runs))) out.push_back(std::move(line));
  return out;
}

}  // namespace emgnn
