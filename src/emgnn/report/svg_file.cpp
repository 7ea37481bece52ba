// SPDX-License-Identifier: Apache-2.0
#include <emgnn/report/svg_file.h>

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string_view>

#include <emgnn/base/error.h>
#include <emgnn/report/page.h>
#include <emgnn/report/plot.h>

namespace emgnn {

namespace {

constexpr double kGap = 26.0, kMargin = 16.0, kCaption = 24.0, kLegendLine = 20.0;
constexpr double kLetter = 6.7;  // the width of one, on average

// "--c1" → "#1766a6" of the light theme.
std::map<std::string, std::string> light_colours() {
  const std::string_view theme = kThemeStyle;
  const std::string_view light = theme.substr(0, theme.find("@media"));
  std::map<std::string, std::string> out;
  for (size_t at = light.find("--"); at != std::string_view::npos; at = light.find("--", at)) {
    const size_t colon = light.find(':', at), end = light.find(';', at);
    const size_t value = light.find_first_not_of(' ', colon + 1);
    out[std::string(light.substr(at, colon - at))] = light.substr(value, end - value);
    at = end;
  }
  return out;
}

// Programs that draw SVG know no variables.
std::string style() {
  std::string out = fmt::format(
      "text {{ font-family: system-ui, \"Segoe UI\", Roboto, \"DejaVu Sans\", sans-serif; }}\n"
      ".ground {{ fill: var(--ground); }} svg text.head {{ font-size: 15px; font-weight: 600; "
      "fill: "
      "var(--text); }}\nsvg text.caption {{ font-size: 13px; font-weight: 600; fill: var(--text); "
      "}}\n");
  out = std::string(kDrawingStyle) + out;
  for (const auto& [name, colour] : light_colours()) {
    const std::string use = fmt::format("var({})", name);
    for (size_t at = out.find(use); at != std::string::npos; at = out.find(use, at))
      out.replace(at, use.size(), colour);
  }
  EMGNN_DCHECK(out.find("var(") == std::string::npos);
  return out;
}

// A chart's drawing says its size: viewBox="0 0 400 250".
double height_of(const std::string& svg) {
  constexpr std::string_view kBox = "viewBox=\"0 0 ";
  const size_t begin = svg.find(kBox);
  EMGNN_DCHECK(begin != std::string::npos);
  return std::stod(svg.substr(svg.find(' ', begin + kBox.size()) + 1));
}

double length(const std::string& text) { return kLetter * static_cast<double>(text.size()) + 14.0; }

void draw_key(Drawing& drawing, const std::string& style, PixelPoint at) {
  if (style.empty()) return;
  if (style.starts_with('m') && style.size() == 2)
    return drawing.circle({at.x + 9.0, at.y - 4.0}, 4.5, "f" + style.substr(1));
  if (style.starts_with('f')) return drawing.rect({at.x + 3.0, at.y - 10.0}, {11.0, 11.0}, style);
  drawing.polyline({{at.x, at.y - 4.0}, {at.x + 18.0, at.y - 4.0}}, style);
}

// In lines of this width, from `top`; returns its height.
double draw_legend(Drawing& drawing, const std::vector<LegendEntry>& legend, PixelPoint top,
                   double width) {
  PixelPoint at{top.x, top.y + 14.0};
  for (const LegendEntry& entry : legend) {
    const double key = entry.style.empty() ? 0.0 : 24.0;
    if (at.x > top.x && at.x + key + length(entry.name) > top.x + width)
      at = {top.x, at.y + kLegendLine};
    draw_key(drawing, entry.style, at);
    drawing.text({at.x + key, at.y}, entry.name, Anchor::kStart);
    at.x += key + length(entry.name);
  }
  return legend.empty() ? 0.0 : at.y - top.y + 6.0;
}

// The title in lines that fit, from `top`; returns where they end.
double draw_title(Drawing& drawing, const std::string& title, double top, double width) {
  constexpr double kBoldLetter = 8.6, kLine = 19.0;
  const auto most = static_cast<size_t>(width / kBoldLetter);
  std::string rest = title;
  while (!rest.empty()) {
    size_t end = rest.size();
    if (end > most) {
      const size_t space = rest.rfind(' ', most);
      end = space == std::string::npos ? std::min(rest.find(' '), end) : space;
    }
    drawing.text({kMargin, top + 12.0}, rest.substr(0, end), Anchor::kStart, "head");
    rest.erase(0, std::min(rest.size(), end + 1));
    top += kLine;
  }
  return top;
}

bool same(const std::vector<LegendEntry>& a, const std::vector<LegendEntry>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const LegendEntry& x, const LegendEntry& y) {
                      return x.style == y.style && x.name == y.name;
                    });
}

// A chart's own <svg> at a place.
std::string placed(const std::string& svg, PixelPoint at) {
  constexpr std::string_view kOpen = "<svg ";
  EMGNN_DCHECK(svg.starts_with(kOpen));
  return fmt::format("<svg x=\"{:.0f}\" y=\"{:.0f}\" width=\"{:.0f}\" height=\"{:.0f}\" {}", at.x,
                     at.y, Plot::kWidth, height_of(svg), svg.substr(kOpen.size()));
}

}  // namespace

std::string svg_file(const std::string& title, const std::vector<Chart>& charts, size_t across) {
  across = std::clamp<size_t>(across, 1, std::max<size_t>(1, charts.size()));
  const double width = 2.0 * kMargin + static_cast<double>(across) * (Plot::kWidth + kGap) - kGap;
  const bool shared =
      charts.size() > 1 && std::all_of(charts.begin(), charts.end(), [&](const Chart& chart) {
        return same(chart.legend, charts.front().legend);
      });
  Drawing marks(width, 0.0);  // captions and legends
  const double inner = width - 2.0 * kMargin;
  double top = draw_title(marks, title, kMargin, inner) + 10.0;
  if (shared) top += draw_legend(marks, charts.front().legend, {kMargin, top - 8.0}, inner);
  std::string drawings;
  for (size_t first = 0; first < charts.size(); first += across) {
    double tallest = 0.0;
    for (size_t i = first; i < std::min(charts.size(), first + across); ++i) {
      const Chart& chart = charts[i];
      const double left = kMargin + static_cast<double>(i - first) * (Plot::kWidth + kGap);
      marks.text({left, top + 14.0}, shortened(chart.caption, 58), Anchor::kStart, "caption");
      double below = kCaption;
      if (!shared) below += draw_legend(marks, chart.legend, {left, top + below}, Plot::kWidth);
      drawings += placed(chart.svg, {left, top + below});
      tallest = std::max(tallest, below + height_of(chart.svg));
    }
    top += tallest + kGap;
  }
  std::string all = marks.svg(title);  // its elements without the frame
  all = all.substr(all.find('\n') + 1);
  all.erase(all.rfind("</svg>"));
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0:.0f} {1:.0f}\" width=\"{0:.0f}\" "
      "height=\"{1:.0f}\" role=\"img\" aria-label=\"{2}\">\n<style>{3}</style>\n<rect "
      "width=\"100%\" height=\"100%\" class=\"ground\"/>\n{4}{5}</svg>\n",
      width, top, escaped(title), style(), all, drawings);
}

}  // namespace emgnn
