// SPDX-License-Identifier: Apache-2.0
// The published results, and how each row of a table is trained here.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include <emgnn/report/mean_std.h>
#include <emgnn/report/results.h>

namespace emgnn {

struct PaperRow {
  std::string name;
  std::string method;                 // empty: not part of this version
  std::vector<std::string> settings;  // key=value, over the shipped ones
  std::vector<MeanStd> figures;       // columns × metrics; of a classification in percent
};

struct PaperColumn {
  std::string name, dataset;
  std::vector<std::string> settings;  // key=value, over the shipped ones
};

struct PaperTable {
  std::string name;
  std::vector<ScoreName> metrics;
  std::vector<PaperColumn> columns;
  std::vector<PaperRow> rows;
  Task task = Task::kClassification;
};

// Every table of which this version can train a row.
const std::vector<PaperTable>& paper_tables();
PaperTable paper_table_of_molecules();  // one of them

// UsageError that lists what there is.
const PaperTable& paper_table(const std::string& name);

// The rows and columns to train, in the order of the table; empty lists stand for all that this
// version has. UsageError for an unknown name, and for a row that this version cannot train.
std::vector<const PaperRow*> select_rows(const PaperTable& table,
                                         const std::vector<std::string>& names);
std::vector<const PaperColumn*> select_columns(const PaperTable& table,
                                               const std::vector<std::string>& names);

// One figure of the table beside the paper's: shares of 1, or values.
struct TableCell {
  std::string row, column, metric;
  MeanStd here, paper;
  Task task = Task::kClassification;
};
std::vector<TableCell> table_cells(const PaperTable& table, const PaperRow& row,
                                   const PaperColumn& column, const std::vector<RunRecord>& runs);

nlohmann::ordered_json to_json(const std::vector<TableCell>& cells);
std::string to_text(const std::vector<TableCell>& cells);  // shares in percent, with the difference

}  // namespace emgnn
