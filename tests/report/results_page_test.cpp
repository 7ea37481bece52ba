// SPDX-License-Identifier: Apache-2.0
// docs/results.md repeats numbers of other pages: it must not say anything else than they do.
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <filesystem>
#include <set>
#include <sstream>

#include "paths.h"

#include <emgnn/base/file.h>
#include <emgnn/report/paper_tables.h>

namespace emgnn {
namespace {

std::filesystem::path docs() { return std::filesystem::path(testing::kSourceDir) / "docs"; }

// "64.78 ± 1.24" of everything that the paper gives.
std::set<std::string> published() {
  std::set<std::string> out;
  for (const PaperTable& table : paper_tables())
    for (const PaperRow& row : table.rows)
      for (size_t i = 0; i < row.figures.size(); ++i)
        if (const auto& figure = row.figures[i]) {
          const int decimals = table.metrics[i % table.metrics.size()].decimals;
          out.insert(
              fmt::format("{:.{}f} ± {:.{}f}", figure->mean, decimals, figure->std, decimals));
        }
  return out;
}

// The cells of the lines of the summary, without blanks around them.
std::vector<std::vector<std::string>> summary() {
  const std::string page = read_file(docs() / "results.md");
  const size_t begin = page.find("## Summary");
  std::istringstream lines(page.substr(begin, page.find("\n## ", begin) - begin));
  std::vector<std::vector<std::string>> out;
  for (std::string line, field; std::getline(lines, line);) {
    if (!line.starts_with("| ") || line.find(" ± ") == std::string::npos) continue;
    std::istringstream fields(line.substr(1));
    for (out.emplace_back(); std::getline(fields, field, '|');) {
      const size_t from = field.find_first_not_of(' ');
      const size_t to = field.find_last_not_of(' ');
      out.back().push_back(from == std::string::npos ? "" : field.substr(from, to - from + 1));
    }
  }
  return out;
}

std::string number_of(const std::string& field) { return field.substr(0, field.find(',')); }

TEST(ResultsPage, RepeatsWhatOtherPagesSay) {
  std::string pages;
  for (const char* page : {"heterogeneous.md", "homogeneous.md", "molecules.md"})
    pages += read_file(docs() / page);
  const std::set<std::string> paper = published();
  const auto lines = summary();
  ASSERT_GE(lines.size(), 18U);
  for (const std::vector<std::string>& line : lines) {
    ASSERT_EQ(line.size(), 4U) << line.front();
    EXPECT_TRUE(paper.contains(number_of(line[2]))) << line[2];
    EXPECT_NE(pages.find(number_of(line[3])), std::string::npos) << line[3];
  }
}

TEST(ResultsPage, NamesEveryTable) {
  const std::string page = read_file(docs() / "results.md");
  for (const PaperTable& table : paper_tables())
    EXPECT_NE(page.find(fmt::format("| `{}` |", table.name)), std::string::npos) << table.name;
}

}  // namespace
}  // namespace emgnn
