// SPDX-License-Identifier: Apache-2.0
#include <emgnn/report/paper_tables.h>

#include <gtest/gtest.h>

#include <functional>
#include <set>
#include <sstream>

#include <emgnn/base/error.h>
#include <emgnn/base/shipped_files.h>
#include <emgnn/methods/catalogue.h>
#include <emgnn/report/table_cells.h>
#include <emgnn/run/config.h>

namespace emgnn {
namespace {

template <class Expected>
std::string message_of(const std::function<void()>& f) {
  try {
    f();
  } catch (const Expected& error) {
    return error.what();
  }
  return "no error";
}

void expect_part(const std::string& text, const std::string& part) {
  EXPECT_NE(text.find(part), std::string::npos) << text;
}

TEST(PaperTables, AreTheShippedFilesOfTheirFolder) {
  std::vector<std::string> files, tables;
  for (const ShippedFile& file : shipped_files()) {
    if (file.path.starts_with("tables/")) files.emplace_back(file.path);
  }
  for (const PaperTable& table : paper_tables()) tables.push_back("tables/" + table.name);
  EXPECT_EQ(tables, files);
  EXPECT_EQ(tables.size(), 7U);
}

TEST(PaperTables, EveryRowHasAFigureForEveryCellOrIsTrained) {
  for (const PaperTable& table : paper_tables()) {
    std::set<std::string> rows, columns;
    for (const PaperColumn& column : table.columns) columns.insert(column.name);
    EXPECT_EQ(columns.size(), table.columns.size()) << table.name;
    for (const PaperRow& row : table.rows) {
      EXPECT_TRUE(rows.insert(row.name).second) << row.name;
      const size_t cells = table.columns.size() * table.metrics.size();
      const bool trained_only = row.figures.empty() && !row.method.empty();
      EXPECT_TRUE(row.figures.size() == cells || trained_only) << row.name;
    }
  }
}

TEST(PaperTables, NameMethodsAndSettingsThatExist) {
  for (const PaperTable& table : paper_tables()) {
    for (const PaperRow& row : table.rows) {
      if (row.method.empty()) continue;
      EXPECT_NO_THROW(method_info(row.method));
      for (const PaperColumn& column : table.columns) {
        RunConfig config(row.method, column.dataset);
        for (const auto& settings : {column.settings, row.settings})
          for (const std::string& setting : settings) EXPECT_NO_THROW(config.set(setting, "table"));
      }
    }
  }
}

TEST(PaperTables, NameScoresOfTheTask) {
  for (const PaperTable& table : paper_tables()) {
    RunRecord run;
    run.test.emplace();
    for (const ScoreInfo& score :
         table.name == "molecules" ? value_score_info() : class_score_info())
      run.test->set(score.name, 0.5);
    for (const PaperMetric& metric : table.metrics)
      EXPECT_TRUE(metric_value(run, metric.name).has_value()) << metric.name;
    EXPECT_FALSE(metric_value(run, "no-such-score").has_value());
  }
}

TEST(PaperTables, WhatIsWrongInAFileIsNamedWithItsLine) {
  const std::string start = "title = 'T'\ncaption = 'C'\n";
  const std::string metrics = "metrics = [{name = 'rmse', percent = false, decimals = 3}]\n";
  const std::string columns = "columns = [{name = 'a', dataset = 'esol'}]\n";
  const std::string whole = start + metrics + columns;
  const auto expect = [](const std::string& text, const std::string& part) {
    const auto parse = [&] { parse_paper_table("t", text); };
    expect_part(message_of<InternalError>(parse), part);
  };
  expect(whole, "no error");
  expect("title = \n", "configs/tables/t.toml:1: ");
  expect("title = 3\n", "configs/tables/t.toml:1: title has a value of the wrong type");
  expect("title = 'T'\n", "expected the key \"caption\"");
  expect(start + metrics, "expected metrics and columns");
  expect(start + "color = 1\n", "configs/tables/t.toml:3: unknown key \"color\"");
  expect(start + "metrics = 'rmse'\n", "configs/tables/t.toml:3: metrics: expected a list");
  expect(start + metrics + "columns = ['a']\n", "configs/tables/t.toml:4: expected a table");
  expect(start + metrics + "columns = [{name = 'a', dataset = 'b', settings = ['x']}]\n",
         "configs/tables/t.toml:4: expected settings as \"key=value\"");
  const std::string row = "[[rows]]\nname = 'r'\nmethod = ''\n";
  expect(whole + row + "figures = [[1.0, 0.1]]\n", "no error");
  expect(whole + row, "configs/tables/t.toml:5: expected 1 figures");
  expect(whole + row + "figures = [[1.0, 0.1], [2.0, 0.1]]\n", "one per column and metric, got 2");
  expect(whole + row + "figures = [[1.0]]\n",
         "configs/tables/t.toml:8: expected [mean, standard deviation]");
}

TEST(PaperTables, OutlineNamesEveryRowAndColumnInShortLines) {
  for (const PaperTable& table : paper_tables()) {
    const std::string text = outline(table);
    expect_part(text, table.name);
    for (const PaperRow& row : table.rows) expect_part(text, row.name);
    for (const PaperColumn& column : table.columns) expect_part(text, column.name);
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 120U) << line;
  }
  expect_part(outline(paper_table("heterogeneous")),
              "rows gcn, gat, em-gcn-pt, em-gcn-po, em-gcn-pd, em-gcn-ph; published only: gtn, ");
}

TEST(PaperTables, TrainsWhatThisVersionHasUnlessNamed) {
  const PaperTable& table = paper_table("heterogeneous");
  std::vector<std::string> names;
  for (const PaperRow* row : select_rows(table, {})) names.push_back(row->name);
  EXPECT_EQ(names, (std::vector<std::string>{"gcn", "gat", "em-gcn-pt", "em-gcn-po", "em-gcn-pd",
                                             "em-gcn-ph"}));
  EXPECT_EQ(select_rows(table, {"em-gcn-po", "gcn"}).front()->name, "gcn");
  EXPECT_EQ(select_columns(table, {}).size(), 3U);
  EXPECT_EQ(select_columns(table, {"dblp"}).front(), &table.columns[2]);
}

TEST(PaperTables, WhatIsNotThereIsNamed) {
  const PaperTable& table = paper_table("heterogeneous");
  const auto expect = [](const std::string& part, const std::function<void()>& f) {
    expect_part(message_of<UsageError>(f), part);
  };
  expect("did you mean heterogeneous", [] { paper_table("heterogenous"); });
  expect("the paper has imdb 60.58 / 59.12, acm", [&] { select_rows(table, {"gtn"}); });
  expect("did you mean em-gcn-p", [&] { select_rows(table, {"em-gcn-px"}); });
  expect("unknown column \"cora\"", [&] { select_columns(table, {"cora"}); });
}

}  // namespace
}  // namespace emgnn
