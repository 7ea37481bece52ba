// SPDX-License-Identifier: Apache-2.0
#include <emgnn/report/distribution_charts.h>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include <emgnn/run/marginal.h>

namespace emgnn {

namespace {

// The values of a coordinate: those of its prior, and such as it lacks.
std::vector<double> grid_of(const GraphDistribution& graphs, size_t coordinate) {
  std::vector<double> all;
  for (const auto& [value, p] : graphs.prior[coordinate]) all.push_back(value);
  for (const auto& [value, p] : marginal(graphs.points, coordinate)) all.push_back(value);
  std::sort(all.begin(), all.end());
  std::vector<double> out;
  for (const double v : all)  // equal up to rounding
    if (out.empty() || v - out.back() > 1e-9 * (1.0 + std::abs(v))) out.push_back(v);
  return out;
}

size_t nearest(const std::vector<double>& grid, double value) {
  const auto above = std::lower_bound(grid.begin(), grid.end(), value);
  if (above == grid.begin()) return 0;
  const auto i = static_cast<size_t>(above - grid.begin());
  return above == grid.end() || value - grid[i - 1] < grid[i] - value ? i - 1 : i;
}

HeatMap map_of(const GraphDistribution& graphs) {
  HeatMap out{.caption = "Probability of each point",
              .x_label = graphs.names[0],
              .y_label = graphs.names[1],
              .x = grid_of(graphs, 0),
              .y = grid_of(graphs, 1),
              .p = {}};
  out.p.resize(out.x.size() * out.y.size());
  for (const WeightedPoint& point : graphs.points)
    out.p[nearest(out.y, point.lambda[1]) * out.x.size() + nearest(out.x, point.lambda[0])] +=
        point.p;
  return out;
}

Chart triangle_of(const GraphDistribution& graphs) {
  std::map<std::array<double, 3>, double> sum;  // over what else λ has
  for (const WeightedPoint& point : graphs.points)
    sum[{point.lambda[0], point.lambda[1], point.lambda[2]}] += point.p;
  std::vector<TernaryPoint> points;
  for (const auto& [share, p] : sum) points.push_back({share, p});
  return ternary_chart("Probability of each mixture",
                       {graphs.names[0], graphs.names[1], graphs.names[2]}, points);
}

std::vector<IntervalRow> intervals_of(const GraphDistribution& graphs, size_t begin, size_t end) {
  const auto interval = [](const Marginal& of) {
    const MarginalSummary summary = summarise(of);
    return Interval{summary.mean, summary.low, summary.high};
  };
  std::vector<IntervalRow> out;
  for (size_t c = begin; c < end; ++c)
    out.push_back(
        {graphs.names[c], interval(marginal(graphs.points, c)), interval(graphs.prior[c])});
  return out;
}

}  // namespace

std::vector<Bar> marginal_bars(const GraphDistribution& graphs, size_t coordinate) {
  const std::vector<double> grid = grid_of(graphs, coordinate);
  std::vector<Bar> out;
  for (const double v : grid) out.push_back({.value = v});
  for (const auto& [value, p] : marginal(graphs.points, coordinate))
    out[nearest(grid, value)].p += p;
  for (const auto& [value, p] : graphs.prior[coordinate]) out[nearest(grid, value)].prior += p;
  return out;
}

// All shares on one axis; what is no share may have another unit.
std::vector<Chart> distribution_charts(const GraphDistribution& graphs) {
  const size_t n = graphs.names.size(), shares = graphs.num_shares;
  if (n == 1)
    return {
        bar_chart("Probability of " + graphs.names[0], graphs.names[0], marginal_bars(graphs, 0))};
  if (n == 2 && shares == 2)
    return {
        bar_chart(fmt::format("Weight of {} (the rest is {})", graphs.names[0], graphs.names[1]),
                  "weight of " + graphs.names[0], marginal_bars(graphs, 0)),
        interval_chart("Weights", "weight", intervals_of(graphs, 0, 2))};
  std::vector<Chart> out;
  if (n == 2 && shares == 0) out.push_back(heat_map(map_of(graphs)));
  if (shares == 3) out.push_back(triangle_of(graphs));
  if (shares > 0)
    out.push_back(
        interval_chart("Weights of the views", "weight", intervals_of(graphs, 0, shares)));
  for (size_t c = shares; c < n; ++c) {
    const std::vector<Bar> bars = marginal_bars(graphs, c);
    if (bars.size() > 1)
      out.push_back(bar_chart("Probability of " + graphs.names[c], graphs.names[c], bars));
  }
  return out;
}

}  // namespace emgnn
