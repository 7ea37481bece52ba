// SPDX-License-Identifier: Apache-2.0
// The charts of a report. Each comes with a sentence for those who do not see it, and with a table.
// Styles are numbers: series 1, 2, … have the colours c1, c2, … of the page.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <emgnn/learn/reliability.h>
#include <emgnn/report/html.h>

namespace emgnn {

struct LegendEntry {
  std::string style, name;  // "f1": an area, "l1": a line, "m1": a dot
};

struct Chart {
  std::string caption;
  std::string svg;
  std::vector<LegendEntry> legend;
  Table table;
};
std::string to_html(const Chart& chart);
// Side by side where there is room.
std::string to_html(const std::vector<Chart>& charts);

struct Bar {
  double value = 0.0, p = 0.0, prior = 0.0;
};
// A distribution of one number beside its prior. Neighbours share a bar where there are too many.
Chart bar_chart(std::string caption, std::string label, std::vector<Bar> bars);

struct Series {
  std::string name;
  int style = 1;
  bool thin = false;  // one of several alike: it is neither in the legend nor in the table
  std::vector<double> x, y;
  std::vector<double> spread = {};  // of y, to both sides; empty: not known
  std::vector<int64_t> part = {};   // points of different parts are not joined; empty: there is one
};
struct Mark {
  double x = 0.0;
  std::string name;
};
struct LinePlot {
  std::string caption, x_label, y_label;
  std::vector<Series> series;
  std::vector<Mark> marks = {};  // vertical lines, such as EM rounds
  std::string mark_name = {};    // what they are, for the legend
  bool may_be_log = false, percent = false;
  bool x_log = false;  // all x are positive
};
Chart line_chart(const LinePlot& plot);

// Probabilities on a grid of two coordinates, [y.size(), x.size()] row-major.
struct HeatMap {
  std::string caption, x_label, y_label;
  std::vector<double> x, y, p;
};
Chart heat_map(const HeatMap& map);

// A matrix of counts with names, [names, names] row-major: rows are true, columns predicted.
Chart confusion_chart(std::string caption, const std::vector<std::string>& names,
                      const std::vector<double>& count);

struct TernaryPoint {
  std::array<double, 3> share;
  double p = 0.0;
};
// A distribution over three shares of a whole.
Chart ternary_chart(std::string caption, const std::array<std::string, 3>& names,
                    const std::vector<TernaryPoint>& points);

struct Interval {
  double mean = 0.0, low = 0.0, high = 0.0;
};
struct IntervalRow {
  std::string name;
  Interval now, prior;
};
Chart interval_chart(std::string caption, std::string label, const std::vector<IntervalRow>& rows);

struct ValuePoint {
  double target = 0.0, value = 0.0, spread = 0.0;  // half of the 90 % interval; 0: not known
};
// Predicted against true; many points are counted in cells of a grid. `interval` says what the
// spreads are.
Chart value_chart(std::string caption, std::string label, std::string interval,
                  const std::vector<ValuePoint>& points);

struct Reliability {
  std::string name;
  std::vector<ReliabilityBin> bins;
};
// How often answers are right, against how sure they are.
Chart reliability_chart(std::string caption, const std::vector<Reliability>& curves);

struct ScoreRow {
  std::string name;
  Interval here;
  std::optional<Interval> paper;
  bool best = false;
};
// Results beside the published ones, a row each.
Chart score_chart(std::string caption, std::string label, bool percent,
                  const std::vector<ScoreRow>& rows);

struct Strip {
  std::string name;
  std::vector<double> values;
};
// The values of each group as dots, with their mean.
Chart strip_chart(std::string caption, std::string label, bool percent,
                  const std::vector<Strip>& strips);

// `name` in at most `most` characters.
std::string shortened(const std::string& name, size_t most);

}  // namespace emgnn
