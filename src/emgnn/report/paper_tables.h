// SPDX-License-Identifier: Apache-2.0
// The published results, and how each row of a table is trained here. The tables are the files of
// configs/tables/.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <emgnn/learn/mean_std.h>

namespace emgnn {

struct PaperMetric {
  std::string name;      // as in metric_value: micro_f1, accuracy, rmse, seconds, ...
  bool percent = false;  // printed as 100 times the value
  int decimals = 2;

  double unit() const { return percent ? 100.0 : 1.0; }
};

struct PaperColumn {
  std::string name, dataset;
  std::vector<std::string> settings;  // key=value, over the shipped ones
};

struct PaperRow {
  std::string name;
  std::string method;                 // empty: not part of this version
  std::vector<std::string> settings;  // key=value, over those of the column
  std::vector<MeanStd> figures;       // [columns × metrics], as printed; none: not published
};

struct PaperTable {
  std::string name, title, caption;
  std::string compare;  // the row that all others are compared with, run by run; empty: none
  std::vector<PaperMetric> metrics;
  std::vector<PaperColumn> columns;
  std::vector<PaperRow> rows;
};

// The text of configs/tables/NAME.toml. InternalError with file and line: only we write these.
PaperTable parse_paper_table(const std::string& name, std::string_view text);

const std::vector<PaperTable>& paper_tables();  // all that are shipped, by name

// UsageError that lists what there is.
const PaperTable& paper_table(const std::string& name);

// What can be asked of a table, for a help text: its title, rows and columns. The lines end by
// column 120.
std::string outline(const PaperTable& table);

// The rows and columns to train, in the order of the table; empty lists stand for all that this
// version has. UsageError for an unknown name, and for a row that this version cannot train.
std::vector<const PaperRow*> select_rows(const PaperTable& table,
                                         const std::vector<std::string>& names);
std::vector<const PaperColumn*> select_columns(const PaperTable& table,
                                               const std::vector<std::string>& names);

}  // namespace emgnn
