// SPDX-License-Identifier: Apache-2.0
#include <emgnn/report/plot.h>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include <emgnn/report/html.h>

namespace emgnn {

namespace {

double round_step(double span, int count) {
  const double rough = span / std::max(1, count);
  const double power = std::pow(10.0, std::floor(std::log10(rough)));
  for (const double factor : {1.0, 2.0, 5.0})
    if (factor * power >= rough * 0.999) return factor * power;
  return 10.0 * power;
}

std::vector<double> powers_of_ten(double low, double high) {
  std::vector<double> out;
  const double first = std::ceil(std::log10(low) - 1e-9),
               last = std::floor(std::log10(high) + 1e-9);
  const double every = std::max(1.0, std::ceil((last - first + 1.0) / 5.0));
  for (double e = first; e <= last; e += every) out.push_back(std::pow(10.0, e));
  return out;
}

}  // namespace

std::vector<double> round_ticks(double low, double high, int count) {
  std::vector<double> out;
  if (!(high > low)) return {low};
  const double step = round_step(high - low, count);
  const double first = std::ceil(low / step - 1e-9);
  for (double k = first; k * step <= high + 1e-9 * step; ++k) out.push_back(k * step + 0.0);
  return out;
}

std::string tick_text(double value, double step) {
  const double size = std::max(std::abs(value), step);
  if (size >= 1e6 || size < 1e-4) return fmt::format("{:.0e}", value);
  if (size >= 1e4) return count_text(std::llround(value));
  const int decimals = std::clamp(static_cast<int>(std::ceil(-std::log10(step) - 1e-9)), 0, 6);
  const std::string out = fmt::format("{:.{}f}", std::abs(value), decimals);
  return (value < -0.5 * step ? "−" : "") + out;
}

Axis axis_of(std::string label, const std::vector<double>& values, bool may_be_log) {
  double low = INFINITY, high = -INFINITY;
  for (const double v : values) {
    if (!std::isfinite(v)) continue;
    low = std::min(low, v);
    high = std::max(high, v);
  }
  if (!(low <= high)) return {.label = std::move(label)};
  if (may_be_log && low > 0.0 && high > 100.0 * low)
    return {.label = std::move(label), .low = low * 0.8, .high = high * 1.25, .logarithmic = true};
  double room = 0.05 * (high - low);
  if (room == 0.0) room = low == 0.0 ? 1.0 : 0.1 * std::abs(low);
  const bool from_zero = low >= 0.0 && low < 0.3 * high;
  return {.label = std::move(label), .low = from_zero ? 0.0 : low - room, .high = high + room};
}

double Plot::Marks::width() const {
  size_t longest = 0;
  for (const std::string& one : text) longest = std::max(longest, one.size());
  return 7.0 * static_cast<double>(longest);
}

Plot::Marks Plot::marks_of(const Axis& axis, int count) {
  Marks out;
  for (size_t i = 0; i < axis.names.size(); ++i) {
    out.at.push_back(static_cast<double>(i));
    out.text.push_back(axis.names[i]);
  }
  if (!axis.names.empty()) return out;
  if (axis.logarithmic) {
    out.at = powers_of_ten(axis.low, axis.high);
    for (const double v : out.at)
      out.text.push_back(v < 1e5 ? fmt::format("{:g}", v)
                                 : fmt::format("1e{:.0f}", std::round(std::log10(v))));
    return out;
  }
  out.at = round_ticks(axis.low, axis.high, count);
  if (axis.whole)
    std::erase_if(out.at, [](double v) { return std::abs(v - std::round(v)) > 1e-9; });
  const double unit = axis.percent ? 100.0 : 1.0;
  const double step = out.at.size() > 1 ? out.at[1] - out.at[0] : axis.high - axis.low;
  for (const double v : out.at) out.text.push_back(tick_text(unit * v, unit * step));
  return out;
}

Plot::Plot(const Axis& x, const Axis& y, double height)
    : x_(x),
      y_(y),
      left_(34.0),
      right_(kWidth - 14.0),
      top_(14.0),
      bottom_(height - 44.0),
      drawing_(kWidth, height) {
  const Marks along = marks_of(x, 6), up = marks_of(y, 5);
  left_ = std::max(54.0, 26.0 + up.width());
  draw_axes(along, up);
}

double Plot::place(const Axis& axis, double value, double from, double to) {
  const double share = axis.logarithmic
                           ? (std::log(value) - std::log(axis.low)) / std::log(axis.high / axis.low)
                           : (value - axis.low) / (axis.high - axis.low);
  return from + share * (to - from);
}

void Plot::draw_axes(const Marks& along, const Marks& up) {
  for (size_t i = 0; i < up.at.size(); ++i) {
    drawing_.line({left_, y(up.at[i])}, {right_, y(up.at[i])}, "grid");
    drawing_.text({left_ - 6.0, y(up.at[i]) + 4.0}, up.text[i], Anchor::kEnd);
  }
  for (size_t i = 0; i < along.at.size(); ++i) {
    drawing_.line({x(along.at[i]), bottom_}, {x(along.at[i]), bottom_ + 4.0}, "axis");
    drawing_.text({x(along.at[i]), bottom_ + 17.0}, along.text[i], Anchor::kMiddle);
  }
  drawing_.line({left_, bottom_}, {right_, bottom_}, "axis");
  drawing_.text({(left_ + right_) / 2.0, drawing_.height() - 6.0}, x_.label, Anchor::kMiddle,
                "title");
  drawing_.vertical_text({13.0, (top_ + bottom_) / 2.0}, y_.label);
}

}  // namespace emgnn
