// SPDX-License-Identifier: Apache-2.0
#include <emgnn/formats/sdf.h>

#include <emgnn/base/error.h>

namespace emgnn {
namespace {

std::string_view without_end_blanks(std::string_view text) {
  return text.substr(0, text.find_last_not_of(" \t\r") + 1);
}

class LineReader {
 public:
  explicit LineReader(std::string_view text) : text_(text) {}

  bool next() {
    if (end_ >= text_.size()) return false;
    begin_ = end_;
    const size_t feed = text_.find('\n', begin_);
    end_ = feed == std::string_view::npos ? text_.size() : feed + 1;
    line_ = text_.substr(begin_, (feed == std::string_view::npos ? end_ : feed) - begin_);
    ++number_;
    return true;
  }
  std::string_view line() const { return without_end_blanks(line_); }
  size_t begin() const { return begin_; }
  size_t end() const { return end_; }  // behind the line feed
  int64_t number() const { return number_; }

 private:
  std::string_view text_, line_;
  size_t begin_ = 0, end_ = 0;
  int64_t number_ = 0;
};

// The name in a line such as ">  25  <logP>  (7)"; empty when there is none.
std::string_view property_name(std::string_view line) {
  const size_t begin = line.find('<');
  const size_t end = line.find('>', begin == std::string_view::npos ? begin : begin + 1);
  if (!line.starts_with('>') || end == std::string_view::npos) return {};
  return line.substr(begin + 1, end - begin - 1);
}

// At the line after "M  END"; stops behind "$$$$" or at the end of the file, which ends the last
// record as well.
void read_properties(LineReader& lines, SdfRecord& record) {
  while (lines.next()) {
    if (lines.line() == "$$$$") return;
    const std::string_view name = property_name(lines.line());
    if (name.empty() || !lines.next()) continue;
    if (lines.line() == "$$$$") return;
    record.properties.emplace_back(name, lines.line());
  }
}

}  // namespace

const std::string_view* SdfRecord::find(std::string_view property) const {
  for (const auto& [name, value] : properties) {
    if (name == property) return &value;
  }
  return nullptr;
}

std::vector<SdfRecord> read_sdf(std::string_view text, const std::string& file) {
  std::vector<SdfRecord> records;
  bool any_block = false;
  LineReader lines(text);
  while (lines.next()) {
    if (text.find_first_not_of(" \t\r\n", lines.begin()) == std::string_view::npos) break;
    SdfRecord record{.line = lines.number()};
    const size_t begin = lines.begin();
    bool more = true;
    while (more && lines.line() != "M  END" && lines.line() != "$$$$") more = lines.next();
    if (more && lines.line() == "M  END") {
      any_block = true;
      record.block = text.substr(begin, lines.end() - begin);
      read_properties(lines, record);
    }
    records.push_back(std::move(record));
  }
  if (records.empty()) throw DataError(fmt::format("{}: the file is empty", file));
  if (!any_block)
    throw DataError(fmt::format("{}: not an SDF file: no line \"M  END\" in it", file));
  return records;
}

}  // namespace emgnn
