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
#include <emgnn/em/experiment.h>
#include <emgnn/report/paper_tables.h>

namespace emgnn::cli {

namespace {

namespace fs = std::filesystem;

struct ReproduceArguments {
  std::string table;
  std::vector<std::string> rows, columns;
  RunArguments run = {.runs = 10};
};

constexpr const char* kExamples = R"(
Tables:
  heterogeneous  rows gcn, em-gcn-pt, em-gcn-po, em-gcn-pd, em-gcn-ph; columns imdb, acm, dblp
  homogeneous    rows gcn, em-gcn; columns cora-5, cora-10, cora-20, citeseer-5, ..., pubmed-presence-20 (labels per class)
  heterophilic   rows gcn, acm-gcn+, em-gcn, em-acm; columns texas, wisconsin, cornell-before-2022-07
  molecules      rows gcn-star (beside the paper's GCN), em-gcn-star; columns freesolv-random, esol-random,
                 lipophilicity-random, freesolv-scaffold, ...
  runtime        rows gcn, em-gcn; columns cora, citeseer, pubmed-presence: seconds per run
  perturbation   rows gcn, em-gcn; columns cora-0, cora-5, ..., cora-30: percent of the edges that are removed, and of new
                 ones that are added

Examples:
  emgnn reproduce heterogeneous --out table
      all cells, ten runs each, one run folder per cell; the same command again goes on after Ctrl-C
  emgnn reproduce heterogeneous --rows em-gcn-pt,gcn --columns imdb --runs 3 --json
      {"table", "runs", "seed", "cells": [{"row", "column", "metric", "mean", "std", "paper_mean", "paper_std"}], "version"},
      scores as shares of 1; of molecules the RMSE in the unit of the target; the paper's null where it gives none
)";

struct Cell {
  const PaperRow* row;
  const PaperColumn* column;
  RunRequest request;
};

RunConfig config_of(const PaperRow& row, const PaperColumn& column) {
  RunConfig config = default_config(row.method, column.dataset);
  for (const std::string& setting : column.settings) set(config, setting);
  for (const std::string& setting : row.settings) set(config, setting);
  return config;
}

std::vector<Cell> plan(const PaperTable& table, const ReproduceArguments& arguments,
                       const fs::path& rescue) {
  const std::vector<const PaperColumn*> columns = select_columns(table, arguments.columns);
  std::vector<Cell> cells;
  for (const PaperRow* row : select_rows(table, arguments.rows)) {
    for (const PaperColumn* column : columns) {
      RunRequest request =
          make_request(column->dataset, row->method, config_of(*row, *column), arguments.run);
      if (request.out) *request.out /= fs::path(row->name) / column->name;
      request.rescue = rescue / row->name / column->name;
      cells.push_back({row, column, std::move(request)});
    }
  }
  return cells;
}

// A missing file shows before hours of training, not after.
void check_data(const std::vector<Cell>& cells, bool quiet) {
  Progress progress(1, quiet);
  std::vector<std::string> seen;
  for (const Cell& cell : cells) {
    if (std::find(seen.begin(), seen.end(), cell.request.dataset) != seen.end()) continue;
    cell.request.open()->load(
        0, [&](const MoleculeProgress& molecules) { return progress.on_molecule(molecules); });
    seen.push_back(cell.request.dataset);
  }
}

std::vector<TableCell> train(const PaperTable& table, const std::vector<Cell>& cells, bool quiet) {
  std::vector<TableCell> out;
  for (size_t i = 0; i < cells.size(); ++i) {
    const auto& [row, column, request] = cells[i];
    if (!quiet) {
      fmt::print(stderr, "cell {} of {}: {} on {}\n", i + 1, cells.size(), row->name, column->name);
    }
    Progress progress(request.runs, quiet);
    const Results results = train_runs(request, progress);
    for (TableCell& cell : table_cells(table, *row, *column, results.runs))
      out.push_back(std::move(cell));
  }
  return out;
}

void run(const ReproduceArguments& arguments, const std::string& invocation) {
  const PaperTable& table = paper_table(arguments.table);
  check(arguments.run);
  const fs::path rescue = rescue_folder("emgnn-reproduce-" + table.name);
  const std::vector<Cell> cells = plan(table, arguments, rescue);
  set_num_threads(static_cast<int>(arguments.run.threads));
  catch_interrupts();
  check_data(cells, arguments.run.quiet);
  std::vector<TableCell> figures;
  try {
    figures = train(table, cells, arguments.run.quiet);
  } catch (const Interrupted& stop) {
    throw with_way_on(stop, arguments.run, rescue, invocation);
  }
  if (arguments.run.json) {
    const nlohmann::ordered_json json = {{"table", table.name},
                                         {"runs", arguments.run.runs},
                                         {"seed", arguments.run.seed},
                                         {"cells", to_json(figures)},
                                         {"version", version()}};
    return print(json.dump() + "\n");
  }
  const bool percent = table.metrics.front().unit == 100.0;
  print(fmt::format("{}{}, mean ± std; runs: {} from seed {}, the paper: 10\n\n{}", table.name,
                    percent ? ", test scores in %" : "", arguments.run.runs, arguments.run.seed,
                    to_text(figures)));
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
  add_run_options(*reproduce, arguments->run);
  reproduce->footer(kExamples);
  reproduce->callback([arguments, invocation] { run(*arguments, invocation); });
}

}  // namespace emgnn::cli
