// SPDX-License-Identifier: Apache-2.0
#include <emgnn/report/table_cells.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include <emgnn/base/error.h>

namespace emgnn {

namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kGraphRank = "graph_rank";
constexpr const char* kEdgeAuc = "edge_auc";
constexpr const char* kSeconds = "seconds";
constexpr const char* kMemory = "peak_rss_mb";

// Of every run, or of none: differences are paired.
std::vector<double> values_of(const PaperMetric& metric, const std::vector<RunRecord>& runs) {
  std::vector<double> values;
  for (const RunRecord& run : runs) {
    const std::optional<double> value = metric_value(run, metric.name);
    // A table names scores of the task of its datasets; not every method has the two others.
    const bool may_lack = metric.name == kGraphRank || metric.name == kEdgeAuc;
    if (!value && may_lack) return {};
    EMGNN_DCHECK(value.has_value());
    values.push_back(*value);
  }
  return values;
}

double mean_validation(const Results& results, const std::string& score) {
  std::vector<double> each;
  for (const RunRecord& run : results.runs) each.push_back(run.validation.scores.at(score));
  return mean_std(each).mean;
}

// Of those that are no score of a task, time and memory are better when they are small.
bool higher_is_better(const std::string& metric, const std::vector<ScoreInfo>& scores) {
  const auto info = std::find_if(scores.begin(), scores.end(),
                                 [&](const ScoreInfo& i) { return i.name == metric; });
  if (info != scores.end()) return info->higher_is_better;
  return metric != kSeconds && metric != kMemory;
}

// The mean as it is printed, in units of its last digit; more is better.
long long printed_rank(const TableCell& cell) {
  const double digits = cell.metric.unit() * std::pow(10.0, cell.metric.decimals);
  return std::llround((cell.higher_is_better ? 1.0 : -1.0) * cell.here.mean * digits);
}

std::string row_name(const TableCell& cell) {
  return cell.chosen.empty() ? cell.row : fmt::format("{} ({})", cell.row, cell.chosen);
}

}  // namespace

std::string moments_text(const PaperMetric& metric, const MeanStd& value) {
  return fmt::format("{:.{}f} ± {:.{}f}", metric.unit() * value.mean, metric.decimals,
                     metric.unit() * value.std, metric.decimals);
}

std::string difference_text(const PaperMetric& metric, double difference) {
  return fmt::format("{:+.{}f}", metric.unit() * difference, metric.decimals);
}

std::optional<double> metric_value(const RunRecord& run, const std::string& name) {
  if (name == kSeconds) return run.seconds;
  if (name == kMemory) return run.peak_rss_mb;
  if (name == kGraphRank) return run.graph_rank ? run.graph_rank->correlation : std::nullopt;
  if (name == kEdgeAuc) return run.edge_auc;
  const double* value = run.test ? run.test->find(name) : run.validation.scores.find(name);
  return value == nullptr ? std::nullopt : std::optional(*value);
}

std::vector<TableCell> table_cells(const PaperTable& table, const PaperRow& row,
                                   const PaperColumn& column, const Results& results) {
  const auto found = std::find_if(table.columns.begin(), table.columns.end(),
                                  [&](const PaperColumn& c) { return c.name == column.name; });
  const auto first = static_cast<size_t>(found - table.columns.begin()) * table.metrics.size();
  std::vector<double> seconds;
  for (const RunRecord& run : results.runs) seconds.push_back(run.seconds);
  std::vector<TableCell> out;
  for (size_t m = 0; m < table.metrics.size(); ++m) {
    const PaperMetric& metric = table.metrics[m];
    TableCell cell{.row = row.name,
                   .column = column.name,
                   .metric = metric,
                   .here = {},
                   .paper = {},
                   .runs = values_of(metric, results.runs)};
    cell.higher_is_better = higher_is_better(metric.name, results.scores);
    if (!seconds.empty()) cell.seconds = mean_std(seconds).mean;
    if (!cell.runs.empty()) cell.here = mean_std(cell.runs);
    if (const std::optional<MeanStd> paper =
            row.figures.empty() ? std::nullopt : row.figures[first + m])
      cell.paper = {paper->mean / metric.unit(), paper->std / metric.unit()};
    out.push_back(std::move(cell));
  }
  return out;
}

const TrainedCell& best_by_validation(const PaperTable& table, const PaperRow& choice,
                                      const PaperColumn& column,
                                      std::span<const TrainedCell> trained) {
  const std::string& score = table.metrics.front().name;
  const TrainedCell* best = nullptr;
  double most = 0.0;
  for (const TrainedCell& cell : trained) {
    const std::vector<std::string>& of = choice.best_of;
    if (cell.column != &column || std::find(of.begin(), of.end(), cell.row->name) == of.end())
      continue;
    const std::vector<ScoreInfo>& known = cell.results.scores;
    const auto info = std::find_if(known.begin(), known.end(),
                                   [&](const ScoreInfo& i) { return i.name == score; });
    EMGNN_DCHECK(info != known.end());
    const double value =
        (info->higher_is_better ? 1.0 : -1.0) * mean_validation(cell.results, score);
    if (best == nullptr || value > most) {
      best = &cell;
      most = value;
    }
  }
  EMGNN_DCHECK(best != nullptr);
  return *best;
}

