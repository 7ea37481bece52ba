// SPDX-License-Identifier: Apache-2.0
#include <emgnn/report/graph_chart.h>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <set>

#include <emgnn/report/plot.h>

namespace emgnn {

namespace {

constexpr double kHeight = 350.0, kRadius = 118.0, kNode = 9.0;
constexpr int kColours = 8;
const PixelPoint kCentre{Plot::kWidth / 2.0, kHeight / 2.0};

using Places = std::map<std::string, PixelPoint>;

// In an odd number of places no two are opposite: what joins two neighbours passes by the centre.
double angle_of(size_t i, size_t count) {
  return (static_cast<double>(i) / static_cast<double>(count | 1U) - 0.25) * 2.0 * std::numbers::pi;
}

Places places_of(const Neighbourhood& around) {
  Places out = {{around.centre, kCentre}};
  for (size_t i = 0; i < around.nodes.size(); ++i) {
    const double angle = angle_of(i, around.nodes.size());
    out[around.nodes[i]] = {kCentre.x + kRadius * std::cos(angle),
                            kCentre.y + kRadius * std::sin(angle)};
  }
  return out;
}

std::string style_of(const std::map<std::string, RowNote>& notes, const std::string& node) {
  const auto found = notes.find(node);
  if (found == notes.end() || found->second.answer == kNoLabel) return "node f0";
  return fmt::format("node f{}", found->second.answer % kColours + 1);
}

std::string title_of(const std::map<std::string, RowNote>& notes, const std::string& node) {
  const auto found = notes.find(node);
  if (found == notes.end() || found->second.predicted.empty()) return node;
  return fmt::format("{}: predicted {} ({})", node, found->second.predicted,
                     percent_text(found->second.confidence));
}

void draw_edges(Drawing& drawing, const Neighbourhood& around, const Places& places,
                double largest) {
  for (const EdgeNote& edge : around.edges) {
    const double share = largest > 0.0 ? std::clamp(edge.value / largest, 0.0, 1.0) : 0.0;
    drawing.line(places.at(edge.source), places.at(edge.target),
                 edge.candidate ? "edge wanted" : "edge", 0.6 + 4.4 * share);
  }
  for (const EdgeNote& edge : around.edges) {
    const bool out = edge.source == around.centre, in = edge.target == around.centre;
    if (!out && !in) continue;
    const PixelPoint end = places.at(out ? edge.target : edge.source);
    const PixelPoint at{kCentre.x + 0.6 * (end.x - kCentre.x),
                        kCentre.y + 0.6 * (end.y - kCentre.y)};
    drawing.text({at.x, at.y + 4.0}, fmt::format("{:.2f}", edge.value), Anchor::kMiddle, "halo");
  }
}

void draw_nodes(Drawing& drawing, const Neighbourhood& around, const Places& places,
                const std::map<std::string, RowNote>& notes) {
  for (size_t i = 0; i < around.nodes.size(); ++i) {
    const std::string& node = around.nodes[i];
    const PixelPoint at = places.at(node);
    drawing.circle(at, kNode, style_of(notes, node), 1.0, title_of(notes, node));
    const double angle = angle_of(i, around.nodes.size());
    const double across = std::cos(angle), down = std::sin(angle);
    const Anchor anchor = across > 0.3    ? Anchor::kStart
                          : across < -0.3 ? Anchor::kEnd
                                          : Anchor::kMiddle;
    drawing.text({at.x + 15.0 * across, at.y + 19.0 * down + 4.0}, shortened(node, 9), anchor);
  }
  drawing.circle(kCentre, kNode + 4.0, style_of(notes, around.centre), 1.0,
                 title_of(notes, around.centre));
  drawing.text({kCentre.x, kCentre.y + kNode + 19.0}, shortened(around.centre, 14), Anchor::kMiddle,
               "halo title");
}

// The classes of what is drawn, by colour.
std::vector<LegendEntry> legend_of(const Neighbourhood& around,
                                   const std::map<std::string, RowNote>& notes) {
  std::map<int32_t, std::string> classes;
  std::vector<std::string> all = around.nodes;
  all.push_back(around.centre);
  for (const std::string& node : all) {
    const auto found = notes.find(node);
    if (found != notes.end() && found->second.answer != kNoLabel)
      classes[found->second.answer] = found->second.predicted;
  }
  std::vector<LegendEntry> out;
  for (const auto& [cls, name] : classes)
    out.push_back({fmt::format("m{}", cls % kColours + 1), "predicted " + name});
  const bool wanted = std::any_of(around.edges.begin(), around.edges.end(),
                                  [](const EdgeNote& edge) { return edge.candidate; });
  out.push_back({"l0", "edge as given"});
  if (wanted) out.push_back({"wanted", "candidate"});
  return out;
}

}  // namespace

Chart neighbourhood_chart(const Neighbourhood& around, const std::map<std::string, RowNote>& notes,
                          bool is_probability, double largest) {
  Drawing drawing(Plot::kWidth, kHeight);
  const Places places = places_of(around);
  draw_edges(drawing, around, places, largest);
  draw_nodes(drawing, around, places, notes);
  const char* value = is_probability ? "probability" : "weight";
  Chart out{.caption = title_of(notes, around.centre),
            .legend = legend_of(around, notes),
            .table = {.caption = fmt::format("Edges around {}", around.centre),
                      .columns = {"source", "target", "kind", value},
                      .rows = {}}};
  if (around.left_out > 0)
    out.caption += fmt::format("; {} further neighbours are left out", around.left_out);
  if (around.nodes.empty()) out.caption += "; no edge of it is in the table";
  for (const EdgeNote& edge : around.edges) {
    const std::string kind = edge.candidate      ? "candidate"
                             : edge.view.empty() ? "as given"
                                                 : edge.view;
    out.table.rows.push_back({cell(edge.source), cell(edge.target), cell(kind), cell(edge.value)});
  }
  out.svg = drawing.svg(fmt::format("{} with {} neighbours; the table lists each edge with its {}.",
                                    around.centre, around.nodes.size(), value));
  return out;
}

}  // namespace emgnn
