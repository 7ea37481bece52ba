// SPDX-License-Identifier: Apache-2.0
// Comma-separated text: RFC 4180 quotes, LF or CRLF, blank lines skipped, an UTF-8 byte-order mark
// allowed.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace emgnn {

// Reads record after record in one pass. Fields are views into the text, valid until the next
// record.
class CsvReader {
 public:
  CsvReader(std::string_view text, std::string file, char separator = ',');

  // The next record; false at the end. Quotes that do not pair up are a DataError with line and
  // column.
  bool next();

  const std::vector<std::string_view>& fields() const { return fields_; }
  int64_t line() const { return record_line_; }  // of the record's first character, from 1

  // Field i as a number; `name` is the column's name for the error.
  double number(size_t i, std::string_view name) const;
  int64_t integer(size_t i, std::string_view name) const;

  // "file: line 12, column 3 (name): what"
  [[noreturn]] void fail(size_t column, std::string_view name, std::string_view what) const;
  [[noreturn]] void fail(std::string_view what) const;  // "file: line 12: what"

 private:
  std::string_view quoted_field();

  std::string_view text_;
  std::string file_;
  char separator_;
  size_t at_ = 0;
  int64_t line_ = 1, record_line_ = 0;
  std::vector<std::string_view> fields_;
  std::deque<std::string> unescaped_;  // fields that held doubled quotes
  size_t num_unescaped_ = 0;
};

// A header line and its records: every record must have as many fields as the header.
class CsvTable {
 public:
  CsvTable(std::string_view text, std::string file, char separator = ',');

  const std::vector<std::string>& columns() const { return columns_; }
  int find(std::string_view column) const;        // -1: no such column
  size_t require(std::string_view column) const;  // DataError that lists the columns there are
  bool next();
  const CsvReader& row() const { return reader_; }
  std::string_view field(size_t i) const { return reader_.fields()[i]; }

 private:
  CsvReader reader_;
  std::vector<std::string> columns_;
  std::unordered_map<std::string, int> place_;
};

std::string_view trimmed(std::string_view text);  // without blanks and tabs at its ends

// A finite number, or nothing. Blanks around it and a plus before it are allowed, as spreadsheets
// write them.
std::optional<double> number_in(std::string_view text);

// `text` as a field: quoted where a comma, a quote or a line break asks for it.
std::string csv_field(const std::string& text);

}  // namespace emgnn
