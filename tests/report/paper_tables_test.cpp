// SPDX-License-Identifier: Apache-2.0
#include <emgnn/report/paper_tables.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <map>
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
  EXPECT_EQ(tables.size(), 11U);
}

TEST(PaperTables, EveryRowHasAFigureForEveryCellOrIsTrained) {
  for (const PaperTable& table : paper_tables()) {
    std::set<std::string> rows, columns;
    for (const PaperColumn& column : table.columns) columns.insert(column.name);
    EXPECT_EQ(columns.size(), table.columns.size()) << table.name;
    for (const PaperRow& row : table.rows) {
      EXPECT_TRUE(rows.insert(row.name).second) << row.name;
      const size_t cells = table.columns.size() * table.metrics.size();
      const bool trained_only = row.figures.empty() && row.available();
      EXPECT_TRUE(row.figures.size() == cells || trained_only) << row.name;
    }
  }
}

RunConfig cell_config(const PaperTable& table, const PaperRow& row, const PaperColumn& column,
                      bool redraw) {
  CellSettings settings = cell_settings(table, row, column, redraw);
  return resolve({.dataset = column.dataset,
                  .method = row.method,
                  .layers = {{"column", "", settings.column}, {"row", "", settings.row}}});
}

TEST(PaperTables, NameMethodsAndSettingsThatExist) {
  for (const PaperTable& table : paper_tables()) {
    for (const PaperRow& row : table.rows) {
      if (row.method.empty()) continue;
      EXPECT_NO_THROW(method_info(row.method));
      for (const PaperColumn& column : table.columns) {
        if (!has_cell(table, row, column)) continue;
        for (const bool redraw : {false, true})
          EXPECT_NO_THROW(cell_config(table, row, column, redraw)) << row.name << column.name;
      }
    }
  }
}

