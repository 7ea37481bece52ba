// SPDX-License-Identifier: Apache-2.0
#include <emgnn/report/charts.h>

#include <fmt/format.h>

namespace emgnn {

std::string to_html(const Chart& chart) {
  std::string out = fmt::format("<figure>\n<figcaption>{}</figcaption>\n", escaped(chart.caption));
  if (!chart.legend.empty()) {
    out += "<ul class=\"legend\">";
    for (const LegendEntry& entry : chart.legend)
      out += fmt::format("<li><span class=\"key {}\" aria-hidden=\"true\"></span>{}</li>",
                         entry.style, escaped(entry.name));
    out += "</ul>\n";
  }
  return out + chart.svg + folded("As a table", to_html(chart.table)) + "</figure>\n";
}

std::string to_html(const std::vector<Chart>& charts) {
  std::string out = "<div class=\"charts\">\n";
  for (const Chart& chart : charts) out += to_html(chart);
  return out + "</div>\n";
}

std::string shortened(const std::string& name, size_t most) {
  const auto continues = [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U; };
  size_t characters = 0, cut = 0;
  for (size_t i = 0; i < name.size(); ++i) {
    if (continues(name[i])) continue;
    if (characters + 1 == most) cut = i;
    ++characters;
  }
  return characters <= most ? name : name.substr(0, cut) + "…";
}

}  // namespace emgnn
