// SPDX-License-Identifier: Apache-2.0
// Runs of this version beside the published results.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <emgnn/learn/mean_std.h>
#include <emgnn/report/paper_tables.h>
#include <emgnn/run/results.h>

namespace emgnn {

// A test score of the run by its name, its "seconds", "peak_rss_mb", "graph_rank" or "edge_auc"; none: the
// run has no such score.
std::optional<double> metric_value(const RunRecord& run, const std::string& name);

// One metric of one cell, and the paper's where it has one: shares of 1, or values.
struct TableCell {
  std::string row, column;
  PaperMetric metric;
  MeanStd here;
  std::optional<MeanStd> paper;
  std::vector<double> runs = {};           // in the order of the seeds; empty: it has no such score
  std::optional<MeanStd> difference = {};  // to another row, with its standard error as std
  std::string chosen = {};                 // of a choice: the row it is
  bool higher_is_better = true;
  std::optional<double> seconds = {};  // of one run, on average
  int place = 0;                       // 1: the best of its column, 2: the second best; 0: neither
};
// One per metric of the table.
std::vector<TableCell> table_cells(const PaperTable& table, const PaperRow& row,
                                   const PaperColumn& column, const Results& results);

// The results of the rows in one column.
struct TrainedCell {
  const PaperRow* row;
  const PaperColumn* column;
  Results results;  // without runs: they failed
};
// What a choice is in a column: the row with the best mean validation score, by the first metric of
// the table. Test scores play no part in it.
const TrainedCell& best_by_validation(const PaperTable& table, const PaperRow& choice,
                                      const PaperColumn& column,
                                      std::span<const TrainedCell> trained);

// Of `row` less every other row, run by run: the mean and its standard error.
void compare_with(const std::string& row, std::vector<TableCell>& cells);

// Fills `place`, among the rows that were trained: the paper's figures take no part. Means that print
// alike share a place. A row that is alone in its column has none.
void mark_best(std::vector<TableCell>& cells);

std::string moments_text(const PaperMetric& metric, const MeanStd& value);  // "92.70 ± 0.26"
std::string difference_text(const PaperMetric& metric, double difference);  // "+0.31"

nlohmann::ordered_json to_json(const std::vector<TableCell>& cells);
std::string to_text(const std::vector<TableCell>& cells);  // as printed

}  // namespace emgnn
