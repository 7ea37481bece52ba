// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include <emgnn/report/charts.h>
#include <emgnn/report/plot.h>

namespace emgnn {

namespace {

constexpr size_t kMostPoints = 300, kMostRows = 40, kMostMarks = 60;

// Of the points [begin, end), with others at most about `kMostPoints`: the smallest and the largest of
// each stretch, in their order.
std::vector<size_t> drawn(const Series& series, size_t begin, size_t end) {
  std::vector<size_t> out;
  const size_t each = (series.x.size() + kMostPoints - 1) / kMostPoints;
  if (each <= 1) {
    for (size_t i = begin; i < end; ++i) out.push_back(i);
    return out;
  }
  const size_t stretch = 2 * each;
  for (; begin < end; begin += stretch) {
    const auto first = series.y.begin() + static_cast<ptrdiff_t>(begin);
    const auto last = series.y.begin() + static_cast<ptrdiff_t>(std::min(end, begin + stretch));
    const auto [low, high] = std::minmax_element(first, last);
    size_t a = static_cast<size_t>(low - series.y.begin());
    size_t b = static_cast<size_t>(high - series.y.begin());
    if (a > b) std::swap(a, b);
    out.push_back(a);
    if (b != a) out.push_back(b);
  }
  return out;
}

double value_at(const Series& series, double x) {
  const auto found = std::lower_bound(series.x.begin(), series.x.end(), x);
  if (found == series.x.end() || *found != x) return std::numeric_limits<double>::quiet_NaN();
  return series.y[static_cast<size_t>(found - series.x.begin())];
}

// Every so many values of x, and the last.
Table table_of(const LinePlot& plot) {
  Table out{.caption = plot.caption, .columns = {plot.x_label}, .rows = {}};
  std::vector<const Series*> shown;
  for (const Series& series : plot.series)
    if (!series.thin) shown.push_back(&series);
  std::vector<double> all;
  for (const Series* series : shown) {
    out.columns.push_back(series->name);
    all.insert(all.end(), series->x.begin(), series->x.end());
  }
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  const size_t each = (all.size() + kMostRows - 1) / kMostRows;
  for (size_t i = 0; i < all.size(); ++i) {
    if (i % each != 0 && i + 1 != all.size()) continue;
    std::vector<Cell>& row = out.rows.emplace_back();
    row.push_back(cell(all[i]));
    for (const Series* series : shown) {
      const double y = value_at(*series, all[i]);
      row.push_back(plot.percent ? Cell{percent_text(y), true} : cell(y));
    }
  }
  if (each > 1) out.caption += fmt::format(" (every {}th point)", each);
  return out;
}

std::string summary_of(const LinePlot& plot) {
  std::string out = fmt::format("Lines over {}:", plot.x_label);
  for (const Series& series : plot.series) {
    if (series.thin || series.y.empty()) continue;
    const auto text = [&](double y) { return plot.percent ? percent_text(y) : number_text(y); };
    out += fmt::format(" {} from {} to {};", series.name, text(series.y.front()),
                       text(series.y.back()));
  }
  if (!plot.marks.empty()) out += fmt::format(" {} {}.", plot.marks.size(), plot.mark_name);
  return out;
}

// Whole numbers, such as epochs, from the first to the last; or powers of ten.
Axis axis_along(const LinePlot& lines) {
  Axis out{.label = lines.x_label, .low = 0.0, .high = 1.0, .whole = !lines.x_log};
  std::vector<double> x;
  for (const Series& series : lines.series) x.insert(x.end(), series.x.begin(), series.x.end());
  if (x.empty()) return out;
  out.logarithmic = lines.x_log;
  out.low = *std::min_element(x.begin(), x.end());
  out.high = *std::max_element(x.begin(), x.end());
  if (!(out.high > out.low)) out.high = lines.x_log ? 2.0 * out.low : out.low + 1.0;
  return out;
}

// One standard deviation to both sides.
void draw_band(const Plot& plot, const Series& series, bool logarithmic, Drawing& drawing) {
  std::vector<PixelPoint> points;
  for (const double side : {1.0, -1.0}) {
    for (size_t k = 0; k < series.spread.size(); ++k) {
      const size_t i = side > 0.0 ? k : series.spread.size() - 1 - k;
      const double y = series.y[i] + side * series.spread[i];
      if (!std::isfinite(y) || (logarithmic && !(y > 0.0))) return;
      points.push_back(plot.at(series.x[i], y));
    }
  }
  if (points.size() > 2) drawing.polygon(points, fmt::format("f{}", series.style), 0.14);
}

void draw_line(Plot& plot, const Series& series, bool logarithmic) {
  const size_t n = series.x.size();
  for (size_t begin = 0, end = 0; begin < n; begin = end) {
    end = series.part.empty() ? n : begin;
    while (end < n && series.part[end] == series.part[begin]) ++end;
    std::vector<PixelPoint> points;
    for (const size_t i : drawn(series, begin, end)) {
      const bool off = logarithmic && !(series.y[i] > 0.0);
      points.push_back({plot.x(series.x[i]), off ? NAN : plot.y(series.y[i])});
    }
    plot.drawing().polyline(points, fmt::format("l{}{}", series.style, series.thin ? " thin" : ""));
  }
}

}  // namespace

Chart line_chart(const LinePlot& lines) {
  std::vector<double> y;
  for (const Series& series : lines.series) {
    y.insert(y.end(), series.y.begin(), series.y.end());
    for (size_t i = 0; i < series.spread.size(); ++i)
      y.insert(y.end(), {series.y[i] - series.spread[i], series.y[i] + series.spread[i]});
  }
  const Axis along = axis_along(lines);
  Axis up = axis_of(lines.y_label, y, lines.may_be_log);
  up.percent = lines.percent;
  if (lines.percent) up.high = std::min(up.high, 1.0);
  Plot plot(along, up);
  Drawing& drawing = plot.drawing();
  const size_t every = (lines.marks.size() + kMostMarks - 1) / kMostMarks;
  for (size_t i = 0; i < lines.marks.size(); i += every) {
    const double at = plot.x(lines.marks[i].x);
    drawing.line({at, plot.top()}, {at, plot.bottom()}, "mark");
  }
  Chart out{.caption = lines.caption, .table = table_of(lines)};
  for (const bool thin : {true, false}) {  // thin ones lie below
    for (const Series& series : lines.series) {
      if (series.thin != thin) continue;
      draw_band(plot, series, up.logarithmic, drawing);
      draw_line(plot, series, up.logarithmic);
      if (!thin) out.legend.push_back({fmt::format("l{}", series.style), series.name});
    }
  }
  if (!lines.marks.empty()) out.legend.push_back({"mark", lines.mark_name});
  out.svg = plot.svg(summary_of(lines));
  return out;
}

}  // namespace emgnn