TEST(PaperTables, NameScoresOfTheTask) {
  for (const PaperTable& table : paper_tables()) {
    RunRecord run;
    run.test.emplace();
    run.graph_rank = GraphRank{.graphs = 3, .correlation = 0.5};
    run.edge_auc = 0.5;
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
  expect(whole + row + "figures = [[]]\n", "no error");
  expect(whole + row, "configs/tables/t.toml:5: expected 1 figures");
  expect(whole + row + "figures = [[1.0, 0.1], [2.0, 0.1]]\n", "one per column and metric, got 2");
  expect(whole + row + "figures = [[1.0]]\n",
         "configs/tables/t.toml:8: expected [mean, standard deviation]");
  expect(start + metrics + "columns = [{name = 'a', dataset = 'b', views = [1]}]\n",
         "configs/tables/t.toml:4: views: expected texts");
  const std::string trained = "[[rows]]\nname = 'r'\nmethod = 'gcn'\n";
  const std::string choice = "[[rows]]\nname = 'c'\nbest_of = ['r']\n";
  expect(whole + trained + choice, "no error");
  expect(whole + choice + trained, "best_of: no row r before the choice");
  expect(whole + trained + "columns = ['b']\n", "columns: no column b");
  expect(whole + "x_label = 'x'\n", "an x of each column");
  expect("content = 'posterior'\n" + whole, "configs/tables/t.toml:1: content: expected scores");
  expect("content = 'normalizer'\n" + whole, "expected metrics and columns");
  expect("content = 'normalizer'\n" + start + columns, "no error");
  const auto at = [](const char* x) {
    return std::string("{name = 'c") + x + "', dataset = 'esol', x = " + x + "}";
  };
  const std::string curve = "x_label = 'x'\n" + start + metrics + "columns = [";
  expect(curve + at("1") + ", " + at("2.5") + "]\n", "no error");
  expect(curve + at("2") + ", " + at("1") + "]\n", "expected x to grow");
}

// Row s, which no method trains.
PaperTable with_an_untrained_row() {
  return parse_paper_table(
      "t",
      "title = 'T'\ncaption = 'C'\nmetrics = [{name = 'rmse', percent = false, decimals = 3}]\n"
      "columns = [{name = 'a', dataset = 'esol'}, {name = 'b', dataset = 'esol'}]\n"
      "[[rows]]\nname = 'r'\nmethod = 'gcn'\n[[rows]]\nname = 's'\nmethod = ''\n"
      "figures = [[1.5, 0.1], []]\n");
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
  expect_part(
      outline(paper_table("heterogeneous")),
      "rows gcn, gcn-regularised, gat, gtn, gtn-regularised, simple-hgn, simple-hgn-regularised, "
      "sehgnn, em-gcn-pt,\n      em-gcn-po, em-gcn-pd, em-gcn-ph, em-gcn-held-out, "
      "em-gcn-averaged, "
      "em-gat, gcn-x5, gat-x5\n");
  expect_part(outline(with_an_untrained_row()), "rows r; published only: s");
}

TEST(PaperTables, TrainsWhatThisVersionHasUnlessNamed) {
  const PaperTable& table = paper_table("heterogeneous");
  std::vector<std::string> names;
  for (const PaperRow* row : select_rows(table, {})) names.push_back(row->name);
  EXPECT_EQ(names,
            (std::vector<std::string>{"gcn", "gcn-regularised", "gat", "gtn", "gtn-regularised",
                                      "simple-hgn", "simple-hgn-regularised", "sehgnn", "em-gcn-pt",
                                      "em-gcn-po", "em-gcn-pd", "em-gcn-ph", "em-gcn-held-out",
                                      "em-gcn-averaged", "em-gat", "gcn-x5", "gat-x5"}));
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
  expect("the paper has a 1.500", [] { select_rows(with_an_untrained_row(), {"s"}); });
  expect("did you mean em-gcn-p", [&] { select_rows(table, {"em-gcn-px"}); });
  expect("unknown column \"cora\"", [&] { select_columns(table, {"cora"}); });
}

TEST(PaperTables, AChoiceBringsTheRowsItIsBetween) {
  const PaperTable& table = paper_table("value");
  std::set<std::string> names;
  for (const PaperRow* row : select_rows(table, {"best", "em"})) names.insert(row->name);
  EXPECT_TRUE(names.contains("best") && names.contains("em") && names.contains("joined"));
  EXPECT_FALSE(names.contains("equal"));
}

TEST(ValueTable, ARowOfOneViewIsInTheColumnsThatHaveIt) {
  const PaperTable& table = paper_table("value");
  const auto has = [&](const char* row, const char* column) {
    return has_cell(table, *select_rows(table, {row}).front(),
                    *select_columns(table, {column}).front());
  };
  EXPECT_TRUE(has("knn", "cora-5"));
  EXPECT_FALSE(has("knn", "imdb"));
  EXPECT_TRUE(has("MD", "imdb"));
  EXPECT_FALSE(has("MD", "acm"));
  EXPECT_FALSE(has("two-hop", "flickr-20"));
  for (const PaperColumn& column : table.columns) {
    EXPECT_TRUE(has("em", column.name.c_str())) << column.name;
    // Every view of the column has a row of its own.
    for (const std::string& view : column.views) {
      const auto of = [&](const PaperRow& row) {
        return row.view == view && row.settings.empty() && !row.method.empty();
      };
      EXPECT_EQ(std::count_if(table.rows.begin(), table.rows.end(), of), 1) << view;
    }
  }
}

TEST(ValueTable, SettingsComeFromTheTableTheColumnAndTheRow) {
  const PaperTable& table = paper_table("value");
  const auto of = [&](const char* row, bool redraw) {
    for (const PaperRow& r : table.rows)
      if (r.name == row)
        return cell_config(table, r, *select_columns(table, {"cora-5"})[0], redraw);
    throw std::logic_error(row);
  };
  EXPECT_EQ(of("em", false).values().at("space.views"), "given, knn:5, two-hop");
  EXPECT_EQ(of("knn", false).values().at("space.views"), "knn:5");
  EXPECT_EQ(of("knn", false).values().at("stop.rule"), "loss");
  EXPECT_EQ(of("em", false).values().at("split"), "labels-per-class:5");
  EXPECT_EQ(of("em", true).values().at("split"), "per-class:5/500/1000");
}

// All but the graph: what two rows both read has one value, or the comparison would be of
// something else. How graphs are normalised and what is averaged over them belongs to the graph.
TEST(ValueTable, RowsOfAColumnDifferInTheGraphAlone) {
  const PaperTable& table = paper_table("value");
  const std::set<std::string> may_differ = {"space.views", "space.mixing", "space.step", "ensemble",
                                            "agreement.balance"};
  for (const PaperColumn& column : table.columns) {
    std::map<std::string, std::string> first;
    for (const PaperRow& row : table.rows) {
      if (row.method.empty() || !has_cell(table, row, column)) continue;
      for (const auto& [key, value] : cell_config(table, row, column, false).values()) {
        if (may_differ.contains(key) || key.starts_with("em.")) continue;
        const auto [at, is_new] = first.try_emplace(key, value);
        EXPECT_EQ(at->second, value) << key << " of " << row.name << " on " << column.name;
      }
    }
    EXPECT_EQ(first.at("agreement.weight"), "0");  // so that its balance is of nothing
    EXPECT_TRUE(first.contains("model.hidden") && first.contains("optim.weight_decay"));
    // As many passes over the data: T · T' of the rows over graphs, after no warm-up.
    const PaperRow& em = table.rows.front();
    const auto values = cell_config(table, em, column, false).values();
    EXPECT_EQ(values.at("em.evidence"), "cross-fit");
    EXPECT_EQ(values.at("ensemble"), "1");  // its networks are those of the folds
    EXPECT_EQ(values.at("em.warmup"), "0");
    EXPECT_EQ(std::stoi(values.at("em.rounds")) * std::stoi(values.at("em.steps")),
              std::stoi(first.at("fit.epochs")))
        << column.name;
  }
}

}  // namespace
}  // namespace emgnn
