// SPDX-License-Identifier: Apache-2.0
// emgnn reproduce: trains the rows of a published table and prints them beside the paper's figures.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>

#include <emgnn/base/error.h>
#include <emgnn/base/version.h>
#include <emgnn/cli/commands.h>
#include <emgnn/cli/interrupt.h>
#include <emgnn/cli/output.h>
#include <emgnn/cli/progress.h>
#include <emgnn/cli/run_request.h>
#include <emgnn/report/paper_tables.h>
#include <emgnn/report/table_cells.h>
#include <emgnn/run/load.h>
#include <emgnn/run/services.h>

namespace emgnn::cli {

namespace {

namespace fs = std::filesystem;

struct ReproduceArguments {
  std::string table;
  std::vector<std::string> rows, columns;
  bool redraw = false;
  RunArguments run = {.runs = 10};
};

constexpr const char* kExamples = R"(
Examples:
  emgnn reproduce heterogeneous --out table
      all cells, ten runs each, one run folder per cell; the same command again resumes after Ctrl-C
  emgnn reproduce heterogeneous --rows em-gcn-pt,gcn --columns imdb --runs 3 --json
      {"table", "runs", "seed", "cells": [{"row", "column", "metric", "mean", "std", "paper_mean", "paper_std",
       "seconds", "place"}], "version"}, scores as shares of 1; of molecules the RMSE in the unit of the target; the paper's
      null where it gives none; "seconds" of one run; "place" 1 is the best row of a column, 2 the second best, others null
  emgnn reproduce value --columns cora-20 --runs 10 --redraw
      what the distribution over graphs is worth: the same network on one graph, with learned shares, in ensembles, ...;
      "difference" is em less the row, paired by run. No figure of it is published. See docs/value.md.
)";

std::string footer() {
  std::string tables;
  for (const PaperTable& table : paper_tables()) tables += outline(table);
  return "\nTables:\n" + tables + kExamples;
}

struct Cell {
  const PaperRow* row;
  const PaperColumn* column;
  RunRequest request;  // of a choice: none

