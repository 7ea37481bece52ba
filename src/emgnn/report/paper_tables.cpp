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

// Tables of the paper that this version cannot train.
constexpr const char* kLater[] = {"runtime", "perturbation"};

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

int decimals(Task task) { return task == Task::kClassification ? 2 : 3; }

// "imdb 63.54 / 61.87, acm 92.61 / 92.68, ..."
std::string published(const PaperTable& table, const PaperRow& row) {
  std::vector<std::string> columns;
  for (size_t c = 0; c < table.columns.size(); ++c) {
    std::vector<std::string> means;
    for (size_t m = 0; m < table.metrics.size(); ++m)
      means.push_back(fmt::format("{:.{}f}", row.figures[c * table.metrics.size() + m].mean,
                                  decimals(table.task)));
    columns.push_back(fmt::format("{} {}", table.columns[c].name, fmt::join(means, " / ")));
  }
  return fmt::format("{}", fmt::join(columns, ", "));
}

// Shares are shown in percent.
double shown(Task task) { return task == Task::kClassification ? 100.0 : 1.0; }

std::string score_text(Task task, const MeanStd& score) {
  return fmt::format("{:.{}f} ± {:.{}f}", shown(task) * score.mean, decimals(task),
                     shown(task) * score.std, decimals(task));
}

}  // namespace

const PaperTable& paper_table(const std::string& name) {
  std::vector<std::string> names;
  for (const PaperTable& table : paper_tables()) {
    if (table.name == name) return table;
    names.push_back(table.name);
  }
  if (!contains({std::begin(kLater), std::end(kLater)}, name)) check_known("table", {name}, names);
  throw UsageError(fmt::format("table {} is not part of this version; there is {}", name,
                               fmt::join(names, ", ")));
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
    const MeanStd& paper = row.figures[first + m];
    const double one = shown(table.task);
    out.push_back({.row = row.name,
                   .column = column.name,
                   .metric = table.metrics[m].name,
                   .here = mean_std(test_scores(runs, table.metrics[m])),
                   .paper = {paper.mean / one, paper.std / one},
                   .task = table.task});
  }
  return out;
}

Json to_json(const std::vector<TableCell>& cells) {
  Json out = Json::array();
  for (const TableCell& cell : cells) {
    out.push_back({{"row", cell.row},
                   {"column", cell.column},
                   {"metric", cell.metric},
                   {"mean", cell.here.mean},
                   {"std", cell.here.std},
                   {"paper_mean", cell.paper.mean},
                   {"paper_std", cell.paper.std}});
  }
  return out;
}

std::string to_text(const std::vector<TableCell>& cells) {
  constexpr const char* kRow = "{:<12}{:<24}{:<10}{:>15}{:>15}{:>12}\n";
  std::string out =
      fmt::format(kRow, "row", "column", "metric", "emgnn", "the paper", "difference");
  for (const TableCell& cell : cells) {
    out +=
        fmt::format(kRow, cell.row, cell.column, cell.metric, score_text(cell.task, cell.here),
                    score_text(cell.task, cell.paper),
                    fmt::format("{:+.{}f}", shown(cell.task) * (cell.here.mean - cell.paper.mean),
                                decimals(cell.task)));
  }
  return out;
}

}  // namespace emgnn
