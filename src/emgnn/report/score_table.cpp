// SPDX-License-Identifier: Apache-2.0
#include <emgnn/report/score_table.h>

#include <fmt/format.h>

#include <algorithm>

#include <emgnn/report/plain_table.h>

namespace emgnn {

namespace {

constexpr int kStyles = 9;  // colours of lines, c1 to c8 and c0

std::vector<std::string> distinct(const std::vector<TableCell>& cells, auto name) {
  std::vector<std::string> out;
  for (const TableCell& cell : cells)
    if (std::find(out.begin(), out.end(), name(cell)) == out.end()) out.push_back(name(cell));
  return out;
}

std::vector<std::string> rows_of(const std::vector<TableCell>& cells) {
  return distinct(cells, [](const TableCell& cell) { return cell.row; });
}

std::vector<std::string> columns_of(const std::vector<TableCell>& cells) {
  return distinct(cells, [](const TableCell& cell) { return cell.column; });
}

const TableCell* find(const std::vector<TableCell>& cells, const std::string& row,
                      const std::string& column, const std::string& metric) {
  for (const TableCell& cell : cells)
    if (cell.row == row && cell.column == column && cell.metric.name == metric) return &cell;
  return nullptr;
}

std::string label_of(const PaperMetric& metric) {
  return metric.name + (metric.percent ? " in %" : "");
}

// "**92.70 ± 0.26** (92.70 ± 0.26, +0.00)"
std::string markdown_cell(const TableCell* cell) {
  if (cell == nullptr || cell->runs.empty()) return "–";
  const PaperMetric& metric = cell->metric;
  const char* mark = cell->place == 1 ? "**" : cell->place == 2 ? "*" : "";
  std::string out = fmt::format("{0}{1}{0}", mark, moments_text(metric, cell->here));
  if (!cell->chosen.empty()) out += fmt::format(" [{}]", cell->chosen);
  if (cell->paper)
    out += fmt::format(" ({}, {})", moments_text(metric, *cell->paper),
                       difference_text(metric, cell->here.mean - cell->paper->mean));
  if (cell->difference)
    out += fmt::format(" ({} ± {:.{}f})", difference_text(metric, cell->difference->mean),
                       metric.unit() * cell->difference->std, metric.decimals);
  return out;
}

Interval around(const MeanStd& of) { return {of.mean, of.mean - of.std, of.mean + of.std}; }

Chart dots(const PaperTable& table, const std::vector<TableCell>& cells, const std::string& column,
           const PaperMetric& metric) {
  std::vector<ScoreRow> rows;
  for (const std::string& row : rows_of(cells)) {
    const TableCell* cell = find(cells, row, column, metric.name);
    if (cell == nullptr || cell->runs.empty()) continue;
    ScoreRow& out = rows.emplace_back(ScoreRow{row, around(cell->here), {}, cell->place == 1});
    if (cell->paper) out.paper = around(*cell->paper);
  }
  const std::string caption =
      table.metrics.size() > 1 ? fmt::format("{}, {}", column, metric.name) : column;
  return score_chart(caption, label_of(metric), metric.percent, rows);
}

Chart curves(const PaperTable& table, const std::vector<TableCell>& cells,
             const PaperMetric& metric) {
  LinePlot plot{.caption = label_of(metric),
                .x_label = table.x_label,
                .y_label = label_of(metric),
                .series = {},
                .may_be_log = table.x_log,
                .percent = metric.percent,
                .x_log = table.x_log};
  int number = 0;
  for (const std::string& row : rows_of(cells)) {
    Series series{.name = row, .style = ++number % kStyles, .x = {}, .y = {}};
    for (const PaperColumn& column : table.columns) {  // x grows along them
      const TableCell* cell = find(cells, row, column.name, metric.name);
      if (cell == nullptr || cell->runs.empty()) continue;
      series.x.push_back(column.x.value());
      series.y.push_back(cell->here.mean);
      series.spread.push_back(cell->here.std);
    }
    if (!series.x.empty()) plot.series.push_back(std::move(series));
  }
  return line_chart(plot);
}

bool is_shown(const std::vector<TableCell>& cells, const PaperMetric& metric, auto property) {
  return std::any_of(cells.begin(), cells.end(), [&](const TableCell& cell) {
    return cell.metric.name == metric.name && property(cell);
  });
}

}  // namespace

std::string score_markdown(const PaperTable& table, const std::vector<TableCell>& cells) {
  std::string out;
  for (const PaperMetric& metric : table.metrics) {
    Table matrix{.caption = {}, .columns = {label_of(metric)}, .rows = {}};
    for (const std::string& column : columns_of(cells)) matrix.columns.push_back(column);
    for (const std::string& row : rows_of(cells)) {
      std::vector<Cell>& line = matrix.rows.emplace_back();
      line.push_back(cell(row));
      for (const std::string& column : columns_of(cells))
        line.push_back(cell(markdown_cell(find(cells, row, column, metric.name))));
    }
    out += (out.empty() ? "" : "\n") + to_markdown(matrix);
  }
  return out;
}

std::string score_csv(const std::vector<TableCell>& cells) {
  Table out{.caption = {},
            .columns = {"row", "column", "metric", "mean", "std", "runs", "paper_mean", "paper_std",
                        "paper_difference", "difference", "difference_se", "place", "chosen"},
            .rows = {}};
  const auto or_none = [](bool is, double value) { return is ? exact_cell(value) : cell(""); };
  for (const TableCell& c : cells) {
    const bool some = !c.runs.empty();
    const MeanStd paper = c.paper.value_or(MeanStd{}),
                  difference = c.difference.value_or(MeanStd{});
    // As many digits as are published: a share is a hundredth of what is printed.
    const auto published = [&](double value) {
      const int digits = c.metric.decimals + (c.metric.percent ? 2 : 0);
      return cell(c.paper ? fmt::format("{:.{}f}", value, digits) : "");
    };
    out.rows.push_back(
        {cell(c.row), cell(c.column), cell(c.metric.name), or_none(some, c.here.mean),
         or_none(some, c.here.std), cell(std::to_string(c.runs.size())), published(paper.mean),
         published(paper.std), or_none(some && c.paper.has_value(), c.here.mean - paper.mean),
         or_none(c.difference.has_value(), difference.mean),
         or_none(c.difference.has_value(), difference.std),
         cell(c.place == 0 ? "" : std::to_string(c.place)), cell(c.chosen)});
  }
  return to_csv(out);
}

std::vector<Chart> score_charts(const PaperTable& table, const std::vector<TableCell>& cells) {
  std::vector<Chart> out;
  for (const PaperMetric& metric : table.metrics) {
    if (!is_shown(cells, metric, [](const TableCell& c) { return !c.runs.empty(); })) continue;
    if (table.is_curve()) {
      out.push_back(curves(table, cells, metric));
      continue;
    }
    const bool published =
        is_shown(cells, metric, [](const TableCell& c) { return c.paper.has_value(); });
    if (!published && !out.empty()) continue;
    for (const std::string& column : columns_of(cells))
      if (is_shown(cells, metric,
                   [&](const TableCell& c) { return c.column == column && !c.runs.empty(); }))
        out.push_back(dots(table, cells, column, metric));
  }
  return out;
}

}  // namespace emgnn
