// SPDX-License-Identifier: Apache-2.0
#include <emgnn/report/paper_tables.h>

#include <gtest/gtest.h>

#include <functional>
#include <nlohmann/json.hpp>

#include <emgnn/base/error.h>
#include <emgnn/em/experiment.h>

namespace emgnn {
namespace {

std::string message_of(const std::function<void()>& f) {
  try {
    f();
  } catch (const UsageError& error) {
    return error.what();
  }
  return "no error";
}

TEST(PaperTables, EveryRowHasAFigureForEveryCellAndSettingsThatExist) {
  for (const PaperTable& table : paper_tables()) {
    for (const PaperRow& row : table.rows) {
      const size_t cells = table.columns.size() * table.metrics.size();
      const bool trained_only = row.figures.empty() && !row.method.empty();
      EXPECT_TRUE(row.figures.size() == cells || trained_only) << row.name;
      if (row.method.empty()) continue;
      for (const PaperColumn& column : table.columns) {
        RunConfig config = default_config(row.method, column.dataset);
        for (const std::string& setting : row.settings) EXPECT_NO_THROW(set(config, setting));
        for (const std::string& setting : column.settings) EXPECT_NO_THROW(set(config, setting));
      }
    }
  }
}

TEST(PaperTables, TrainsWhatThisVersionHasUnlessNamed) {
  const PaperTable& table = paper_table("heterogeneous");
  std::vector<std::string> names;
  for (const PaperRow* row : select_rows(table, {})) names.push_back(row->name);
  EXPECT_EQ(names,
            (std::vector<std::string>{"gcn", "em-gcn-pt", "em-gcn-po", "em-gcn-pd", "em-gcn-ph"}));
  EXPECT_EQ(select_rows(table, {"em-gcn-po", "gcn"}).front()->name, "gcn");
  EXPECT_EQ(select_columns(table, {}).size(), 3U);
  EXPECT_EQ(select_columns(table, {"dblp"}).front(), &table.columns[2]);
}

TEST(PaperTables, SetsTheFiguresBesideThePapers) {
  const PaperTable& table = paper_table("heterogeneous");
  std::vector<RunRecord> runs(2);
  runs[0].test = {.micro_f1 = 0.94, .macro_f1 = 0.92};
  runs[1].test = {.micro_f1 = 0.96, .macro_f1 = 0.94};
  const auto cells =
      table_cells(table, *select_rows(table, {"em-gcn-ph"}).front(), table.columns[2], runs);
  ASSERT_EQ(cells.size(), 2U);
  EXPECT_DOUBLE_EQ(cells[0].here.mean, 0.95);
  EXPECT_DOUBLE_EQ(cells[0].paper->mean, 0.9502);
  EXPECT_DOUBLE_EQ(cells[1].paper->std, 0.002);
  EXPECT_EQ(to_json(cells)[1]["metric"], "macro_f1");
  EXPECT_NE(to_text(cells).find("95.00 ± 1.41   95.02 ± 0.19       -0.02"), std::string::npos)
      << to_text(cells);
}

TEST(PaperTables, ShowErrorsOfValuesInTheirOwnUnit) {
  const PaperTable& table = paper_table("molecules");
  std::vector<RunRecord> runs(2);
  runs[0].test = {.task = Task::kRegression, .rmse = 0.9};
  runs[1].test = {.task = Task::kRegression, .rmse = 1.0};
  const auto cells = table_cells(table, *select_rows(table, {"em-gcn-star"}).front(),
                                 *select_columns(table, {"freesolv-random"}).front(), runs);
  ASSERT_EQ(cells.size(), 1U);
  EXPECT_DOUBLE_EQ(cells[0].here.mean, 0.95);
  EXPECT_DOUBLE_EQ(cells[0].paper->mean, 0.936);
  EXPECT_NE(to_text(cells).find("rmse"), std::string::npos);
  EXPECT_NE(to_text(cells).find("0.950 ± 0.071  0.936 ± 0.162      +0.014"), std::string::npos)
      << to_text(cells);
}

TEST(PaperTables, LeaveBlankWhatThePaperDoesNotGive) {
  const PaperTable& table = paper_table("perturbation");
  std::vector<RunRecord> runs(2);
  runs[0].test.accuracy = runs[1].test.accuracy = 0.75;
  const auto cells = table_cells(table, table.rows[1], table.columns[3], runs);
  ASSERT_EQ(cells.size(), 1U);
  EXPECT_EQ(cells[0].column, "cora-15");
  EXPECT_TRUE(to_json(cells)[0]["paper_mean"].is_null());
  EXPECT_NE(to_text(cells).find("75.00 ± 0.00"), std::string::npos) << to_text(cells);
}

TEST(PaperTables, TimeRunsInSeconds) {
  const PaperTable& table = paper_table("runtime");
  std::vector<RunRecord> runs(2);
  runs[0].seconds = 1.5;
  runs[1].seconds = 2.5;
  const auto cells =
      table_cells(table, *select_rows(table, {"em-gcn"}).front(), table.columns[0], runs);
  EXPECT_DOUBLE_EQ(cells[0].here.mean, 2.0);
  EXPECT_NE(to_text(cells).find("2.00 ± 0.71   86.06 ± 1.39      -84.06"), std::string::npos)
      << to_text(cells);
}

TEST(PaperTables, WhatIsNotThereIsNamed) {
  const PaperTable& table = paper_table("heterogeneous");
  const auto expect = [](const std::string& part, const std::function<void()>& f) {
    EXPECT_NE(message_of(f).find(part), std::string::npos) << message_of(f);
  };
  expect("did you mean heterogeneous", [] { paper_table("heterogenous"); });
  expect("the paper has imdb 63.54 / 61.87, acm", [&] { select_rows(table, {"gat"}); });
  expect("did you mean em-gcn-p", [&] { select_rows(table, {"em-gcn-px"}); });
  expect("unknown column \"cora\"", [&] { select_columns(table, {"cora"}); });
}

}  // namespace
}  // namespace emgnn