  bool is_trained() const { return row->best_of.empty(); }
};

ConfigRequest config_of(const PaperTable& table, const PaperRow& row, const PaperColumn& column,
                        bool redraw) {
  CellSettings settings = cell_settings(table, row, column, redraw);
  return {.dataset = column.dataset,
          .method = row.method,
          .layers = {{"column " + column.name, "", std::move(settings.column)},
                     {"row " + row.name, "", std::move(settings.row)}}};
}

bool asks_for(const PaperTable& table, const std::string& metric) {
  return std::any_of(table.metrics.begin(), table.metrics.end(),
                     [&](const PaperMetric& m) { return m.name == metric; });
}

void check_redraw(const PaperTable& table, const std::vector<const PaperColumn*>& columns) {
  if (std::any_of(columns.begin(), columns.end(),
                  [](const PaperColumn* column) { return !column->redraw.empty(); }))
    return;
  throw UsageError(fmt::format("--redraw: no column of {} has a split to draw anew", table.name));
}

std::vector<Cell> plan(const PaperTable& table, const ReproduceArguments& arguments,
                       const fs::path& rescue) {
  const std::vector<const PaperColumn*> columns = select_columns(table, arguments.columns);
  if (arguments.redraw) check_redraw(table, columns);
  std::vector<Cell> cells;
  for (const PaperRow* row : select_rows(table, arguments.rows)) {
    for (const PaperColumn* column : columns) {
      if (!has_cell(table, *row, *column)) continue;
      if (!row->best_of.empty()) {
        cells.push_back({row, column, {}});
        continue;
      }
      RunRequest request =
          make_request(config_of(table, *row, *column, arguments.redraw), arguments.run);
      request.rank_graphs = asks_for(table, "graph_rank");
      if (request.out) *request.out /= fs::path(row->name) / column->name;
      request.rescue = rescue / row->name / column->name;
      cells.push_back({row, column, std::move(request)});
    }
  }
  if (cells.empty())
    throw UsageError(fmt::format("none of these rows of {} is in these columns", table.name));
  return cells;
}

// A missing file or a bad setting shows before hours of training, not after.
void check_data(const std::vector<Cell>& cells, bool quiet) {
  Progress progress(1, quiet, /*holds_work=*/true);
  std::vector<std::string> seen;
  for (const Cell& cell : cells) {
    if (!cell.is_trained()) continue;
    const ConfigRequest& config = cell.request.config;
    services().resolve(config);
    if (std::find(seen.begin(), seen.end(), config.dataset) != seen.end()) continue;
    DataOptions options;
    options.molecules.conformers.count = 0;
    DataSource source(
        {.dataset = config.dataset, .data_dir = cell.request.data_dir, .options = options});
    source.load(0,
                [&](const MoleculeProgress& molecules) { return progress.on_molecule(molecules); });
    seen.push_back(config.dataset);
  }
}

std::vector<TableCell> train(const PaperTable& table, const std::vector<Cell>& cells, bool quiet) {
  std::vector<TableCell> out;
  std::vector<TrainedCell> trained;
  for (size_t i = 0; i < cells.size(); ++i) {
    const auto& [row, column, request] = cells[i];
    if (!cells[i].is_trained()) {
      const TrainedCell& best = best_by_validation(table, *row, *column, trained);
      for (TableCell& cell : table_cells(table, *row, *column, best.results)) {
        cell.chosen = best.row->name;
        out.push_back(std::move(cell));
      }
      continue;
    }
    if (!quiet) {
      fmt::print(stderr, "cell {} of {}: {} on {}\n", i + 1, cells.size(), row->name, column->name);
    }
    Progress progress(request.runs, quiet, /*holds_work=*/true);
    trained.push_back({row, column, services().fit(request, progress)});
    for (TableCell& cell : table_cells(table, *row, *column, trained.back().results))
      out.push_back(std::move(cell));
  }
  return out;
}

void run(const ReproduceArguments& arguments, const std::string& invocation) {
  const PaperTable& table = paper_table(arguments.table);
  check(arguments.run);
  const fs::path rescue = rescue_folder("emgnn-reproduce-" + table.name);
  const std::vector<Cell> cells = plan(table, arguments, rescue);
  catch_interrupts();
  check_data(cells, arguments.run.quiet);
  std::vector<TableCell> figures;
  try {
    figures = train(table, cells, arguments.run.quiet);
  } catch (const Interrupted& stop) {
    throw with_way_on(stop, arguments.run, rescue, {.invocation = invocation, .resume = ""});
  }
  if (!table.compare.empty()) compare_with(table.compare, figures);
  mark_best(figures);
  if (arguments.run.json) {
    const nlohmann::ordered_json json = {
        {"table", table.name},         {"runs", arguments.run.runs}, {"seed", arguments.run.seed},
        {"redrawn", arguments.redraw}, {"cells", to_json(figures)},  {"version", version()}};
    return print(json_line(json));
  }
  const bool percent = table.metrics.front().percent;
  const std::string beside =
      table.compare.empty()
          ? "the paper: 10"
          : fmt::format("difference: {} less the row, run by run, ± standard error", table.compare);
  print(fmt::format("{}{}, mean ± std; runs: {} from seed {}{}, {}\n\n{}", table.name,
                    percent ? ", test scores in %" : "", arguments.run.runs, arguments.run.seed,
                    arguments.redraw ? ", splits drawn anew" : "", beside, to_text(figures)));
}

}  // namespace

void add_reproduce(CLI::App& program, const std::string& invocation) {
  CLI::App* reproduce = program.add_subcommand(
      "reproduce", "Train a table of the paper and print it beside the published figures");
  const auto arguments = std::make_shared<ReproduceArguments>();
  reproduce->add_option("table", arguments->table, "Which table; see below")
      ->type_name("TABLE")
      ->required();
  reproduce->add_option("--rows", arguments->rows, "Only these rows")
      ->type_name("a,b")
      ->delimiter(',');
  reproduce->add_option("--columns", arguments->columns, "Only these columns")
      ->type_name("c,d")
      ->delimiter(',');
  reproduce->add_flag("--redraw", arguments->redraw,
                      "Draw the training, validation and test nodes anew for each run, where the "
                      "table says how (value)");
  add_run_options(*reproduce, arguments->run);
  reproduce->footer(std::string())->footer(footer);  // in place of the program's own footer
  reproduce->callback([arguments, invocation] { run(*arguments, invocation); });
}

}  // namespace emgnn::cli
