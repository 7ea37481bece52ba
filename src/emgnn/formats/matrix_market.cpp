// SPDX-License-Identifier: Apache-2.0
#include <emgnn/formats/matrix_market.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include <emgnn/base/error.h>
#include <emgnn/base/threads.h>

namespace emgnn {
namespace {

class Lines {
 public:
  Lines(std::string_view text, const std::string& file) : text_(text), file_(file) {}

  bool next(std::string_view& line) {
    if (text_.empty()) return false;
    const size_t end = text_.find('\n');
    line = text_.substr(0, end);
    text_.remove_prefix(end == std::string_view::npos ? text_.size() : end + 1);
    if (line.ends_with('\r')) line.remove_suffix(1);
    ++number_;
    return true;
  }
  [[noreturn]] void fail(std::string_view what) const {
    throw DataError(fmt::format("{}: line {}: {}", file_, number_, what));
  }

 private:
  std::string_view text_;
  const std::string& file_;
  int64_t number_ = 0;
};

void skip_blanks(std::string_view& text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
}

// Takes a number off the front of the line.
template <class T>
bool take(std::string_view& text, T& value) {
  skip_blanks(text);
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{}) return false;
  text.remove_prefix(static_cast<size_t>(end - text.data()));
  return true;
}

struct Header {
  bool pattern = false, symmetric = false;
};

Header parse_header(std::string_view line, const Lines& lines) {
  std::vector<std::string> words;
  std::string word;
  for (const char c : line) {
    if (c == ' ' || c == '\t') {
      if (!word.empty()) words.push_back(std::exchange(word, {}));
    } else {
      word.push_back(static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c));
    }
  }
  words.push_back(word);
  const bool known = words.size() == 5 && words[0] == "%%matrixmarket" && words[1] == "matrix" &&
                     words[2] == "coordinate" &&
                     (words[3] == "real" || words[3] == "integer" || words[3] == "pattern") &&
                     (words[4] == "general" || words[4] == "symmetric");
  if (!known) {
    lines.fail(
        "expected '%%MatrixMarket matrix coordinate real|integer|pattern general|symmetric'");
  }
  return {words[3] == "pattern", words[4] == "symmetric"};
}

}  // namespace

MatrixMarket parse_matrix_market(std::string_view text, const std::string& file) {
  Lines lines(text, file);
  std::string_view line;
  if (!lines.next(line))
    throw DataError(fmt::format("{}: the file is empty: expected a MatrixMarket matrix", file));
  const Header header = parse_header(line, lines);
  while (lines.next(line) && (line.empty() || line.front() == '%')) {
  }
  int64_t rows = 0, cols = 0, stored = 0;
  constexpr int64_t kMax = std::numeric_limits<int32_t>::max() - 1;
  if (!take(line, rows) || !take(line, cols) || !take(line, stored) ||
      std::min({rows, cols, stored}) < 0 || std::max({rows, cols, stored}) > kMax) {
    lines.fail("expected rows, columns and the number of entries");
  }
  if (static_cast<size_t>(stored) > text.size())
    lines.fail(fmt::format("{} entries do not fit into the file", stored));
  MatrixMarket matrix{static_cast<int32_t>(rows), static_cast<int32_t>(cols), {}, header.symmetric};
  while (lines.next(line)) {
    skip_blanks(line);
    if (line.empty()) continue;
    int64_t row = 0, col = 0;
    double value = 1;
    if (!take(line, row) || !take(line, col) || (!header.pattern && !take(line, value))) {
      lines.fail(header.pattern ? "expected row and column" : "expected row, column and value");
    }
    skip_blanks(line);
    if (!line.empty()) lines.fail("text after the entry");
    if (row < 1 || row > rows || col < 1 || col > cols)
      lines.fail(fmt::format("the entry lies outside {} x {}", rows, cols));
    if (!(std::abs(value) <= std::numeric_limits<float>::max()))
      lines.fail("the value is not finite");
    matrix.entries.row.push_back(static_cast<int32_t>(row - 1));
    matrix.entries.col.push_back(static_cast<int32_t>(col - 1));
    if (!header.pattern) matrix.entries.val.push_back(static_cast<float>(value));
  }
  if (static_cast<int64_t>(matrix.entries.row.size()) != stored) {
    lines.fail(
        fmt::format("{} entries, but the header announces {}", matrix.entries.row.size(), stored));
  }
  return matrix;
}

std::string write_matrix_market(const Csr& matrix) {
  std::string out = fmt::format("%%MatrixMarket matrix coordinate {} general\n{} {} {}\n",
                                matrix.val.empty() ? "pattern" : "real", matrix.num_rows,
                                matrix.num_cols, matrix.num_entries());
  for (int32_t r = 0; r < matrix.num_rows; ++r) {
    check_stop();
    for (int32_t k = matrix.rowptr[static_cast<size_t>(r)];
         k < matrix.rowptr[static_cast<size_t>(r) + 1]; ++k) {
      fmt::format_to(std::back_inserter(out), "{} {}", r + 1,
                     matrix.col[static_cast<size_t>(k)] + 1);
      if (!matrix.val.empty())
        fmt::format_to(std::back_inserter(out), " {}", matrix.val[static_cast<size_t>(k)]);
      out.push_back('\n');
    }
  }
  return out;
}

}  // namespace emgnn
