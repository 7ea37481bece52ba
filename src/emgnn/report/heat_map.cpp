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

// Where the cells of a confusion matrix are.
class ConfusionFrame {
 public:
  explicit ConfusionFrame(const std::vector<std::string>& names) : names_(names) {
    size_t longest = 1;
    for (const std::string& name : names) longest = std::max(longest, name.size());
    letters_ = static_cast<double>(std::min<size_t>(kMostLetters, longest));
    left_ = 30.0 + 7.0 * letters_;
    side_ = std::min(52.0, (Plot::kWidth - 8.0 - left_) / static_cast<double>(names.size()));
  }

  double height() const { return kTop + extent() + 20.0 + 5.2 * letters_; }

  void draw(Drawing& drawing) const {
    for (size_t k = 0; k < names_.size(); ++k) {
      const double middle = side_ * (static_cast<double>(k) + 0.5);
      const std::string name = shortened(names_[k], kMostLetters);
      drawing.text({left_ - 6.0, kTop + middle + 4.0}, name, Anchor::kEnd);
      drawing.slanted_text({left_ + middle + 4.0, kTop + extent() + 12.0}, name);
    }
    drawing.text({left_ + extent() / 2.0, kTop - 8.0}, "predicted", Anchor::kMiddle, "title");
    drawing.vertical_text({13.0, kTop + extent() / 2.0}, "true");
  }

  // Its shade is its share of the true class.
  void draw_cell(Drawing& drawing, size_t r, size_t c, double count, double total) const {
    const double share = total > 0.0 ? count / total : 0.0;
    const PixelPoint at{left_ + side_ * static_cast<double>(c),
                        kTop + side_ * static_cast<double>(r)};
    drawing.rect(
        at, {side_ - 1.0, side_ - 1.0}, r == c ? "f1" : "f2",
        share > 0.0 ? 0.06 + 0.94 * share : 0.03,
        fmt::format("true {}, predicted {}: {}", names_[r], names_[c], number_text(count)));
    if (side_ >= 26.0 && count > 0.0)
      drawing.text({at.x + side_ / 2.0, at.y + side_ / 2.0 + 4.0}, number_text(count),
                   Anchor::kMiddle, share > 0.5 ? "on" : "");
  }

 private:
  static constexpr double kTop = 24.0;
  static constexpr size_t kMostLetters = 14;
  double extent() const { return side_ * static_cast<double>(names_.size()); }

  const std::vector<std::string>& names_;
  double letters_, left_, side_;
};

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
  const ConfusionFrame frame(names);
  Drawing drawing(Plot::kWidth, frame.height());
  frame.draw(drawing);
  Chart out{.caption = std::move(caption),
            .table = {.caption = "Rows are true classes, columns predicted ones",
                      .columns = {"true"},
                      .rows = {}}};
  const size_t n = names.size();
  double right = 0.0, all = 0.0;
  for (size_t r = 0; r < n; ++r) {
    double total = 0.0;
    for (size_t c = 0; c < n; ++c) total += count[r * n + c];
    out.table.columns.push_back(names[r]);
    std::vector<Cell>& row = out.table.rows.emplace_back();
    row.push_back(cell(names[r]));
    for (size_t c = 0; c < n; ++c) {
      frame.draw_cell(drawing, r, c, count[r * n + c], total);
      row.push_back(cell(count[r * n + c]));
    }
    all += total;
    right += count[r * n + r];
  }
  out.legend = {{"f1", "right, as a share of the true class"}, {"f2", "wrong"}};
  out.svg =
      drawing.svg(fmt::format("Confusion matrix of {} classes: {} of the rows on the diagonal.", n,
                              percent_text(right / all)));
  return out;
}

}  // namespace emgnn
