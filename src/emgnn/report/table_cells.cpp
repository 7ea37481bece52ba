// SPDX-License-Identifier: Apache-2.0
#include <emgnn/report/table_cells.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include <emgnn/base/error.h>

namespace emgnn {

namespace {

using Json = nlohmann::ordered_json;

std::string text_of(const PaperMetric& metric, const MeanStd& value) {
  return fmt::format("{:.{}f} ± {:.{}f}", metric.unit() * value.mean, metric.decimals,
                     metric.unit() * value.std, metric.decimals);
}

MeanStd moments(const PaperMetric& metric, const std::vector<RunRecord>& runs) {
  std::vector<double> values;
  for (const RunRecord& run : runs) {
    const std::optional<double> value = metric_value(run, metric.name);
    EMGNN_DCHECK(value.has_value());  // a table names scores of the task of its datasets
    values.push_back(*value);
  }
  return mean_std(values);
}

}  // namespace

std::optional<double> metric_value(const RunRecord& run, const std::string& name) {
  if (name == "seconds") return run.seconds;
  const double* value = run.test ? run.test->find(name) : run.validation.scores.find(name);
  return value == nullptr ? std::nullopt : std::optional(*value);
}

std::vector<TableCell> table_cells(const PaperTable& table, const PaperRow& row,
                                   const PaperColumn& column, const std::vector<RunRecord>& runs) {
  const auto found = std::find_if(table.columns.begin(), table.columns.end(),
                                  [&](const PaperColumn& c) { return c.name == column.name; });
  const auto first = static_cast<size_t>(found - table.columns.begin()) * table.metrics.size();
  std::vector<TableCell> out;
  for (size_t m = 0; m < table.metrics.size(); ++m) {
    const PaperMetric& metric = table.metrics[m];
    TableCell cell{.row = row.name,
                   .column = column.name,
                   .metric = metric,
                   .here = moments(metric, runs),
                   .paper = {}};
    if (!row.figures.empty()) {
      const MeanStd& paper = row.figures[first + m];
      cell.paper = {paper.mean / metric.unit(), paper.std / metric.unit()};
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
      difference = fmt::format("{:+.{}f}", metric.unit() * (cell.here.mean - cell.paper->mean),
                               metric.decimals);
    }
    out += fmt::format(kRow, cell.row, cell.column, metric.name, text_of(metric, cell.here), paper,
                       difference);
  }
  return out;
}

}  // namespace emgnn
