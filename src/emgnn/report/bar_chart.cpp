// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include <emgnn/report/charts.h>
#include <emgnn/report/plot.h>

namespace emgnn {

namespace {

constexpr size_t kMostBars = 48;

// Neighbours together; the value is that of the middle.
std::vector<Bar> gathered(const std::vector<Bar>& bars) {
  const size_t each = (bars.size() + kMostBars - 1) / kMostBars;
  if (each <= 1) return bars;
  std::vector<Bar> out;
  for (size_t begin = 0; begin < bars.size(); begin += each) {
    const size_t end = std::min(begin + each, bars.size());
    Bar sum{.value = (bars[begin].value + bars[end - 1].value) / 2.0};
    for (size_t i = begin; i < end; ++i) {
      sum.p += bars[i].p;
      sum.prior += bars[i].prior;
    }
    out.push_back(sum);
  }
  return out;
}

// Half of the smallest distance of two values.
double half_width(const std::vector<Bar>& bars) {
  double width = 1.0;
  for (size_t i = 1; i < bars.size(); ++i) {
    const double here = bars[i].value - bars[i - 1].value;
    width = i == 1 ? here : std::min(width, here);
  }
  return width / 2.0;
}

std::string summary_of(const std::string& label, const std::vector<Bar>& bars) {
  const auto top = std::max_element(bars.begin(), bars.end(),
                                    [](const Bar& a, const Bar& b) { return a.p < b.p; });
  return fmt::format("Bars: {} from {} to {}; most probable near {}, with probability {}.", label,
                     number_text(bars.front().value), number_text(bars.back().value),
                     number_text(top->value), number_text(top->p));
}

}  // namespace

Chart bar_chart(std::string caption, std::string label, std::vector<Bar> bars) {
  bars = gathered(bars);
  const double half = half_width(bars);
  double most = 0.0;
  for (const Bar& bar : bars) most = std::max({most, bar.p, bar.prior});
  Plot plot({.label = label, .low = bars.front().value - half, .high = bars.back().value + half},
            {.label = "probability", .low = 0.0, .high = most * 1.05});
  Drawing& drawing = plot.drawing();
  std::vector<PixelPoint> prior;
  for (const Bar& bar : bars) {
    const double from = plot.x(bar.value - 0.9 * half), to = plot.x(bar.value + 0.9 * half);
    drawing.rect({from, plot.y(bar.p)}, {to - from, plot.bottom() - plot.y(bar.p)}, "f1");
    prior.push_back(plot.at(bar.value - half, bar.prior));
    prior.push_back(plot.at(bar.value + half, bar.prior));
  }
  drawing.polyline(prior, "prior");
  Chart out{.caption = std::move(caption),
            .svg = plot.svg(summary_of(label, bars)),
            .legend = {{"f1", "learned"}, {"prior", "prior"}},
            .table = {.caption = label + ": learned and prior probability",
                      .columns = {label, "learned", "prior"},
                      .rows = {}}};
  for (const Bar& bar : bars)
    out.table.rows.push_back({cell(bar.value), cell(bar.p), cell(bar.prior)});
  return out;
}

}  // namespace emgnn
