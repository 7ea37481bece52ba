// SPDX-License-Identifier: Apache-2.0
#include <emgnn/report/paper_tables.h>

#include <fmt/ranges.h>

#include <algorithm>

#include <emgnn/base/error.h>
#include <emgnn/base/options.h>
#include <emgnn/base/shipped_files.h>

namespace emgnn {

namespace {

bool contains(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

void check_known(const char* kind, const std::vector<std::string>& names,
                 const std::vector<std::string>& known) {
  for (const std::string& name : names) {
    if (contains(known, name)) continue;
    const std::vector<std::string> near = near_matches(name, known);
    throw UsageError(fmt::format("unknown {} \"{}\"; {} {}", kind, name,
                                 near.empty() ? "known:" : "did you mean",
                                 fmt::join(near.empty() ? known : near, ", ")));
  }
}

// "imdb 63.54 / 61.87, acm 92.61 / 92.68, ..."
std::string published(const PaperTable& table, const PaperRow& row) {
  std::vector<std::string> columns;
  for (size_t c = 0; c < table.columns.size(); ++c) {
    std::vector<std::string> means;
    for (size_t m = 0; m < table.metrics.size(); ++m)
      if (const std::optional<MeanStd>& paper = row.figures[c * table.metrics.size() + m])
        means.push_back(fmt::format("{:.{}f}", paper->mean, table.metrics[m].decimals));
    if (means.empty()) continue;
    columns.push_back(fmt::format("{} {}", table.columns[c].name, fmt::join(means, " / ")));
  }
  return fmt::format("{}", fmt::join(columns, ", "));
}

// The words in lines of at most `width` characters, each indented.
std::string wrapped(const std::string& words, size_t indent, size_t width) {
  std::string out;
  size_t column = width;
  for (size_t begin = 0; begin < words.size();) {
    const size_t end = std::min(words.find(' ', begin), words.size());
    if (column + 1 + (end - begin) > width) {
      if (!out.empty()) out += '\n';
      column = indent;
      out.append(indent, ' ');
    } else {
      out += ' ';
      ++column;
    }
    out.append(words, begin, end - begin);
    column += end - begin;
    begin = end + 1;
  }
  return out;
}

std::vector<PaperTable> shipped_tables() {
  constexpr std::string_view kFolder = "tables/";
  std::vector<PaperTable> out;
  for (const ShippedFile& file : shipped_files()) {
    if (!file.path.starts_with(kFolder)) continue;
    out.push_back(parse_paper_table(std::string(file.path.substr(kFolder.size())), file.text));
  }
  return out;
}

}  // namespace

const std::vector<PaperTable>& paper_tables() {
  static const std::vector<PaperTable> all = shipped_tables();
  return all;
}

const PaperTable& paper_table(const std::string& name) {
  std::vector<std::string> names;
  for (const PaperTable& table : paper_tables()) {
    if (table.name == name) return table;
    names.push_back(table.name);
  }
  check_known("table", {name}, names);
  throw InternalError("a known table was not found");
}

std::string outline(const PaperTable& table) {
  constexpr size_t kIndent = 6, kWidth = 120;
  std::vector<std::string> columns, trained, published;
  for (const PaperColumn& column : table.columns) columns.push_back(column.name);
  for (const PaperRow& row : table.rows)
    (row.available() ? trained : published).push_back(row.name);
  std::string rows = fmt::format("rows {}", fmt::join(trained, ", "));
  if (!published.empty()) rows += fmt::format("; published only: {}", fmt::join(published, ", "));
  std::string out = fmt::format("  {}\n", table.name);
  for (const std::string& line : {fmt::format("{}; {}", table.title, table.caption), rows,
                                  fmt::format("columns {}", fmt::join(columns, ", "))})
    out += wrapped(line, kIndent, kWidth) + '\n';
  return out;
}

bool has_metric(const PaperTable& table, const std::string& metric) {
  return std::any_of(table.metrics.begin(), table.metrics.end(),
                     [&](const PaperMetric& m) { return m.name == metric; });
}

bool measures_time(const PaperTable& table) { return has_metric(table, "seconds"); }

bool has_cell(const PaperTable& table, const PaperRow& row, const PaperColumn& column) {
  if (!row.columns.empty() && !contains(row.columns, column.name)) return false;
  if (row.best_of.empty()) return row.view.empty() || contains(column.views, row.view);
  return std::any_of(table.rows.begin(), table.rows.end(), [&](const PaperRow& other) {
    return contains(row.best_of, other.name) && has_cell(table, other, column);
  });
}

CellSettings cell_settings(const PaperTable& table, const PaperRow& row, const PaperColumn& column,
                           bool redraw) {
  CellSettings out{.column = table.settings, .row = {}};
  if (!column.views.empty())
    out.column.push_back(fmt::format("space.views={}", fmt::join(column.views, ", ")));
  out.column.insert(out.column.end(), column.settings.begin(), column.settings.end());
  if (redraw && !column.redraw.empty()) out.column.push_back("split=" + column.redraw);
  if (!row.view.empty()) out.row.push_back("space.views=" + row.view);
  out.row.insert(out.row.end(), row.settings.begin(), row.settings.end());
  return out;
}

std::vector<const PaperRow*> select_rows(const PaperTable& table,
                                         const std::vector<std::string>& names) {
  std::vector<std::string> known;
  for (const PaperRow& row : table.rows) known.push_back(row.name);
  check_known("row", names, known);
  std::vector<std::string> wanted = names;
  for (const PaperRow& row : table.rows)
    if (contains(names, row.name))
      wanted.insert(wanted.end(), row.best_of.begin(), row.best_of.end());
  std::vector<const PaperRow*> out;
  for (const PaperRow& row : table.rows) {
    const bool asked = contains(wanted, row.name);
    if (asked && !row.available()) {
      throw UsageError(fmt::format("row {} is not available in this version; the paper has {}",
                                   row.name, published(table, row)));
    }
    if (asked || (names.empty() && row.available())) out.push_back(&row);
  }
  return out;
}

std::vector<const PaperColumn*> select_columns(const PaperTable& table,
                                               const std::vector<std::string>& names) {
  std::vector<std::string> known;
  for (const PaperColumn& column : table.columns) known.push_back(column.name);
  check_known("column", names, known);
  std::vector<const PaperColumn*> out;
  for (const PaperColumn& column : table.columns) {
    if (names.empty() || contains(names, column.name)) out.push_back(&column);
  }
  return out;
}

}  // namespace emgnn
