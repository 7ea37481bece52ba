// SPDX-License-Identifier: Apache-2.0
// A rectangle with two axes.
#pragma once

#include <string>
#include <vector>

#include <emgnn/report/drawing.h>

namespace emgnn {

// About `count` round numbers (1, 2 or 5 times a power of ten apart) inside [low, high].
std::vector<double> round_ticks(double low, double high, int count);
// As short as tells them apart.
std::string tick_text(double value, double step);

struct Axis {
  std::string label;
  double low = 0.0, high = 1.0;
  bool logarithmic = false;  // then low > 0
  bool percent = false;      // ticks are shares
  bool whole = false;        // values are whole numbers
  // Of the values 0, 1, …, where these stand for something else.
  std::vector<std::string> names = {};
};

// The axis of some values, a little wider than they are; [0, 1] without a finite one. One that is
// logarithmic where the positive values span more than two orders of magnitude, if `may_be_log`.
Axis axis_of(std::string label, const std::vector<double>& values, bool may_be_log = false);

class Plot {
 public:
  static constexpr double kWidth = 400.0;
  Plot(const Axis& x, const Axis& y, double height = 250.0);

  double x(double value) const { return place(x_, value, left_, right_); }
  double y(double value) const { return place(y_, value, bottom_, top_); }
  PixelPoint at(double vx, double vy) const { return {x(vx), y(vy)}; }
  double left() const { return left_; }
  double right() const { return right_; }
  double top() const { return top_; }
  double bottom() const { return bottom_; }

  Drawing& drawing() { return drawing_; }
  std::string svg(std::string_view label) const { return drawing_.svg(label); }

 private:
  // Where an axis is marked, and how.
  struct Marks {
    std::vector<double> at;
    std::vector<std::string> text;
    double width() const;  // of the longest text, in pixels
  };
  static Marks marks_of(const Axis& axis, int count);
  static double place(const Axis& axis, double value, double from, double to);
  void draw_axes(const Marks& along, const Marks& up);

  Axis x_, y_;
  double left_, right_, top_, bottom_;
  Drawing drawing_;
};

}  // namespace emgnn
