// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <emgnn/learn/mean_std.h>
#include <emgnn/report/distribution_charts.h>
#include <emgnn/report/sections.h>

namespace emgnn {

namespace {

// Of the one graph that was learned, the mean over the runs.
std::string learned_shares(const std::vector<RunRecord>& runs) {
  Table table{.caption = "Shares of the one graph that was learned",
              .columns = {"view", "share"},
              .rows = {}};
  if (runs.size() > 1) table.columns = {"view", "mean", "std"};
  for (size_t v = 0; v < runs.front().fit.shares.size(); ++v) {
    std::vector<double> each;
    for (const RunRecord& run : runs) each.push_back(run.fit.shares.at(v).value);
    const MeanStd moments = mean_std(each);
    table.rows.push_back({cell(runs.front().fit.shares[v].name), cell(moments.mean)});
    if (runs.size() > 1) table.rows.back().push_back(cell(moments.std));
  }
  return table.rows.empty() ? "" : to_html(table);
}

}  // namespace

std::string distribution_section(const RunContents& contents) {
  if (contents.finished.empty()) return "";
  const std::optional<GraphDistribution> graphs = mean_graphs(contents.finished);
  if (!graphs) return learned_shares(contents.finished);
  if (graphs->names.empty())
    return fmt::format(
        "<p>The graphs are drawn from a model of the edges and have no parameter; its tables are "
        "beside the results in the folder of the run.</p>\n");
  if (graphs->points.size() < 2)
    return "<p>There is a single graph in the family: nothing to choose between.</p>\n";
  const std::string over = contents.finished.size() == 1
                               ? ""
                               : fmt::format(", the mean over {} runs", contents.finished.size());
  return fmt::format("<p>Family: {}, {} points with mass{}.</p>\n", escaped(graphs->family),
                     count_text(static_cast<int64_t>(graphs->points.size())), over) +
         to_html(distribution_charts(*graphs));
}

}  // namespace emgnn
