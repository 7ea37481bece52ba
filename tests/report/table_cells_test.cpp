// SPDX-License-Identifier: Apache-2.0
#include <emgnn/report/table_cells.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include <emgnn/base/error.h>

namespace emgnn {
namespace {

Results results_of(const std::vector<RunRecord>& runs) {
  const auto known = class_score_info();
  return {.dataset = "d",
          .method = "gcn",
          .config = {},
          .scores = {known.begin(), known.end()},
          .runs = runs};
}

TEST(TableCells, SetsTheFiguresBesideThePapers) {
  const PaperTable& table = paper_table("heterogeneous");
  std::vector<RunRecord> runs(2);
  runs[0].test = Scores{{"micro_f1", 0.94}, {"macro_f1", 0.92}};
  runs[1].test = Scores{{"micro_f1", 0.96}, {"macro_f1", 0.94}};
  const auto cells = table_cells(table, *select_rows(table, {"em-gcn-ph"}).front(),
                                 table.columns[2], results_of(runs));
  ASSERT_EQ(cells.size(), 2U);
  EXPECT_DOUBLE_EQ(cells[0].here.mean, 0.95);
  EXPECT_DOUBLE_EQ(cells[0].paper->mean, 0.9502);
  EXPECT_DOUBLE_EQ(cells[1].paper->std, 0.002);
  EXPECT_EQ(to_json(cells)[1]["metric"], "macro_f1");
  EXPECT_NE(to_text(cells).find("95.00 ± 1.41   95.02 ± 0.19       -0.02"), std::string::npos)
      << to_text(cells);
}

TEST(TableCells, ShowErrorsOfValuesInTheirOwnUnit) {
  const PaperTable& table = paper_table("molecules");
  std::vector<RunRecord> runs(2);
  runs[0].test = Scores{{"rmse", 0.9}};
  runs[1].test = Scores{{"rmse", 1.0}};
  const auto cells =
      table_cells(table, *select_rows(table, {"em-gcn-star"}).front(),
                  *select_columns(table, {"freesolv-random"}).front(), results_of(runs));
  ASSERT_EQ(cells.size(), 1U);
  EXPECT_DOUBLE_EQ(cells[0].here.mean, 0.95);
  EXPECT_DOUBLE_EQ(cells[0].paper->mean, 0.936);
  EXPECT_NE(to_text(cells).find("rmse"), std::string::npos);
  EXPECT_NE(to_text(cells).find("0.950 ± 0.071  0.936 ± 0.162      +0.014"), std::string::npos)
      << to_text(cells);
}

TEST(TableCells, LeaveBlankWhatThePaperDoesNotGive) {
  const PaperTable& table = paper_table("perturbation");
  std::vector<RunRecord> runs(2);
  runs[0].test = runs[1].test = Scores{{"accuracy", 0.75}};
  const auto cells = table_cells(table, table.rows[1], table.columns[3], results_of(runs));
  ASSERT_EQ(cells.size(), 2U);
  EXPECT_EQ(cells[0].column, "cora-15");
  EXPECT_TRUE(cells[1].runs.empty()) << "no probabilities of edges";
  EXPECT_TRUE(to_json(cells)[0]["paper_mean"].is_null());
  EXPECT_NE(to_text(cells).find("75.00 ± 0.00"), std::string::npos) << to_text(cells);
}

TEST(TableCells, DifferencesArePairedRunByRun) {
  const PaperTable& table = paper_table("value");
  const PaperMetric metric = table.metrics[0];
  const auto cell = [&](const char* row, const char* column, std::vector<double> runs) {
    return TableCell{row, column, metric, mean_std(runs), {}, runs};
  };
  std::vector<TableCell> cells = {cell("em", "a", {0.9, 0.8, 0.7}),
                                  cell("given", "a", {0.8, 0.8, 0.6}),
                                  cell("given", "b", {0.1, 0.2, 0.3})};
  compare_with("em", cells);
  EXPECT_FALSE(cells[0].difference);
  EXPECT_FALSE(cells[2].difference);  // nothing to compare with
  // 0.1, 0 and 0.1: mean 1/15, standard deviation 0.1/√3, standard error 1/30.
  EXPECT_NEAR(cells[1].difference->mean, 1.0 / 15.0, 1e-12);
  EXPECT_NEAR(cells[1].difference->std, 1.0 / 30.0, 1e-12);
  EXPECT_NE(to_text(cells).find("+6.67 ± 3.33"), std::string::npos) << to_text(cells);
  EXPECT_NEAR(to_json(cells)[1]["difference_se"].get<double>(), 1.0 / 30.0, 1e-12);
}

TEST(TableCells, WithoutAScoreHaveADash) {
  const PaperTable& table = paper_table("value");
  std::vector<RunRecord> runs(2);
  for (RunRecord& run : runs) {
    run.test = Scores{{"accuracy", 0.75}, {"nll", 0.5}, {"ece", 0.1}};
    run.graph_rank = GraphRank{.graphs = 11, .correlation = 0.5};
  }
  std::vector<TableCell> cells =
      table_cells(table, table.rows[0], table.columns[0], results_of(runs));
  ASSERT_EQ(cells.size(), 4U);
  EXPECT_EQ(cells[3].metric.name, "graph_rank");
  EXPECT_EQ(cells[3].runs, (std::vector<double>{0.5, 0.5}));
  // Not defined in one run: of none, or the pairs would not fit.
  runs[1].graph_rank->correlation.reset();
  for (TableCell& cell : table_cells(table, table.rows[1], table.columns[0], results_of(runs)))
    cells.push_back(cell);
  compare_with("em", cells);
  EXPECT_TRUE(cells[7].runs.empty());
  EXPECT_FALSE(cells[7].difference);
  EXPECT_TRUE(cells[4].difference);
  EXPECT_TRUE(to_json(cells)[7]["mean"].is_null());
  EXPECT_NE(to_text(cells).find("graph_rank                –"), std::string::npos)
      << to_text(cells);
}

TEST(TableCells, AChoiceIsMadeByValidationAlone) {
  const PaperTable& table = paper_table("value");
  const auto row = [&](const char* name) {
    return &*std::find_if(table.rows.begin(), table.rows.end(),
                          [&](const PaperRow& r) { return r.name == name; });
  };
  const auto trained = [&](const char* name, size_t column, double validation, double test) {
    RunRecord run;
    run.validation.scores = {{"accuracy", validation}};
    run.test = Scores{{"accuracy", test}};
    return TrainedCell{row(name),
                       &table.columns[column],
                       {.dataset = "d",
                        .method = "gcn",
                        .config = {},
                        .scores = {{.name = "accuracy", .percent = true}},
                        .runs = {run}}};
  };
  const std::vector<TrainedCell> cells = {
      trained("given", 0, 0.6, 0.9), trained("knn", 0, 0.7, 0.5), trained("joined", 1, 0.9, 0.9),
      trained("equal", 0, 0.9, 0.9)};  // another column, and a row that it is not between
  EXPECT_EQ(best_by_validation(table, *row("best"), table.columns[0], cells).row, row("knn"));
  TableCell cell{.row = "best",
                 .column = "a",
                 .metric = table.metrics[0],
                 .here = {0.5, 0.0},
                 .paper = {},
                 .runs = {0.5}};
  cell.chosen = "knn";
  EXPECT_NE(to_text({cell}).find("best (knn)"), std::string::npos);
  EXPECT_EQ(to_json({cell})[0]["chosen"], "knn");
  cell.chosen = "a row with a long name";
  EXPECT_NE(to_text({cell}).find("(a row with a long name)  " + cell.column), std::string::npos)
      << to_text({cell});
}

TEST(TableCells, TimeRunsInSeconds) {
  const PaperTable& table = paper_table("runtime");
  std::vector<RunRecord> runs(2);
  runs[0].seconds = 1.5;
  runs[1].seconds = 2.5;
  const auto cells = table_cells(table, *select_rows(table, {"em-gcn"}).front(), table.columns[0],
                                 results_of(runs));
  EXPECT_DOUBLE_EQ(cells[0].here.mean, 2.0);
  EXPECT_FALSE(cells[0].higher_is_better);
  EXPECT_NE(to_text(cells).find("2.00 ± 0.71   86.06 ± 1.39      -84.06"), std::string::npos)
      << to_text(cells);
}

class Marks : public testing::Test {
 protected:
  void add(const std::string& row, const std::string& column, const std::string& metric,
           double mean, bool higher_is_better = true) {
    TableCell& cell = cells_.emplace_back();
    cell.row = row;
    cell.column = column;
    cell.metric = {.name = metric, .percent = true, .decimals = 2};
    cell.here = {mean, 0.01};
    cell.runs = {mean};
    cell.higher_is_better = higher_is_better;
  }
  std::vector<int> places() {
    mark_best(cells_);
    std::vector<int> out;
    for (const TableCell& cell : cells_) out.push_back(cell.place);
    return out;
  }
  std::vector<TableCell> cells_;
};

TEST_F(Marks, AreOfEachColumnAndMetric) {
  add("a", "acm", "micro_f1", 0.90);
  add("a", "acm", "nll", 0.5, false);
  add("b", "acm", "micro_f1", 0.92);
  add("b", "acm", "nll", 0.3, false);
  add("c", "acm", "micro_f1", 0.91);
  add("c", "acm", "nll", 0.7, false);
  add("a", "dblp", "micro_f1", 0.95);
  add("b", "dblp", "micro_f1", 0.94);
  EXPECT_EQ(places(), (std::vector<int>{0, 2, 1, 1, 2, 0, 1, 2}));
}

TEST_F(Marks, DoNotCountThePaper) {
  add("a", "acm", "micro_f1", 0.90);
  add("b", "acm", "micro_f1", 0.91);
  for (TableCell& cell : cells_) cell.paper = MeanStd{0.99, 0.0};
  EXPECT_EQ(places(), (std::vector<int>{2, 1}));
}

TEST_F(Marks, AreSharedByMeansThatPrintAlike) {
  add("a", "acm", "micro_f1", 0.912304);
  add("b", "acm", "micro_f1", 0.912296);  // 91.23 as well
  add("c", "acm", "micro_f1", 0.9121);
  add("d", "acm", "micro_f1", 0.9121);
  add("e", "acm", "micro_f1", 0.9120);
  EXPECT_EQ(places(), (std::vector<int>{1, 1, 2, 2, 0}));
}

TEST_F(Marks, NeedTwoRowsWithTheScore) {
  add("a", "acm", "graph_rank", 0.5);
  add("b", "acm", "graph_rank", 0.0);
  cells_.back().runs.clear();
  EXPECT_EQ(places(), (std::vector<int>{0, 0}));
  EXPECT_EQ(to_text(cells_).find("second best"), std::string::npos);
  EXPECT_TRUE(to_json(cells_)[0]["place"].is_null());
}

TEST_F(Marks, AreExplainedUnderTheTable) {
  add("a", "acm", "micro_f1", 0.90);
  add("b", "acm", "micro_f1", 0.91);
  add("c", "acm", "micro_f1", 0.89);
  EXPECT_EQ(to_text(cells_).find("*"), std::string::npos);  // not asked for
  places();
  const std::string text = to_text(cells_);
  for (const char* part : {"90.00 ± 1.00+", "91.00 ± 1.00*", "89.00 ± 1.00 ",
                           "\n* best and + second best of the rows"})
    EXPECT_NE(text.find(part), std::string::npos) << text;
  EXPECT_EQ(to_json(cells_)[0]["place"], 2);
  EXPECT_EQ(to_json(cells_)[1]["place"], 1);
  EXPECT_TRUE(to_json(cells_)[2]["place"].is_null());
}

TEST(TableCells, KnowWhichWayIsBetterAndHowLongARunTook) {
  const PaperTable& table = paper_table("value");
  std::vector<RunRecord> runs(2);
  for (RunRecord& run : runs) run.test = Scores{{"accuracy", 0.75}, {"nll", 0.5}, {"ece", 0.1}};
  runs[0].seconds = 1.0;
  runs[1].seconds = 2.5;
  const auto cells = table_cells(table, table.rows[0], table.columns[0], results_of(runs));
  std::vector<bool> higher;
  for (const TableCell& cell : cells) higher.push_back(cell.higher_is_better);
  EXPECT_EQ(higher, (std::vector<bool>{true, false, false, true}));  // nll, ece
  EXPECT_DOUBLE_EQ(cells[0].seconds.value(), 1.75);
  EXPECT_NE(to_text(cells).find("1.75\n"), std::string::npos) << to_text(cells);
  EXPECT_EQ(to_json(cells)[0]["seconds"], 1.75);
}

TEST(TableCells, OfAHiddenTestAreTheValidationScores) {
  RunRecord run;
  run.validation.scores = {{"accuracy", 0.25}};
  EXPECT_EQ(metric_value(run, "accuracy"), 0.25);
  run.test = Scores{{"accuracy", 0.75}};
  EXPECT_EQ(metric_value(run, "accuracy"), 0.75);
}

TEST(TableCells, RunsOfAnotherTaskAreABug) {
  const PaperTable& table = paper_table("molecules");
  EXPECT_THROW(table_cells(table, table.rows[0], table.columns[0], results_of({RunRecord()})),
               InternalError);
}

}  // namespace
}  // namespace emgnn
