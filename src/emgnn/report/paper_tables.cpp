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
constexpr const char* kLater[] = {"homogeneous", "heterophilic", "molecules", "runtime",
                                  "perturbation"};

// EMGNN (ICML 2024), heterogeneous graphs: micro and macro F1, ten runs.
const PaperTable& heterogeneous() {
  static const PaperTable table{.name = "heterogeneous",
                                .metrics = {kTestScores[0], kTestScores[1]},
                                .columns = {"imdb", "acm", "dblp"},
                                .rows = {
                                    {"gcn",
                                     "gcn",
                                     {},
                                     {{61.91, 0.67},
                                      {60.91, 0.57},
                                      {91.92, 0.40},
                                      {92.00, 0.41},
                                      {94.60, 0.31},
                                      {93.88, 0.36}}},
                                    {"gat",
                                     "",
                                     {},
                                     {{63.54, 1.10},
                                      {61.87, 0.95},
                                      {92.61, 0.36},
                                      {92.68, 0.36},
                                      {94.48, 0.22},
                                      {93.74, 0.27}}},
                                    {"gtn",
                                     "",
                                     {},
                                     {{60.58, 2.10},
                                      {59.12, 1.58},
                                      {92.12, 0.62},
                                      {92.23, 0.60},
                                      {94.17, 0.26},
                                      {93.59, 0.40}}},
                                    {"simple-hgn",
                                     "",
                                     {},
                                     {{58.91, 1.06},
                                      {58.30, 0.34},
                                      {92.73, 0.21},
                                      {92.56, 0.42},
                                      {94.48, 0.38},
                                      {93.69, 0.32}}},
                                    {"sehgnn",
                                     "",
                                     {},
                                     {{62.13, 2.38},
                                      {60.62, 1.95},
                                      {92.45, 0.17},
                                      {92.51, 0.16},
                                      {94.86, 0.14},
                                      {94.14, 0.19}}},
                                    {"em-gcn-pt",
                                     "em-gcn",
                                     {"em.variant=pt"},
                                     {{64.78, 1.24},
                                      {63.36, 0.80},
                                      {92.70, 0.26},
                                      {92.78, 0.26},
                                      {95.06, 0.39},
                                      {94.41, 0.45}}},
                                    {"em-gcn-po",
                                     "em-gcn",
                                     {"em.variant=po"},
                                     {{63.35, 0.79},
                                      {62.25, 0.59},
                                      {92.35, 0.38},
                                      {92.45, 0.38},
                                      {94.95, 0.24},
                                      {94.28, 0.28}}},
                                    {"em-gcn-pd",
                                     "em-gcn",
                                     {"em.variant=pd"},
                                     {{62.49, 0.87},
                                      {61.55, 0.71},
                                      {92.31, 0.43},
                                      {92.41, 0.42},
                                      {94.89, 0.17},
                                      {94.15, 0.23}}},
                                    {"em-gcn-ph",
                                     "em-gcn",
                                     {"em.variant=ph"},
                                     {{62.01, 0.55},
                                      {61.15, 0.46},
                                      {92.18, 0.52},
                                      {92.29, 0.52},
                                      {95.02, 0.19},
                                      {94.34, 0.20}}},
                                }};
  return table;
}

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
      means.push_back(fmt::format("{:.2f}", row.figures[c * table.metrics.size() + m].mean));
    columns.push_back(fmt::format("{} {}", table.columns[c], fmt::join(means, " / ")));
  }
  return fmt::format("{}", fmt::join(columns, ", "));
}

std::string percent(const MeanStd& share) {
  return fmt::format("{:.2f} ± {:.2f}", 100.0 * share.mean, 100.0 * share.std);
}

}  // namespace

const PaperTable& paper_table(const std::string& name) {
  if (name == heterogeneous().name) return heterogeneous();
  if (!contains({std::begin(kLater), std::end(kLater)}, name))
    check_known("table", {name}, {heterogeneous().name});
  throw UsageError(
      fmt::format("table {} is not part of this version; there is {}", name, heterogeneous().name));
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

std::vector<std::string> select_columns(const PaperTable& table,
                                        const std::vector<std::string>& names) {
  check_known("column", names, table.columns);
  if (names.empty()) return table.columns;
  std::vector<std::string> out;
  for (const std::string& column : table.columns) {
    if (contains(names, column)) out.push_back(column);
  }
  return out;
}

std::vector<TableCell> table_cells(const PaperTable& table, const PaperRow& row,
                                   const std::string& column, const std::vector<RunRecord>& runs) {
  const auto found = std::find(table.columns.begin(), table.columns.end(), column);
  const auto first = static_cast<size_t>(found - table.columns.begin()) * table.metrics.size();
  std::vector<TableCell> out;
  for (size_t m = 0; m < table.metrics.size(); ++m) {
    const MeanStd& percent = row.figures[first + m];
    out.push_back({.row = row.name,
                   .column = column,
                   .metric = table.metrics[m].name,
                   .here = mean_std(test_scores(runs, table.metrics[m])),
                   .paper = {percent.mean / 100.0, percent.std / 100.0}});
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
  constexpr const char* kRow = "{:<12}{:<8}{:<10}{:>15}{:>15}{:>12}\n";
  std::string out =
      fmt::format(kRow, "row", "column", "metric", "emgnn", "the paper", "difference");
  for (const TableCell& cell : cells) {
    out += fmt::format(kRow, cell.row, cell.column, cell.metric, percent(cell.here),
                       percent(cell.paper),
                       fmt::format("{:+.2f}", 100.0 * (cell.here.mean - cell.paper.mean)));
  }
  return out;
}

}  // namespace emgnn
