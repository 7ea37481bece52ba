// SPDX-License-Identifier: Apache-2.0
// SVG, element by element. Colours are classes of the page's style, so that both themes have theirs.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace emgnn {

struct PixelPoint {
  double x = 0.0, y = 0.0;
};

enum class Anchor { kStart, kMiddle, kEnd };

class Drawing {
 public:
  Drawing(double width, double height) : width_(width), height_(height) {}

  // `style` is one or more classes; `opacity` that of the fill.
  void rect(PixelPoint corner, PixelPoint size, std::string_view style, double opacity = 1.0,
            std::string_view title = "");
  void circle(PixelPoint centre, double radius, std::string_view style, double opacity = 1.0,
              std::string_view title = "");
  void line(PixelPoint from, PixelPoint to, std::string_view style, double width = 0.0);
  // A gap where a point is not finite.
  void polyline(const std::vector<PixelPoint>& points, std::string_view style);
  void polygon(const std::vector<PixelPoint>& points, std::string_view style, double opacity = 1.0);
  void text(PixelPoint at, std::string_view text, Anchor anchor, std::string_view style = "");
  void vertical_text(PixelPoint at, std::string_view text);
  void slanted_text(PixelPoint end, std::string_view text);  // it ends there, from below left

  double width() const { return width_; }
  double height() const { return height_; }
  // `label` says in a sentence what there is to see, to those who do not.
  std::string svg(std::string_view label) const;

 private:
  double width_, height_;
  std::string body_;
};

}  // namespace emgnn
