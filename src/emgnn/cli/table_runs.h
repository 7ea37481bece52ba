// SPDX-License-Identifier: Apache-2.0
// The runs behind a table: which there are, which are stored already, and how the others are made.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <emgnn/cli/run_request.h>
#include <emgnn/report/paper_tables.h>
#include <emgnn/run/results.h>

namespace emgnn::cli {

struct TableArguments {
  std::string table;
  std::vector<std::string> rows, columns;
  bool redraw = false;
  // Cells at a time; none: as many as there are threads, or one where time is measured.
  std::optional<int64_t> jobs = {};
  RunArguments run = {.runs = 10};
};

// A row in a column.
struct CellRuns {
  const PaperRow* row;
  const PaperColumn* column;
  RunRequest request;              // of a choice: none
  std::optional<Results> results;  // none of a choice, and where the runs failed

  bool is_choice() const { return !row->best_of.empty(); }
};

struct TableRunsOutcome {
  std::vector<CellRuns> cells;
  std::string failure;  // of the first cell that failed; empty: none has
};

// All cells of the rows and columns asked for, each with its results: read where the folder of --out
// holds them, else trained; of several cells in processes of their own, where one may fail without
// the others. UsageError before anything is trained where the arguments are wrong; Interrupted tells
// which command resumes.
TableRunsOutcome run_table(const PaperTable& table, const TableArguments& arguments,
                           const std::string& invocation);

}  // namespace emgnn::cli
