// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include <emgnn/report/charts.h>
#include <emgnn/report/plot.h>

namespace emgnn {

namespace {

constexpr size_t kMostBars = 200, kMostNamed = 8, kMostRows = 40;

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

// Where the bars stand: a few have their values below them, whatever lies between.
struct BarPlaces {
  Axis axis;
  std::vector<double> at;
  double half = 0.5;
};

BarPlaces places_of(const std::string& label, const std::vector<Bar>& bars) {
  BarPlaces out;
  const bool few = bars.size() <= kMostNamed;
  out.half = few ? 0.5 : half_width(bars);
  for (size_t i = 0; i < bars.size(); ++i) {
    out.at.push_back(few ? static_cast<double>(i) : bars[i].value);
    if (few) out.axis.names.push_back(number_text(bars[i].value));
  }
  out.axis.label = label;
  out.axis.low = out.at.front() - out.half;
  out.axis.high = out.at.back() + out.half;
  return out;
}

// All, or the most probable ones, by value.
Table table_of(const std::string& label, std::vector<Bar> bars) {
  Table out{.caption = label + ": learned and prior probability",
            .columns = {label, "learned", "prior"},
            .rows = {}};
  if (bars.size() > kMostRows) {
    out.caption += fmt::format(", the {} most probable of {} values", kMostRows, bars.size());
    std::stable_sort(bars.begin(), bars.end(),
                     [](const Bar& a, const Bar& b) { return a.p > b.p; });
    bars.resize(kMostRows);
    std::sort(bars.begin(), bars.end(),
              [](const Bar& a, const Bar& b) { return a.value < b.value; });
  }
  for (const Bar& bar : bars) out.rows.push_back({cell(bar.value), cell(bar.p), cell(bar.prior)});
  return out;
}

}  // namespace

Chart bar_chart(std::string caption, std::string label, std::vector<Bar> bars) {
  bars = gathered(bars);
  const BarPlaces places = places_of(label, bars);
  double most = 0.0;
  for (const Bar& bar : bars) most = std::max({most, bar.p, bar.prior});
  Plot plot(places.axis, {.label = "probability", .low = 0.0, .high = most * 1.05});
  Drawing& drawing = plot.drawing();
  std::vector<PixelPoint> prior;
  const double half = places.half, drawn = bars.size() > 60 ? half : 0.88 * half;
  for (size_t i = 0; i < bars.size(); ++i) {
    const double from = plot.x(places.at[i] - drawn), to = plot.x(places.at[i] + drawn);
    drawing.rect({from, plot.y(bars[i].p)}, {to - from, plot.bottom() - plot.y(bars[i].p)}, "f1");
    prior.push_back(plot.at(places.at[i] - half, bars[i].prior));
    prior.push_back(plot.at(places.at[i] + half, bars[i].prior));
  }
  drawing.polyline(prior, "prior");
  return {.caption = std::move(caption),
          .svg = plot.svg(summary_of(label, bars)),
          .legend = {{"f1", "learned"}, {"prior", "prior"}},
          .table = table_of(label, bars)};
}

}  // namespace emgnn
