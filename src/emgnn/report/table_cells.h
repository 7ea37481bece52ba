// SPDX-License-Identifier: Apache-2.0
// Runs of this version beside the published results.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include <emgnn/learn/mean_std.h>
#include <emgnn/report/paper_tables.h>
#include <emgnn/run/results.h>

namespace emgnn {

// A test score of the run by its name, or its "seconds"; none: the run has no such score.
std::optional<double> metric_value(const RunRecord& run, const std::string& name);

// One metric of one cell, and the paper's where it has one: shares of 1, or values.
struct TableCell {
  std::string row, column;
  PaperMetric metric;
  MeanStd here;
  std::optional<MeanStd> paper;
  std::vector<double> runs = {};           // in the order of the seeds
  std::optional<MeanStd> difference = {};  // to another row, with its standard error as std
};
// One per metric of the table.
std::vector<TableCell> table_cells(const PaperTable& table, const PaperRow& row,
                                   const PaperColumn& column, const std::vector<RunRecord>& runs);

// Of `row` less every other row, run by run: the mean and its standard error.
void compare_with(const std::string& row, std::vector<TableCell>& cells);

nlohmann::ordered_json to_json(const std::vector<TableCell>& cells);
std::string to_text(const std::vector<TableCell>& cells);  // as printed

}  // namespace emgnn
