// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include <emgnn/report/graph_chart.h>
#include <emgnn/report/sections.h>

namespace emgnn {

namespace {

std::string predicted(const RunContents& contents, const std::string& node) {
  const auto found = contents.notes.find(node);
  return found == contents.notes.end() ? "–" : found->second.predicted;
}

Table edge_table(const RunContents& contents, const std::string& caption,
                 const std::vector<EdgeNote>& edges) {
  const bool classes = contents.runs.labels == LabelKind::kClasses;
  const bool views = std::any_of(edges.begin(), edges.end(),
                                 [](const EdgeNote& edge) { return !edge.view.empty(); });
  const bool similar = std::any_of(edges.begin(), edges.end(), [](const EdgeNote& edge) {
    return !std::isnan(edge.similarity);
  });
  Table out{.caption = caption, .columns = {"source", "target"}, .rows = {}};
  if (views) out.columns.push_back("view");
  out.columns.push_back(contents.edges.is_probability ? "probability" : "weight");
  if (similar) out.columns.push_back("similarity");
  if (classes) out.columns.insert(out.columns.end(), {"source predicted", "target predicted"});
  for (const EdgeNote& edge : edges) {
    std::vector<Cell>& row = out.rows.emplace_back();
    row = {cell(edge.source), cell(edge.target)};
    if (views) row.push_back(cell(edge.view));
    row.push_back(cell(edge.value));
    if (similar) row.push_back(cell(edge.similarity));
    if (!classes) continue;
    row.push_back(cell(predicted(contents, edge.source)));
    row.push_back(cell(predicted(contents, edge.target)));
  }
  return out;
}

double largest_value(const RunContents& contents) {
  if (contents.edges.is_probability) return 1.0;
  double out = 0.0;
  for (const Neighbourhood& around : contents.around)
    for (const EdgeNote& edge : around.edges) out = std::max(out, edge.value);
  return out;
}

// Without a script all of them are shown; with one a list chooses.
std::string drawings(const RunContents& contents, const std::string& id) {
  if (contents.around.empty()) return "";
  const double largest = largest_value(contents);
  std::string options, figures;
  for (size_t k = 0; k < contents.around.size(); ++k) {
    const Neighbourhood& around = contents.around[k];
    options += fmt::format("<option value=\"{}-{}\">{}</option>", id, k, escaped(around.centre));
    figures += fmt::format("<div id=\"{}-{}\" data-of=\"{}\">\n{}</div>\n", id, k, id,
                           to_html(neighbourhood_chart(around, contents.notes,
                                                       contents.edges.is_probability, largest)));
  }
  const std::string asked =
      contents.asked.empty() ? "Nodes" : "The nodes that were asked for, those";
  const char* wide = contents.edges.is_probability ? "a probable edge" : "an edge of large weight";
  return fmt::format(
      "<h4>Neighbourhoods</h4>\n<p>{} of which the network is least sure, and ends of the edges "
      "above. A wide line is {}; a dashed one is not in the data.</p>\n"
      "<p class=\"choice\" hidden><label>Node <select data-chooser=\"{}\">{}</select></label></p>\n"
      "<div class=\"charts\">\n{}</div>\n",
      asked, wide, id, options, figures);
}

}  // namespace

std::string edges_section(const RunContents& contents, const std::string& id) {
  if (contents.finished.empty()) return "";
  if (contents.edge_file.empty() && contents.predictions->molecules) return "";
  if (contents.edge_file.empty())
    return "<p>No single edge is in doubt in this run. Edges are weighed one by one by the rewire "
           "family, by the view <code>reliable</code> (<code>--set space.views=reliable,…</code>), "
           "by <code>bgcn</code> and by <code>rsgnn</code>.</p>\n";
  const EdgeSummary& edges = contents.edges;
  const StoredFit& shown = contents.runs.shown();
  std::string out = fmt::format(
      "<p>{} of seed {}: {} edges of the data{}.</p>\n", escaped(contents.edge_file), shown.seed,
      count_text(edges.observed),
      edges.candidates > 0
          ? fmt::format(" and {} candidates that are not in it", count_text(edges.candidates))
          : "");
  if (const auto cut = shown.cut.find(contents.edge_file); cut != shown.cut.end())
    out += fmt::format(
        "<p>The table holds {} edges, the most doubtful and the most wanted; "
        "<code>emgnn train --all-edges</code> keeps all.</p>\n",
        escaped(cut->second));
  out += "<div class=\"tables\">\n";
  if (!edges.doubtful.empty())
    out += to_html(edge_table(contents, "Most doubtful edges", edges.doubtful));
  if (!edges.wanted.empty())
    out +=
        to_html(edge_table(contents, "Most wanted edges that are not in the data", edges.wanted));
  return out + "</div>\n" + drawings(contents, id);
}

}  // namespace emgnn
