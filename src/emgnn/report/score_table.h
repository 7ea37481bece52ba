// SPDX-License-Identifier: Apache-2.0
// A table of scores beside the paper's, in the forms that are kept and shared. Same results, same bytes:
// how long a run took is in none of them, unless it is what the table measures.
#pragma once

#include <string>
#include <vector>

#include <emgnn/report/charts.h>
#include <emgnn/report/table_cells.h>

namespace emgnn {

// A table per metric, with rows and columns as in the paper.
std::string score_markdown(const PaperTable& table, const std::vector<TableCell>& cells);

// A line per cell and metric; scores as shares of 1.
std::string score_csv(const std::vector<TableCell>& cells);

// Curves where the columns are values of x, else dots beside the paper's, of each metric that is
// published, or of the first.
std::vector<Chart> score_charts(const PaperTable& table, const std::vector<TableCell>& cells);

}  // namespace emgnn
