// SPDX-License-Identifier: Apache-2.0
// A table outside of a page: for a terminal, in Markdown, as CSV. The same table gives the same bytes.
#pragma once

#include <string>

#include <emgnn/report/html.h>

namespace emgnn {

std::string to_text(const Table& table);  // columns are aligned
std::string to_markdown(const Table& table);
std::string to_csv(const Table& table);

// A number so that reading it gives the same number.
Cell exact_cell(double value);

}  // namespace emgnn