void compare_with(const std::string& row, std::vector<TableCell>& cells) {
  for (TableCell& cell : cells) {
    const auto other = std::find_if(cells.begin(), cells.end(), [&](const TableCell& c) {
      return c.row == row && c.column == cell.column && c.metric.name == cell.metric.name;
    });
    if (cell.row == row || other == cells.end()) continue;
    if (cell.runs.empty() || cell.runs.size() != other->runs.size()) continue;
    std::vector<double> each;
    for (size_t i = 0; i < cell.runs.size(); ++i) each.push_back(other->runs[i] - cell.runs[i]);
    cell.difference = mean_std(each);
    cell.difference->std /= std::sqrt(static_cast<double>(each.size()));
  }
}

void mark_best(std::vector<TableCell>& cells) {
  std::map<std::pair<std::string, std::string>, std::vector<TableCell*>> columns;
  for (TableCell& cell : cells)
    if (!cell.runs.empty()) columns[{cell.column, cell.metric.name}].push_back(&cell);
  for (auto& [column, rows] : columns) {
    if (rows.size() < 2) continue;
    std::set<long long, std::greater<>> ranks;
    for (const TableCell* cell : rows) ranks.insert(printed_rank(*cell));
    for (TableCell* cell : rows) {
      const auto better = std::distance(ranks.begin(), ranks.find(printed_rank(*cell)));
      if (better < 2) cell->place = static_cast<int>(better) + 1;
    }
  }
}

Json to_json(const std::vector<TableCell>& cells) {
  Json out = Json::array();
  for (const TableCell& cell : cells) {
    const bool some = !cell.runs.empty();
    out.push_back({{"row", cell.row},
                   {"column", cell.column},
                   {"metric", cell.metric.name},
                   {"mean", some ? Json(cell.here.mean) : Json()},
                   {"std", some ? Json(cell.here.std) : Json()},
                   {"runs", cell.runs},
                   {"difference", cell.difference ? Json(cell.difference->mean) : Json()},
                   {"difference_se", cell.difference ? Json(cell.difference->std) : Json()},
                   {"paper_mean", cell.paper ? Json(cell.paper->mean) : Json()},
                   {"paper_std", cell.paper ? Json(cell.paper->std) : Json()},
                   {"paper_difference",
                    some && cell.paper ? Json(cell.here.mean - cell.paper->mean) : Json()},
                   {"seconds", cell.seconds ? Json(*cell.seconds) : Json()},
                   {"place", cell.place == 0 ? Json() : Json(cell.place)}});
    if (!cell.chosen.empty()) out.back()["chosen"] = cell.chosen;
  }
  return out;
}

std::string to_text(const std::vector<TableCell>& cells) {
  constexpr const char* kRow = "{:<{}}{:<24}{:<12}{:>15}{}{:>14}{:>{}}{:>11}\n";
  constexpr const char* kMarks[] = {" ", "*", "+"};  // by place
  const auto any = [&](const auto& is) { return std::any_of(cells.begin(), cells.end(), is); };
  const int width = any([](const TableCell& cell) { return cell.difference; }) ? 18 : 12;
  size_t row_width = 16;
  for (const TableCell& cell : cells) row_width = std::max(row_width, row_name(cell).size() + 2);
  std::string out = fmt::format(kRow, "row", row_width, "column", "metric", "emgnn", kMarks[0],
                                "the paper", "difference", width, "s per run");
  for (const TableCell& cell : cells) {
    const PaperMetric& metric = cell.metric;
    std::string paper, difference;
    if (cell.paper) {
      paper = moments_text(metric, *cell.paper);
      if (!cell.runs.empty())
        difference = difference_text(metric, cell.here.mean - cell.paper->mean);
    } else if (cell.difference) {
      difference = fmt::format("{} ± {:.{}f}", difference_text(metric, cell.difference->mean),
                               metric.unit() * cell.difference->std, metric.decimals);
    }
    out += fmt::format(kRow, row_name(cell), row_width, cell.column, metric.name,
                       cell.runs.empty() ? "–" : moments_text(metric, cell.here),
                       kMarks[cell.place], paper, difference, width,
                       cell.seconds ? fmt::format("{:.2f}", *cell.seconds) : "–");
  }
  if (any([](const TableCell& cell) { return cell.place > 0; }))
    out += "\n* best and + second best of the rows that were trained, by their means\n";
  return out;
}

}  // namespace emgnn
