// SPDX-License-Identifier: Apache-2.0
// The published results, and how each row of a table is trained here.
#pragma once

#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include <emgnn/report/mean_std.h>
#include <emgnn/report/results.h>

namespace emgnn {

struct PaperRow {
  std::string name;
  std::string method;                 // empty: not part of this version
  std::vector<std::string> settings;  // key=value, over the shipped ones
  std::vector<MeanStd> figures;       // columns × metrics, as printed; none: not published
};

struct PaperColumn {
  std::string name, dataset;
  std::vector<std::string> settings;  // key=value, over the shipped ones
};

struct PaperMetric {
  std::string name;
  std::function<double(const RunRecord&)> of;
  double unit = 1.0;  // what is printed is the value times this: 100 for shares in percent
  int decimals = 2;
};
PaperMetric test_score(const ScoreName& score);  // shares in percent, or values with 3 decimals

struct PaperTable {
  std::string name;
  std::vector<PaperMetric> metrics;
  std::vector<PaperColumn> columns;
  std::vector<PaperRow> rows;
};

// Every table of which this version can train a row.
const std::vector<PaperTable>& paper_tables();
PaperTable paper_table_of_molecules();      // one of them
PaperTable paper_table_of_runtimes();       // another
PaperTable paper_table_of_perturbations();  // another

// UsageError that lists what there is.
const PaperTable& paper_table(const std::string& name);

// The rows and columns to train, in the order of the table; empty lists stand for all that this
// version has. UsageError for an unknown name, and for a row that this version cannot train.
std::vector<const PaperRow*> select_rows(const PaperTable& table,
                                         const std::vector<std::string>& names);
std::vector<const PaperColumn*> select_columns(const PaperTable& table,
                                               const std::vector<std::string>& names);

// One figure of the table beside the paper's, where it has one: shares of 1, or values.
struct TableCell {
  std::string row, column;
  PaperMetric metric;
  MeanStd here;
  std::optional<MeanStd> paper;
};
std::vector<TableCell> table_cells(const PaperTable& table, const PaperRow& row,
                                   const PaperColumn& column, const std::vector<RunRecord>& runs);

nlohmann::ordered_json to_json(const std::vector<TableCell>& cells);
std::string to_text(const std::vector<TableCell>& cells);  // as printed, with the difference

}  // namespace emgnn
