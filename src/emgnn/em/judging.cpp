// SPDX-License-Identifier: Apache-2.0
#include <emgnn/em/judging.h>

#include <algorithm>
#include <set>

namespace emgnn {

namespace {

// About a second.
constexpr double kFreeWork = 2e9;
// Below this a fit of the loss says little.
constexpr int64_t kLeastSampled = 96;

int64_t between(double value, int64_t least, int64_t most) {
  return static_cast<int64_t>(
      std::clamp(value, static_cast<double>(least), static_cast<double>(most)));
}

// Each coordinate is the smallest or the largest there is.
std::vector<int64_t> extreme_points(const ParameterSpace& space) {
  std::vector<Marginal> range;
  for (size_t c = 0; c < space.coordinate_names().size(); ++c)
    range.push_back(space.prior_marginal(c));
  std::vector<int64_t> out;
  for (int64_t id = 0; id < space.size(); ++id) {
    const LambdaPoint point = space.point(id);
    bool all = true;
    for (size_t c = 0; c < point.size() && all; ++c)
      all = point[c] <= range[c].begin()->first || point[c] >= range[c].rbegin()->first;
    if (all) out.push_back(id);
  }
  return out;
}

// `count` of 0, 1, .., of - 1 at equal distances; all where there are no more.
template <class Add>
void take_evenly(int64_t count, int64_t of, const Add& add) {
  for (int64_t k = 0; k < std::min(count, of); ++k)
    add(count >= of ? k : (2 * k + 1) * of / (2 * count));
}

}  // namespace

JudgingPlan plan_judging(const Problem::Work& work, const EmOptions& em, const Judging& whole) {
  JudgingPlan out{.graphs = whole.graphs, .validation_graphs = em.validation_graphs};
  if (em.judging == 0.0 || em.posterior == PosteriorMode::kExact) return out;
  if (!(static_cast<double>(whole.graphs) * work.judge > kFreeWork)) return out;
  const double epoch = em.judging * 3.0 * static_cast<double>(em.draws) * work.train;
  double e_step = static_cast<double>(em.steps) * epoch;
  if (whole.sampled) e_step = std::max(e_step, kFreeWork);
  const int64_t least = whole.sampled ? kLeastSampled : 1;
  out.graphs = between(e_step / work.judge, std::min(least, whole.graphs), whole.graphs);
  if (work.validate > 0.0)
    out.validation_graphs =
        between(static_cast<double>(whole.every) * epoch / work.validate, 1, em.validation_graphs);
  out.limited = out.graphs < whole.graphs || out.validation_graphs < em.validation_graphs;
  return out;
}

std::vector<int64_t> spread_points(const ParameterSpace& space, int64_t most) {
  const std::vector<int64_t> extreme = extreme_points(space);
  std::set<int64_t> ids;
  take_evenly(most / 2, static_cast<int64_t>(extreme.size()),
              [&](int64_t k) { ids.insert(extreme[static_cast<size_t>(k)]); });
  take_evenly(most - static_cast<int64_t>(ids.size()), space.size(),
              [&](int64_t k) { ids.insert(k); });
  return {ids.begin(), ids.end()};
}

}  // namespace emgnn
