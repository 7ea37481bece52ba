// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include <emgnn/report/charts.h>
#include <emgnn/report/plot.h>

namespace emgnn {

namespace {

// Corners: the first share at the top, the second at the left, the third at the right.
constexpr double kLeft = 50.0, kRight = 350.0, kTop = 44.0, kBottom = 304.0;

PixelPoint place(const std::array<double, 3>& share) {
  const double across = share[2] + share[0] / 2.0;
  return {kLeft + (kRight - kLeft) * across, kBottom - (kBottom - kTop) * share[0]};
}

void draw_frame(Drawing& drawing, const std::array<std::string, 3>& names) {
  for (const double share : {0.25, 0.5, 0.75}) {
    const double rest = 1.0 - share;
    drawing.line(place({share, rest, 0}), place({share, 0, rest}), "grid");
    drawing.line(place({rest, share, 0}), place({0, share, rest}), "grid");
    drawing.line(place({rest, 0, share}), place({0, rest, share}), "grid");
    const PixelPoint at = place({share, rest, 0});
    drawing.text({at.x - 6.0, at.y + 4.0}, fmt::format("{:g}", share), Anchor::kEnd);
  }
  drawing.polygon({place({1, 0, 0}), place({0, 1, 0}), place({0, 0, 1})}, "frame");
  drawing.text({(kLeft + kRight) / 2.0, kTop - 22.0}, shortened(names[0], 24), Anchor::kMiddle,
               "title");
  drawing.text({kLeft - 30.0, kBottom + 26.0}, shortened(names[1], 20), Anchor::kStart, "title");
  drawing.text({kRight + 30.0, kBottom + 26.0}, shortened(names[2], 20), Anchor::kEnd, "title");
}

}  // namespace

Chart ternary_chart(std::string caption, const std::array<std::string, 3>& names,
                    const std::vector<TernaryPoint>& points) {
  Drawing drawing(Plot::kWidth, 340.0);
  draw_frame(drawing, names);
  std::vector<TernaryPoint> order = points;
  std::stable_sort(order.begin(), order.end(),
                   [](const TernaryPoint& a, const TernaryPoint& b) { return a.p > b.p; });
  const double most = order.front().p;
  // The area of a dot is its probability; the largest does not cover its neighbours' places by much.
  const double spacing = 300.0 / (std::sqrt(2.0 * static_cast<double>(points.size())) + 1.0);
  const double radius = std::clamp(0.6 * spacing, 4.0, 14.0);
  std::array<double, 3> mean{};
  for (const TernaryPoint& point : order) {
    const double r = radius * std::sqrt(point.p / most);
    drawing.circle(place(point.share), std::max(r, 0.8), r < 0.8 ? "dim" : "f1",
                   r < 0.8 ? 1.0 : 0.75);
    for (size_t v = 0; v < 3; ++v) mean[v] += point.p * point.share[v];
  }
  Chart out{.caption = std::move(caption),
            .legend = {{"m1", fmt::format("the area of a dot is its probability; the largest: {}",
                                          number_text(most))}},
            .table = {.caption = "The twenty most probable points",
                      .columns = {names[0], names[1], names[2], "probability"},
                      .rows = {}}};
  for (size_t i = 0; i < std::min<size_t>(20, order.size()); ++i) {
    const auto& [share, p] = order[i];
    out.table.rows.push_back({cell(share[0]), cell(share[1]), cell(share[2]), cell(p)});
  }
  out.svg = drawing.svg(fmt::format(
      "Triangle of the weights of {}, {} and {}; their means are {}, {} and {}.", names[0],
      names[1], names[2], number_text(mean[0]), number_text(mean[1]), number_text(mean[2])));
  return out;
}

}  // namespace emgnn
