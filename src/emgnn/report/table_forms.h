// SPDX-License-Identifier: Apache-2.0
// A trained table in every form it is given out in.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <emgnn/report/table_cells.h>

namespace emgnn {

enum class TableForm { kText, kMarkdown, kCsv, kJson, kSvg };
TableForm table_form(const std::string& word);  // "text", "markdown", "csv", ...; UsageError

struct TrainedTable {
  const PaperTable* table = nullptr;
  std::vector<TrainedCell> cells;        // in the order of the table, without choices; at least one
  std::vector<const PaperRow*> choices;  // rows that are the best of others
  int64_t runs = 0, seed = 0;
  bool redrawn = false;
};

// The text of a file in that form. JSON is one line.
std::string write_table(const TrainedTable& trained, TableForm form);

}  // namespace emgnn
