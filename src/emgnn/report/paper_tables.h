// SPDX-License-Identifier: Apache-2.0
// The published results, and how each row of a table is trained here. The tables are the files of
// configs/tables/.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <emgnn/learn/mean_std.h>

namespace emgnn {

struct PaperMetric {
  std::string name;      // as in metric_value: micro_f1, accuracy, rmse, seconds, graph_rank, ...
  bool percent = false;  // printed as 100 times the value
  int decimals = 2;

  double unit() const { return percent ? 100.0 : 1.0; }
};

struct PaperColumn {
  std::string name, dataset;
  std::vector<std::string> views;     // what space.views is in all rows; none: as shipped
  std::vector<std::string> settings;  // key=value, over the shipped ones
  std::string redraw;                 // a split that is drawn anew for each run; empty: none
  std::optional<double> x;            // where it stands, in a table that is a curve
};

struct PaperRow {
  std::string name;
  std::string method;                 // empty: not part of this version, or a choice
  std::string view;                   // the row has only this view, and the columns that have it
  std::vector<std::string> columns;   // the row has only these; none: all
  std::vector<std::string> settings;  // key=value, over those of the column
  std::vector<std::string> best_of;   // a choice: the best of these rows by validation
  // [columns × metrics], as printed; empty, or none for a column: not published
  std::vector<std::optional<MeanStd>> figures;

  bool available() const { return !method.empty() || !best_of.empty(); }
};

// What a table shows of each cell.
enum class TableContent { kScores, kDistribution, kNormalizer };

struct PaperTable {
  std::string name, title, caption;
  TableContent content = TableContent::kScores;
  std::string x_label;  // of a curve: what x is; empty: it is none
  bool x_log = false;   // axes are logarithmic
  std::string compare;  // the row that all others are compared with, run by run; empty: none
  std::vector<std::string> settings;  // of all cells, under those of the column
  std::vector<PaperMetric> metrics;   // of scores
  std::vector<PaperColumn> columns;
  std::vector<PaperRow> rows;

  bool is_curve() const { return !x_label.empty(); }  // each column has its x, which grows
};

// The text of configs/tables/NAME.toml. InternalError with file and line: only we write these.
PaperTable parse_paper_table(const std::string& name, std::string_view text);

const std::vector<PaperTable>& paper_tables();  // all that are shipped, by name

// UsageError that lists what there is.
const PaperTable& paper_table(const std::string& name);

// What can be asked of a table, for a help text: its title, rows and columns. The lines end by
// column 120.
std::string outline(const PaperTable& table);

bool has_metric(const PaperTable& table, const std::string& metric);
// Whether a metric is the time of a run: other work beside it would change it.
bool measures_time(const PaperTable& table);

// Not every row has the view of every column; a choice is there where one of its rows is.
bool has_cell(const PaperTable& table, const PaperRow& row, const PaperColumn& column);

// What a cell is trained with, weakest first: of the table and its column, and of its row. `redraw`
// draws the split anew for each run, where the column says how.
struct CellSettings {
  std::vector<std::string> column, row;
};
CellSettings cell_settings(const PaperTable& table, const PaperRow& row, const PaperColumn& column,
                           bool redraw);

// The rows and columns to train, in the order of the table; empty lists stand for all that this
// version has. With a choice come the rows that it is between. UsageError for an unknown name, and
// for a row that this version cannot train.
std::vector<const PaperRow*> select_rows(const PaperTable& table,
                                         const std::vector<std::string>& names);
std::vector<const PaperColumn*> select_columns(const PaperTable& table,
                                               const std::vector<std::string>& names);

}  // namespace emgnn
