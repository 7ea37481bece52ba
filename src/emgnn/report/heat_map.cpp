// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include <emgnn/report/charts.h>
#include <emgnn/report/plot.h>

namespace emgnn {

namespace {

double half_step(const std::vector<double>& values) {
  return values.size() < 2 ? 0.5 : (values[1] - values[0]) / 2.0;
}

}  // namespace

Chart heat_map(const HeatMap& map) {
  const double hx = half_step(map.x), hy = half_step(map.y);
  Plot plot({.label = map.x_label, .low = map.x.front() - hx, .high = map.x.back() + hx},
            {.label = map.y_label, .low = map.y.front() - hy, .high = map.y.back() + hy}, 300.0);
  const size_t top =
      static_cast<size_t>(std::max_element(map.p.begin(), map.p.end()) - map.p.begin());
  Chart out{.caption = map.caption,
            .table = {.caption = "The twenty most probable points",
                      .columns = {map.x_label, map.y_label, "probability"},
                      .rows = {}}};
  std::vector<size_t> order;
  for (size_t k = 0; k < map.p.size(); ++k) {
    order.push_back(k);
    if (map.p[k] <= 0.0) continue;
    const double x = map.x[k % map.x.size()], y = map.y[k / map.x.size()];
    const PixelPoint from = plot.at(x - hx, y + hy), to = plot.at(x + hx, y - hy);
    plot.drawing().rect(from, {to.x - from.x, to.y - from.y}, "f1", map.p[k] / map.p[top],
                        fmt::format("{} {}, {} {}: {}", map.x_label, number_text(x), map.y_label,
                                    number_text(y), number_text(map.p[k])));
  }
  const size_t shown = std::min<size_t>(20, order.size());
  std::partial_sort(order.begin(), order.begin() + static_cast<ptrdiff_t>(shown), order.end(),
                    [&](size_t a, size_t b) { return map.p[a] > map.p[b]; });
  for (size_t i = 0; i < shown; ++i) {
    const size_t k = order[i];
    out.table.rows.push_back(
        {cell(map.x[k % map.x.size()]), cell(map.y[k / map.x.size()]), cell(map.p[k])});
  }
  out.legend = {
      {"f1", fmt::format("darkest: {}; all points alike would have {}", number_text(map.p[top]),
                         number_text(1.0 / static_cast<double>(map.p.size())))}};
  out.svg = plot.svg(fmt::format("Heat map of {} and {}: most probable at {} and {}.", map.x_label,
                                 map.y_label, number_text(map.x[top % map.x.size()]),
                                 number_text(map.y[top / map.x.size()])));
  return out;
}

Chart confusion_chart(std::string caption, const std::vector<std::string>& names,
                      const std::vector<double>& count) {
  constexpr double kLeft = 104.0, kTop = 20.0, kRight = Plot::kWidth - 10.0;
  const size_t n = names.size();
  const double side = std::min(46.0, (kRight - kLeft) / static_cast<double>(n));
  const double width = side * static_cast<double>(n);
  Drawing drawing(Plot::kWidth, kTop + width + 88.0);
  Chart out{.caption = std::move(caption),
            .table = {.caption = "Rows are true classes, columns predicted ones",
                      .columns = {"true"},
                      .rows = {}}};
  double right = 0.0, all = 0.0;
  for (size_t r = 0; r < n; ++r) {
    double total = 0.0;
    for (size_t c = 0; c < n; ++c) total += count[r * n + c];
    out.table.columns.push_back(names[r]);
    std::vector<Cell>& row = out.table.rows.emplace_back();
    row.push_back(cell(names[r]));
    const double y = kTop + side * static_cast<double>(r);
    drawing.text({kLeft - 6.0, y + side / 2.0 + 4.0}, shortened(names[r], 14), Anchor::kEnd);
    for (size_t c = 0; c < n; ++c) {
      const double share = total > 0.0 ? count[r * n + c] / total : 0.0;
      const double x = kLeft + side * static_cast<double>(c);
      drawing.rect({x, y}, {side - 1.0, side - 1.0}, r == c ? "f1" : "f2",
                   share > 0.0 ? 0.06 + 0.94 * share : 0.03,
                   fmt::format("true {}, predicted {}: {}", names[r], names[c],
                               number_text(count[r * n + c])));
      if (side >= 26.0 && count[r * n + c] > 0.0)
        drawing.text({x + side / 2.0, y + side / 2.0 + 4.0}, number_text(count[r * n + c]),
                     Anchor::kMiddle, share > 0.5 ? "on" : "");
      row.push_back(cell(count[r * n + c]));
      all += count[r * n + c];
      if (r == c) right += count[r * n + c];
    }
  }
  for (size_t c = 0; c < n; ++c) {
    const double x = kLeft + side * (static_cast<double>(c) + 0.5);
    drawing.slanted_text({x + 4.0, kTop + width + 12.0}, shortened(names[c], 12));
  }
  drawing.text({kLeft - 6.0, kTop - 6.0}, "true ↓  predicted →", Anchor::kEnd, "title");
  out.legend = {{"f1", "right, as a share of the true class"}, {"f2", "wrong"}};
  out.svg =
      drawing.svg(fmt::format("Confusion matrix of {} classes: {} of the rows on the diagonal.", n,
                              percent_text(right / all)));
  return out;
}

}  // namespace emgnn
