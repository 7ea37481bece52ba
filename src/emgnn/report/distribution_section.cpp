// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include <emgnn/learn/mean_std.h>
#include <emgnn/report/charts.h>
#include <emgnn/report/sections.h>
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

std::vector<Bar> bars_of(const GraphDistribution& graphs, size_t coordinate) {
  const std::vector<double> grid = grid_of(graphs, coordinate);
  std::vector<Bar> out;
  for (const double v : grid) out.push_back({.value = v});
  for (const auto& [value, p] : marginal(graphs.points, coordinate))
    out[nearest(grid, value)].p += p;
  for (const auto& [value, p] : graphs.prior[coordinate]) out[nearest(grid, value)].prior += p;
  return out;
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

// All shares on one axis; what is no share may have another unit.
std::vector<Chart> charts_of(const GraphDistribution& graphs) {
  const size_t n = graphs.names.size(), shares = graphs.num_shares;
  if (n == 1)
    return {bar_chart("Probability of " + graphs.names[0], graphs.names[0], bars_of(graphs, 0))};
  if (n == 2 && shares == 2)
    return {
        bar_chart(fmt::format("Weight of {} (the rest is {})", graphs.names[0], graphs.names[1]),
                  "weight of " + graphs.names[0], bars_of(graphs, 0)),
        interval_chart("Weights", "weight", intervals_of(graphs, 0, 2))};
  std::vector<Chart> out;
  if (n == 2 && shares == 0) out.push_back(heat_map(map_of(graphs)));
  if (shares == 3) out.push_back(triangle_of(graphs));
  if (shares > 0)
    out.push_back(
        interval_chart("Weights of the views", "weight", intervals_of(graphs, 0, shares)));
  for (size_t c = shares; c < n; ++c) {
    const std::vector<Bar> bars = bars_of(graphs, c);
    if (bars.size() > 1)
      out.push_back(bar_chart("Probability of " + graphs.names[c], graphs.names[c], bars));
  }
  return out;
}

// Of the one graph that was learned, the mean over the runs.
std::string learned_shares(const std::vector<RunRecord>& runs) {
  Table table{.caption = "Shares of the one graph that was learned",
              .columns = {"view", "mean", "std"},
              .rows = {}};
  for (size_t v = 0; v < runs.front().fit.shares.size(); ++v) {
    std::vector<double> each;
    for (const RunRecord& run : runs) each.push_back(run.fit.shares.at(v).value);
    const MeanStd moments = mean_std(each);
    table.rows.push_back(
        {cell(runs.front().fit.shares[v].name), cell(moments.mean), cell(moments.std)});
  }
  return table.rows.empty() ? "" : to_html(table);
}

}  // namespace

std::string distribution_section(const RunContents& contents) {
  if (contents.finished.empty()) return "";
  const std::optional<GraphDistribution> graphs = mean_graphs(contents.finished);
  if (!graphs) return learned_shares(contents.finished);
  if (graphs->names.empty())
    return fmt::format(
        "<p>The graphs are drawn from a model of the edges and have no parameter; its tables are "
        "beside the results in the folder of the run.</p>\n");
  if (graphs->points.size() < 2)
    return "<p>There is a single graph in the family: nothing to choose between.</p>\n";
  const std::string over = contents.finished.size() == 1
                               ? ""
                               : fmt::format(", the mean over {} runs", contents.finished.size());
  return fmt::format("<p>Family: {}, {} points with mass{}.</p>\n", escaped(graphs->family),
                     count_text(static_cast<int64_t>(graphs->points.size())), over) +
         to_html(charts_of(*graphs));
}

}  // namespace emgnn
