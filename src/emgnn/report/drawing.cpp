// SPDX-License-Identifier: Apache-2.0
#include <emgnn/report/drawing.h>

#include <fmt/format.h>

#include <cmath>

#include <emgnn/report/html.h>

namespace emgnn {

namespace {

// To a tenth of a pixel.
std::string pixel(double x) {
  std::string out = fmt::format("{:.1f}", x);
  if (out.ends_with(".0")) out.resize(out.size() - 2);
  return out == "-0" ? "0" : out;
}

std::string fill(double opacity) {
  return opacity < 1.0 ? fmt::format(" fill-opacity=\"{:.3g}\"", opacity) : "";
}

std::string list(const std::vector<PixelPoint>& points) {
  std::string out;
  for (const PixelPoint& p : points)
    out += (out.empty() ? "" : " ") + pixel(p.x) + "," + pixel(p.y);
  return out;
}

std::string closed(const char* tag, std::string_view title) {
  if (title.empty()) return "/>\n";
  return fmt::format("><title>{}</title></{}>\n", escaped(title), tag);
}

}  // namespace

void Drawing::rect(PixelPoint corner, PixelPoint size, std::string_view style, double opacity,
                   std::string_view title) {
  body_ +=
      fmt::format(R"(<rect x="{}" y="{}" width="{}" height="{}" class="{}"{})", pixel(corner.x),
                  pixel(corner.y), pixel(size.x), pixel(size.y), style, fill(opacity)) +
      closed("rect", title);
}

void Drawing::circle(PixelPoint centre, double radius, std::string_view style, double opacity,
                     std::string_view title) {
  body_ += fmt::format(R"(<circle cx="{}" cy="{}" r="{}" class="{}"{})", pixel(centre.x),
                       pixel(centre.y), pixel(radius), style, fill(opacity)) +
           closed("circle", title);
}

void Drawing::line(PixelPoint from, PixelPoint to, std::string_view style, double width) {
  const std::string stroke = width > 0.0 ? fmt::format(" stroke-width=\"{:.2g}\"", width) : "";
  body_ += fmt::format("<line x1=\"{}\" y1=\"{}\" x2=\"{}\" y2=\"{}\" class=\"{}\"{}/>\n",
                       pixel(from.x), pixel(from.y), pixel(to.x), pixel(to.y), style, stroke);
}

void Drawing::polyline(const std::vector<PixelPoint>& points, std::string_view style) {
  std::vector<PixelPoint> piece;
  const auto flush = [&] {
    if (piece.size() == 1) circle(piece.front(), 1.5, fmt::format("{} dot", style));
    if (piece.size() > 1)
      body_ += fmt::format("<polyline points=\"{}\" class=\"{}\"/>\n", list(piece), style);
    piece.clear();
  };
  for (const PixelPoint& p : points) {
    if (std::isfinite(p.x) && std::isfinite(p.y)) {
      piece.push_back(p);
    } else {
      flush();
    }
  }
  flush();
}

void Drawing::polygon(const std::vector<PixelPoint>& points, std::string_view style,
                      double opacity) {
  body_ +=
      fmt::format("<polygon points=\"{}\" class=\"{}\"{}/>\n", list(points), style, fill(opacity));
}

void Drawing::text(PixelPoint at, std::string_view text, Anchor anchor, std::string_view style) {
  static constexpr const char* kAnchors[] = {"start", "middle", "end"};
  body_ += fmt::format("<text x=\"{}\" y=\"{}\" text-anchor=\"{}\"{}>{}</text>\n", pixel(at.x),
                       pixel(at.y), kAnchors[static_cast<size_t>(anchor)],
                       style.empty() ? "" : fmt::format(" class=\"{}\"", style), escaped(text));
}

void Drawing::vertical_text(PixelPoint at, std::string_view text) {
  body_ += fmt::format(
      "<text x=\"{0}\" y=\"{1}\" text-anchor=\"middle\" transform=\"rotate(-90 {0} {1})\" "
      "class=\"title\">{2}</text>\n",
      pixel(at.x), pixel(at.y), escaped(text));
}

void Drawing::slanted_text(PixelPoint end, std::string_view text) {
  body_ += fmt::format(
      "<text x=\"{0}\" y=\"{1}\" text-anchor=\"end\" transform=\"rotate(-45 {0} "
      "{1})\">{2}</text>\n",
      pixel(end.x), pixel(end.y), escaped(text));
}

std::string Drawing::svg(std::string_view label) const {
  return fmt::format("<svg viewBox=\"0 0 {} {}\" role=\"img\" aria-label=\"{}\">\n{}</svg>\n",
                     pixel(width_), pixel(height_), escaped(label), body_);
}

}  // namespace emgnn
