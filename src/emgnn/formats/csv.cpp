// SPDX-License-Identifier: Apache-2.0
#include <emgnn/formats/csv.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <utility>

#include <emgnn/base/error.h>
#include <emgnn/base/threads.h>

namespace emgnn {
namespace {

constexpr int64_t kLinesAtATime = 4096;
constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";

// The length of the UTF-8 sequence at the front of `text`; 0 when it is none.
size_t utf8_length(std::string_view text) {
  const auto byte = [&](size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(0);
  const size_t length = first < 0x80   ? 1
                        : first < 0xc2 ? 0
                        : first < 0xe0 ? 2
                        : first < 0xf0 ? 3
                        : first < 0xf5 ? 4
                                       : 0;
  if (length == 0 || length > text.size()) return 0;
  for (size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return 0;
  }
  // Overlong forms, surrogates and what lies beyond U+10FFFF show in the second byte.
  const bool bad =
      length > 2 && ((first == 0xe0 && byte(1) < 0xa0) || (first == 0xed && byte(1) > 0x9f) ||
                     (first == 0xf0 && byte(1) < 0x90) || (first == 0xf4 && byte(1) > 0x8f));
  return bad ? 0 : length;
}

// A number without what spreadsheets put around it: blanks, and a plus before a digit.
std::string_view digits_of(std::string_view field) {
  field = trimmed(field);
  const bool plus = field.size() > 1 && field[0] == '+' && field[1] != '-' && field[1] != '+';
  return plus ? field.substr(1) : field;
}

}  // namespace

CsvReader::CsvReader(std::string_view text, std::string file, char separator)
    : text_(text), file_(std::move(file)), separator_(separator) {
  if (text_.starts_with(kByteOrderMark)) text_.remove_prefix(kByteOrderMark.size());
  for (size_t i = 0; i < text_.size();) {
    const size_t length = utf8_length(text_.substr(i));
    if (length == 0) {
      record_line_ = 1 + std::count(text_.begin(), text_.begin() + static_cast<ptrdiff_t>(i), '\n');
      fail("not UTF-8 text; convert the file, for example with iconv");
    }
    i += length;
  }
}

bool CsvReader::next() {
  while (at_ < text_.size() && (text_[at_] == '\n' || text_.substr(at_, 2) == "\r\n")) {
    at_ += text_[at_] == '\n' ? 1 : 2;
    ++line_;
  }
  if (at_ >= text_.size()) return false;
  if (line_ % kLinesAtATime == 0) check_stop();
  record_line_ = line_;
  fields_.clear();
  num_unescaped_ = 0;
  for (;;) {
    if (at_ < text_.size() && text_[at_] == '"') {
      fields_.push_back(quoted_field());
    } else {
      const size_t begin = at_;
      while (at_ < text_.size() && text_[at_] != separator_ && text_[at_] != '\n') {
        if (text_[at_] == '"') fail(fields_.size(), "", "a quote inside an unquoted field");
        if (text_[at_] == '\0') fail(fields_.size(), "", "a zero byte");
        ++at_;
      }
      size_t end = at_;
      const bool ends_line = at_ >= text_.size() || text_[at_] == '\n';
      if (ends_line && end > begin && text_[end - 1] == '\r') --end;
      fields_.push_back(text_.substr(begin, end - begin));
    }
    if (at_ >= text_.size()) return true;
    const char stop = text_[at_++];
    if (stop == '\n') {
      ++line_;
      return true;
    }
  }
}

// At the opening quote; stops at the separator, the line feed or the end.
std::string_view CsvReader::quoted_field() {
  const size_t begin = ++at_;
  bool doubled = false;
  for (;; ++at_) {
    if (at_ >= text_.size()) fail(fields_.size(), "", "a quoted field is not closed");
    if (text_[at_] == '\n') ++line_;
    if (text_[at_] != '"') continue;
    if (at_ + 1 >= text_.size() || text_[at_ + 1] != '"') break;
    doubled = true;
    ++at_;
  }
  const std::string_view raw = text_.substr(begin, at_ - begin);
  ++at_;
  if (text_.substr(at_, 2) == "\r\n") ++at_;
  if (text_.substr(at_) == "\r") ++at_;
  if (at_ < text_.size() && text_[at_] != separator_ && text_[at_] != '\n') {
    fail(fields_.size(), "", "text after a closing quote");
  }
  if (!doubled) return raw;
  if (num_unescaped_ == unescaped_.size())
    unescaped_.emplace_back();  // a deque: earlier views stay valid
  std::string& plain = unescaped_[num_unescaped_++];
  plain.clear();
  for (size_t i = 0; i < raw.size(); ++i) {
    plain.push_back(raw[i]);
    if (raw[i] == '"') ++i;
  }
  return plain;
}

std::string_view trimmed(std::string_view text) {
  const size_t begin = text.find_first_not_of(" \t");
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t") + 1 - begin);
}

std::optional<double> number_in(std::string_view text) {
  text = digits_of(text);
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || !std::isfinite(value))
    return std::nullopt;
  return value;
}

double CsvReader::number(size_t i, std::string_view name) const {
  const auto value = number_in(fields_[i]);
  if (!value) fail(i, name, fmt::format("expected a number, found {:?}", fields_[i].substr(0, 40)));
  return *value;
}

int64_t CsvReader::integer(size_t i, std::string_view name) const {
  const std::string_view text = digits_of(fields_[i]);
  int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) {
    fail(i, name, fmt::format("expected a whole number, found {:?}", fields_[i].substr(0, 40)));
  }
  return value;
}

void CsvReader::fail(size_t column, std::string_view name, std::string_view what) const {
  throw DataError(fmt::format("{}: line {}, column {}{}: {}", file_, record_line_, column + 1,
                              name.empty() ? "" : fmt::format(" ({})", name), what));
}

void CsvReader::fail(std::string_view what) const {
  throw DataError(fmt::format("{}: line {}: {}", file_, std::max<int64_t>(record_line_, 1), what));
}

CsvTable::CsvTable(std::string_view text, std::string file, char separator)
    : reader_(text, std::move(file), separator) {
  if (!reader_.next()) reader_.fail("the file is empty: expected a line of column names");
  for (const std::string_view name : reader_.fields()) {
    if (name.empty()) reader_.fail(columns_.size(), "", "a column without a name");
    if (!place_.emplace(name, static_cast<int>(columns_.size())).second) {
      reader_.fail(columns_.size(), name, "a second column of this name");
    }
    columns_.emplace_back(name);
  }
}

int CsvTable::find(std::string_view column) const {
  const auto found = place_.find(std::string(column));
  return found == place_.end() ? -1 : found->second;
}

size_t CsvTable::require(std::string_view column) const {
  const int found = find(column);
  if (found < 0) {
    reader_.fail(fmt::format("no column {:?}; there are: {}", column, fmt::join(columns_, ", ")));
  }
  return static_cast<size_t>(found);
}

bool CsvTable::next() {
  if (!reader_.next()) return false;
  if (reader_.fields().size() != columns_.size()) {
    reader_.fail(
        fmt::format("expected {} fields, found {}", columns_.size(), reader_.fields().size()));
  }
  return true;
}

std::string csv_field(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string out = "\"";
  for (const char c : text) out += c == '"' ? "\"\"" : std::string(1, c);
  return out + "\"";
}

}  // namespace emgnn
