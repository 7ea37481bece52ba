// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include <emgnn/report/charts.h>
#include <emgnn/report/plot.h>

namespace emgnn {

namespace {

constexpr size_t kMostDots = 400;
constexpr int kCells = 40;

Axis shared_axis(const std::vector<ValuePoint>& points) {
  std::vector<double> all;
  for (const ValuePoint& point : points) all.insert(all.end(), {point.target, point.value});
  Axis axis = axis_of("", all);
  return axis;
}

void draw_dots(Plot& plot, const Axis& axis, const std::vector<ValuePoint>& points) {
  for (const ValuePoint& point : points) {
    if (!(point.spread > 1e-3 * (axis.high - axis.low))) continue;  // less would not be seen
    const double low = std::max(axis.low, point.value - point.spread);
    const double high = std::min(axis.high, point.value + point.spread);
    plot.drawing().line(plot.at(point.target, low), plot.at(point.target, high), "l1 faint");
  }
  for (const ValuePoint& point : points)
    plot.drawing().circle(plot.at(point.target, point.value), 2.6, "f1", 0.7);
}

void draw_cells(Plot& plot, const Axis& axis, const std::vector<ValuePoint>& points) {
  const double step = (axis.high - axis.low) / kCells;
  const auto cell_of = [&](double v) {
    return std::clamp(static_cast<int>((v - axis.low) / step), 0, kCells - 1);
  };
  std::map<std::pair<int, int>, int64_t> count;
  for (const ValuePoint& point : points) ++count[{cell_of(point.target), cell_of(point.value)}];
  int64_t most = 1;
  for (const auto& [at, n] : count) most = std::max(most, n);
  for (const auto& [at, n] : count) {
    const PixelPoint from = plot.at(axis.low + step * at.first, axis.low + step * (at.second + 1));
    const PixelPoint to = plot.at(axis.low + step * (at.first + 1), axis.low + step * at.second);
    // Logarithmic: the tails of a large table are what one looks for.
    const double shade = std::log1p(static_cast<double>(n)) / std::log1p(static_cast<double>(most));
    plot.drawing().rect(from, {to.x - from.x, to.y - from.y}, "f1", shade);
  }
}

// Means over ten stretches of the true values, each with as many rows.
Table table_of(std::vector<ValuePoint> points) {
  std::sort(points.begin(), points.end(),
            [](const ValuePoint& a, const ValuePoint& b) { return a.target < b.target; });
  Table out{.caption = "Rows in the order of the true value, in ten parts",
            .columns = {"true from", "to", "mean predicted", "root mean square error", "rows"},
            .rows = {}};
  const size_t parts = std::min<size_t>(10, points.size());
  for (size_t k = 0; k < parts; ++k) {
    const size_t begin = k * points.size() / parts, end = (k + 1) * points.size() / parts;
    double mean = 0.0, squares = 0.0;
    for (size_t i = begin; i < end; ++i) {
      mean += points[i].value;
      squares += std::pow(points[i].value - points[i].target, 2.0);
    }
    const auto rows = static_cast<double>(end - begin);
    out.rows.push_back({cell(points[begin].target), cell(points[end - 1].target), cell(mean / rows),
                        cell(std::sqrt(squares / rows)),
                        count_cell(static_cast<int64_t>(end - begin))});
  }
  return out;
}

// The 90 % interval of a share that was seen in n rows, after Wilson: it knows that few rows say little.
std::pair<double, double> wilson(double share, double n) {
  constexpr double z = 1.6448536269514722;
  const double middle = (share + z * z / (2.0 * n)) / (1.0 + z * z / n);
  const double half =
      z / (1.0 + z * z / n) * std::sqrt(share * (1.0 - share) / n + z * z / (4.0 * n * n));
  return {middle - half, middle + half};
}

void draw_diagonal(Plot& plot, const Axis& axis) {
  plot.drawing().line(plot.at(axis.low, axis.low), plot.at(axis.high, axis.high), "diagonal");
}

}  // namespace

Chart value_chart(std::string caption, std::string label, std::string interval,
                  const std::vector<ValuePoint>& points) {
  Axis x = shared_axis(points), y = x;
  x.label = fmt::format("true {}", label);
  y.label = fmt::format("predicted {}", label);
  Plot plot(x, y, 340.0);
  draw_diagonal(plot, x);
  const bool dots = points.size() <= kMostDots;
  const bool spread = dots && std::any_of(points.begin(), points.end(),
                                          [](const ValuePoint& p) { return p.spread > 0.0; });
  dots ? draw_dots(plot, x, points) : draw_cells(plot, x, points);
  Chart out{.caption = std::move(caption), .table = table_of(points)};
  out.legend.push_back({dots ? "m1" : "f1", dots ? "a row" : "the darker, the more rows"});
  if (spread) out.legend.push_back({"l1", std::move(interval)});
  out.legend.push_back({"diagonal", "predicted = true"});
  out.svg = plot.svg(fmt::format("Predicted against true values of {} rows, between {} and {}.",
                                 count_text(static_cast<int64_t>(points.size())),
                                 number_text(x.low), number_text(x.high)));
  return out;
}

Chart reliability_chart(std::string caption, const std::vector<Reliability>& curves) {
  const Axis shares{.label = "confidence in %", .low = 0.0, .high = 1.0, .percent = true};
  Axis up = shares;
  up.label = "right in %";
  Plot plot(shares, up, 340.0);
  draw_diagonal(plot, shares);
  Chart out{.caption = std::move(caption),
            .table = {.caption = "Rows by how sure the answer is",
                      .columns = {"curve", "mean confidence", "right", "rows"},
                      .rows = {}}};
  std::string summary = "Reliability diagram:";
  for (size_t k = 0; k < curves.size(); ++k) {
    const size_t style = curves.size() - k;  // the last is the main one
    int64_t all = 0;
    for (const ReliabilityBin& bin : curves[k].bins) all += bin.rows;
    std::vector<PixelPoint> line;
    double error = 0.0;
    for (const ReliabilityBin& bin : curves[k].bins) {
      if (bin.rows == 0) continue;
      const double share = static_cast<double>(bin.rows) / static_cast<double>(all);
      error += share * std::abs(bin.correct - bin.confidence);
      line.push_back(plot.at(bin.confidence, bin.correct));
      const auto [low, high] = wilson(bin.correct, static_cast<double>(bin.rows));
      if (style == 1)
        plot.drawing().line(plot.at(bin.confidence, low), plot.at(bin.confidence, high),
                            "l1 faint wide");
      plot.drawing().circle(line.back(), 2.0 + 9.0 * std::sqrt(share), fmt::format("f{}", style),
                            0.55);
      out.table.rows.push_back({cell(curves[k].name),
                                {percent_text(bin.confidence), true},
                                {percent_text(bin.correct), true},
                                count_cell(bin.rows)});
    }
    plot.drawing().polyline(line, fmt::format("l{}{}", style, style == 1 ? "" : " dashed"));
    const std::string name =
        fmt::format("{}: calibration error {}", curves[k].name, percent_text(error));
    out.legend.push_back({fmt::format("m{}", style), name});
    summary += " " + name + ";";
  }
  out.legend.push_back({"l1", "90 % interval of a share"});
  out.legend.push_back({"diagonal", "as sure as right"});
  out.svg = plot.svg(summary);
  return out;
}

}  // namespace emgnn
