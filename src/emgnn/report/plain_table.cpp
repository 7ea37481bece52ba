// SPDX-License-Identifier: Apache-2.0
#include <emgnn/report/plain_table.h>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include <emgnn/formats/csv.h>

namespace emgnn {

namespace {

// In characters: fmt counts those, and not bytes.
size_t length(const std::string& text) {
  return static_cast<size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U;
  }));
}

std::string padded(const Cell& cell, size_t width) {
  const std::string space(width - std::min(width, length(cell.text)), ' ');
  return cell.is_number ? space + cell.text : cell.text + space;
}

bool is_of_numbers(const Table& table, size_t column) {
  return !table.rows.empty() && table.rows.front()[column].is_number;
}

std::string markdown_field(const std::string& text) {
  std::string out;
  for (const char c : text) out += c == '|' ? "\\|" : c == '\n' ? " " : std::string(1, c);
  return out;
}

}  // namespace

std::string to_text(const Table& table) {
  std::vector<size_t> width;
  for (size_t c = 0; c < table.columns.size(); ++c) {
    size_t most = length(table.columns[c]);
    for (const std::vector<Cell>& row : table.rows) most = std::max(most, length(row[c].text));
    width.push_back(most);
  }
  const auto line = [&](const auto& cell_at) {
    std::string out;
    for (size_t c = 0; c < width.size(); ++c)
      out += (c == 0 ? "" : "  ") + padded(cell_at(c), width[c]);
    return out.erase(out.find_last_not_of(' ') + 1) + "\n";
  };
  std::string out = line([&](size_t c) { return Cell{table.columns[c], is_of_numbers(table, c)}; });
  for (const std::vector<Cell>& row : table.rows) out += line([&](size_t c) { return row[c]; });
  return out;
}

std::string to_markdown(const Table& table) {
  std::string out = "|", rule = "|";
  for (size_t c = 0; c < table.columns.size(); ++c) {
    out += fmt::format(" {} |", markdown_field(table.columns[c]));
    rule += is_of_numbers(table, c) ? "---:|" : "---|";
  }
  out += "\n" + rule + "\n";
  for (const std::vector<Cell>& row : table.rows) {
    out += "|";
    for (const Cell& cell : row) out += fmt::format(" {} |", markdown_field(cell.text));
    out += "\n";
  }
  return out;
}

std::string to_csv(const Table& table) {
  std::string out;
  const auto add = [&](const std::string& text, bool first) {
    out += (first ? "" : ",") + csv_field(text);
  };
  for (size_t c = 0; c < table.columns.size(); ++c) add(table.columns[c], c == 0);
  for (const std::vector<Cell>& row : table.rows) {
    out += "\n";
    for (size_t c = 0; c < row.size(); ++c) add(row[c].text, c == 0);
  }
  return out + "\n";
}

Cell exact_cell(double value) {
  return {std::isfinite(value) ? fmt::format("{}", value) : "", true};
}

}  // namespace emgnn
