// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include <emgnn/learn/mean_std.h>
#include <emgnn/report/charts.h>
#include <emgnn/report/plot.h>

namespace emgnn {

namespace {

constexpr double kRow = 40.0, kLeft = 118.0, kRight = Plot::kWidth - 14.0, kTop = 8.0;

// The places of values between `left` and kRight, with an axis below `bottom`.
class Along {
 public:
  Along(Axis axis, Drawing& drawing, double bottom, double left = kLeft)
      : axis_(std::move(axis)), left_(left) {
    const std::vector<double> ticks = round_ticks(axis_.low, axis_.high, 5);
    const double step = ticks.size() > 1 ? ticks[1] - ticks[0] : axis_.high - axis_.low;
    for (const double v : ticks) {
      drawing.line({x(v), kTop}, {x(v), bottom}, "grid");
      drawing.text({x(v), bottom + 16.0},
                   axis_.percent ? tick_text(100.0 * v, 100.0 * step) : tick_text(v, step),
                   Anchor::kMiddle);
    }
    drawing.line({left_, bottom}, {kRight, bottom}, "axis");
    drawing.text({(left_ + kRight) / 2.0, bottom + 35.0}, axis_.label, Anchor::kMiddle, "title");
  }
  double x(double value) const {
    return left_ + (value - axis_.low) / (axis_.high - axis_.low) * (kRight - left_);
  }

 private:
  Axis axis_;
  double left_;
};

void draw(const Along& along, Drawing& drawing, const Interval& of, double y, const char* style) {
  const std::string line = fmt::format("l{}", style), dot = fmt::format("f{}", style);
  drawing.line({along.x(of.low), y}, {along.x(of.high), y}, line + " wide");
  drawing.circle({along.x(of.mean), y}, 4.5, dot);
}

}  // namespace

Chart interval_chart(std::string caption, std::string label, const std::vector<IntervalRow>& rows) {
  const double bottom = kTop + kRow * static_cast<double>(rows.size());
  Drawing drawing(Plot::kWidth, bottom + 44.0);
  std::vector<double> all;
  for (const IntervalRow& row : rows)
    all.insert(all.end(), {row.now.low, row.now.high, row.prior.low, row.prior.high});
  const Along along(axis_of(label, all), drawing, bottom);
  Chart out{
      .caption = std::move(caption),
      .legend = {{"m1", "learned: mean and central 90 %"}, {"m0", "prior"}},
      .table = {.caption = "Means and central 90 % intervals",
                .columns = {"name", "mean", "from", "to", "prior mean", "prior from", "prior to"},
                .rows = {}}};
  std::string summary = "Intervals:";
  for (size_t r = 0; r < rows.size(); ++r) {
    const IntervalRow& row = rows[r];
    const double y = kTop + kRow * (static_cast<double>(r) + 0.5);
    drawing.text({kLeft - 8.0, y + 4.0}, shortened(row.name, 16), Anchor::kEnd);
    draw(along, drawing, row.prior, y + 7.0, "0");
    draw(along, drawing, row.now, y - 5.0, "1");
    out.table.rows.push_back({cell(row.name), cell(row.now.mean), cell(row.now.low),
                              cell(row.now.high), cell(row.prior.mean), cell(row.prior.low),
                              cell(row.prior.high)});
    summary += fmt::format(" {} {}, {} to {};", row.name, number_text(row.now.mean),
                           number_text(row.now.low), number_text(row.now.high));
  }
  out.svg = drawing.svg(summary);
  return out;
}

Chart score_chart(std::string caption, std::string label, bool percent,
                  const std::vector<ScoreRow>& rows) {
  constexpr double kLow = 24.0, kNames = 172.0;
  const double bottom = kTop + kLow * static_cast<double>(rows.size());
  Drawing drawing(Plot::kWidth, bottom + 44.0);
  std::vector<double> all;
  for (const ScoreRow& row : rows) {
    all.insert(all.end(), {row.here.low, row.here.high});
    if (row.paper) all.insert(all.end(), {row.paper->low, row.paper->high});
  }
  Axis axis = axis_of(label, all);
  axis.percent = percent;
  const Along along(axis, drawing, bottom, kNames);
  Chart out{.caption = std::move(caption),
            .legend = {{"m1", "emgnn: mean ± std"}},
            .table = {.caption = label, .columns = {"row", "emgnn", "the paper"}, .rows = {}}};
  const auto text = [&](double v) { return percent ? percent_text(v) : number_text(v); };
  std::string summary = "Dots:";
  bool any_paper = false, any_best = false;
  for (size_t r = 0; r < rows.size(); ++r) {
    const ScoreRow& row = rows[r];
    const double y = kTop + kLow * (static_cast<double>(r) + 0.5);
    const std::string name = shortened(row.name, 23) + (row.best ? " *" : "");
    drawing.text({kNames - 8.0, y + 4.0}, name, Anchor::kEnd, row.best ? "title" : "");
    if (row.paper) draw(along, drawing, *row.paper, y + 5.0, "0");
    draw(along, drawing, row.here, row.paper ? y - 4.0 : y, "1");
    any_paper = any_paper || row.paper;
    any_best = any_best || row.best;
    out.table.rows.push_back({cell(row.name),
                              {text(row.here.mean), true},
                              {row.paper ? text(row.paper->mean) : "–", true}});
    summary += fmt::format(" {} {};", row.name, text(row.here.mean));
  }
  if (any_paper) out.legend.push_back({"m0", "the paper"});
  if (any_best) out.legend.push_back({"", "* best"});
  out.svg = drawing.svg(summary);
  return out;
}

Chart strip_chart(std::string caption, std::string label, bool percent,
                  const std::vector<Strip>& strips) {
  const double bottom = kTop + kRow * static_cast<double>(strips.size());
  Drawing drawing(Plot::kWidth, bottom + 44.0);
  std::vector<double> all;
  for (const Strip& strip : strips) all.insert(all.end(), strip.values.begin(), strip.values.end());
  Axis axis = axis_of(label, all);
  axis.percent = percent;
  const Along along(axis, drawing, bottom);
  Chart out{.caption = std::move(caption),
            .legend = {{"m1", "a run"}, {"bar", "their mean"}},
            .table = {.caption = label, .columns = {"folder", "mean", "std", "runs"}, .rows = {}}};
  std::string summary = "Dots:";
  const auto text = [&](double v) { return percent ? percent_text(v) : number_text(v); };
  for (size_t r = 0; r < strips.size(); ++r) {
    const double y = kTop + kRow * (static_cast<double>(r) + 0.5);
    drawing.text({kLeft - 8.0, y + 4.0}, shortened(strips[r].name, 16), Anchor::kEnd);
    if (strips[r].values.empty()) continue;
    const MeanStd moments = mean_std(strips[r].values);
    for (const double v : strips[r].values) drawing.circle({along.x(v), y}, 4.5, "f1", 0.6);
    drawing.line({along.x(moments.mean), y - 12.0}, {along.x(moments.mean), y + 12.0}, "l2 wide");
    out.table.rows.push_back({cell(strips[r].name),
                              {text(moments.mean), true},
                              {text(moments.std), true},
                              count_cell(static_cast<int64_t>(strips[r].values.size()))});
    summary += fmt::format(" {} mean {};", strips[r].name, text(moments.mean));
  }
  out.svg = drawing.svg(summary);
  return out;
}

}  // namespace emgnn
