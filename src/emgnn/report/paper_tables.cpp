// SPDX-License-Identifier: Apache-2.0
#include <emgnn/report/paper_tables.h>

#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include <emgnn/base/error.h>
#include <emgnn/base/options.h>

namespace emgnn {

namespace {

using Json = nlohmann::ordered_json;

bool contains(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

void check_known(const char* kind, const std::vector<std::string>& names,
                 const std::vector<std::string>& known) {
  for (const std::string& name : names) {
    if (contains(known, name)) continue;
    const std::vector<std::string> near = near_matches(name, known);
    throw UsageError(fmt::format("unknown {} \"{}\"; {} {}", kind, name,
                                 near.empty() ? "known:" : "did you mean",
                                 fmt::join(near.empty() ? known : near, ", ")));
  }
}

// "imdb 63.54 / 61.87, acm 92.61 / 92.68, ..."
std::string published(const PaperTable& table, const PaperRow& row) {
  std::vector<std::string> columns;
  for (size_t c = 0; c < table.columns.size(); ++c) {
    std::vector<std::string> means;
    for (size_t m = 0; m < table.metrics.size(); ++m)
      means.push_back(fmt::format("{:.{}f}", row.figures[c * table.metrics.size() + m].mean,
                                  table.metrics[m].decimals));
    columns.push_back(fmt::format("{} {}", table.columns[c].name, fmt::join(means, " / ")));
  }
  return fmt::format("{}", fmt::join(columns, ", "));
}

std::string text_of(const PaperMetric& metric, const MeanStd& value) {
  return fmt::format("{:.{}f} ± {:.{}f}", metric.unit * value.mean, metric.decimals,
                     metric.unit * value.std, metric.decimals);
}

}  // namespace

PaperMetric test_score(const ScoreName& score) {
  const std::span<const ScoreName> shares = score_names(Task::kClassification);
  const bool share = std::any_of(shares.begin(), shares.end(), [&](const ScoreName& known) {
    return known.value == score.value;
  });
  return {.name = score.name,
          .of = [value = score.value](const RunRecord& run) { return run.test.*value; },
          .unit = share ? 100.0 : 1.0,
          .decimals = share ? 2 : 3};
}

const PaperTable& paper_table(const std::string& name) {
  std::vector<std::string> names;
  for (const PaperTable& table : paper_tables()) {
    if (table.name == name) return table;
    names.push_back(table.name);
  }
  check_known("table", {name}, names);
  throw InternalError("a known table was not found");
}

std::vector<const PaperRow*> select_rows(const PaperTable& table,
                                         const std::vector<std::string>& names) {
  std::vector<std::string> known;
  for (const PaperRow& row : table.rows) known.push_back(row.name);
  check_known("row", names, known);
  std::vector<const PaperRow*> out;
  for (const PaperRow& row : table.rows) {
    const bool asked = contains(names, row.name);
    if (asked && row.method.empty()) {
      throw UsageError(fmt::format("row {} is not available in this version; the paper has {}",
                                   row.name, published(table, row)));
    }
    if (asked || (names.empty() && !row.method.empty())) out.push_back(&row);
  }
  return out;
}

std::vector<const PaperColumn*> select_columns(const PaperTable& table,
                                               const std::vector<std::string>& names) {
  std::vector<std::string> known;
  for (const PaperColumn& column : table.columns) known.push_back(column.name);
  check_known("column", names, known);
  std::vector<const PaperColumn*> out;
  for (const PaperColumn& column : table.columns) {
    if (names.empty() || contains(names, column.name)) out.push_back(&column);
  }
  return out;
}

std::vector<TableCell> table_cells(const PaperTable& table, const PaperRow& row,
                                   const PaperColumn& column, const std::vector<RunRecord>& runs) {
  const auto found = std::find_if(table.columns.begin(), table.columns.end(),
                                  [&](const PaperColumn& c) { return c.name == column.name; });
  const auto first = static_cast<size_t>(found - table.columns.begin()) * table.metrics.size();
  std::vector<TableCell> out;
  for (size_t m = 0; m < table.metrics.size(); ++m) {
    const PaperMetric& metric = table.metrics[m];
    std::vector<double> values;
    for (const RunRecord& run : runs) values.push_back(metric.of(run));
    TableCell cell{.row = row.name,
                   .column = column.name,
                   .metric = metric,
                   .here = mean_std(values),
                   .paper = {}};
    if (!row.figures.empty()) {
      const MeanStd& paper = row.figures[first + m];
      cell.paper = {paper.mean / metric.unit, paper.std / metric.unit};
    }
    out.push_back(std::move(cell));
  }
  return out;
}

Json to_json(const std::vector<TableCell>& cells) {
  Json out = Json::array();
  for (const TableCell& cell : cells) {
    out.push_back({{"row", cell.row},
                   {"column", cell.column},
                   {"metric", cell.metric.name},
                   {"mean", cell.here.mean},
                   {"std", cell.here.std},
                   {"paper_mean", cell.paper ? Json(cell.paper->mean) : Json()},
                   {"paper_std", cell.paper ? Json(cell.paper->std) : Json()}});
  }
  return out;
}

std::string to_text(const std::vector<TableCell>& cells) {
  constexpr const char* kRow = "{:<12}{:<24}{:<10}{:>15}{:>15}{:>12}\n";
  std::string out =
      fmt::format(kRow, "row", "column", "metric", "emgnn", "the paper", "difference");
  for (const TableCell& cell : cells) {
    const PaperMetric& metric = cell.metric;
    std::string paper, difference;
    if (cell.paper) {
      paper = text_of(metric, *cell.paper);
      difference = fmt::format("{:+.{}f}", metric.unit * (cell.here.mean - cell.paper->mean),
                               metric.decimals);
    }
    out += fmt::format(kRow, cell.row, cell.column, metric.name, text_of(metric, cell.here), paper,
                       difference);
  }
  return out;
}

}  // namespace emgnn
