// SPDX-License-Identifier: Apache-2.0
// Text, numbers and tables as HTML.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace emgnn {

// `text` so that no part of it is markup, in an element or in a quoted attribute. What is not UTF-8
// or a control character becomes U+FFFD.
std::string escaped(std::string_view text);

// How a number is read best: 0.0831, 12.4, 1,500, 3.1e-07, –.
std::string number_text(double value);
std::string count_text(int64_t value);   // 1,234,567
std::string percent_text(double share);  // 0.876 → 87.6 %

// A cell; its text is escaped when it is written.
struct Cell {
  std::string text;
  bool is_number = false;
};
Cell cell(std::string text);
Cell cell(double value);
Cell count_cell(int64_t value);

// A row's first cell is its header.
struct Table {
  std::string caption;
  std::vector<std::string> columns;
  std::vector<std::vector<Cell>> rows;
};
// Wide ones scroll by themselves, with the keyboard too.
std::string to_html(const Table& table);

// What stays closed until somebody wants it. `summary` is text, `content` HTML.
std::string folded(std::string_view summary, std::string_view content);

}  // namespace emgnn
