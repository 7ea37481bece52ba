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
  RunArguments run = {.runs = 10};
};

constexpr const char* kExamples = R"(
Examples:
  emgnn reproduce heterogeneous --out table
      all cells, ten runs each, one run folder per cell; the same command again resumes after Ctrl-C
  emgnn reproduce heterogeneous --rows em-gcn-pt,gcn --columns imdb --runs 3 --json
      {"table", "runs", "seed", "cells": [{"row", "column", "metric", "mean", "std", "paper_mean", "paper_std"}], "version"},
      scores as shares of 1; of molecules the RMSE in the unit of the target; the paper's null where it gives none
)";

std::string footer() {
  std::string tables;
  for (const PaperTable& table : paper_tables()) tables += outline(table);
  return "\nTables:\n" + tables + kExamples;
}

struct Cell {
  const PaperRow* row;
  const PaperColumn* column;
  RunRequest request;
};

ConfigRequest config_of(const PaperRow& row, const PaperColumn& column) {
  return {.dataset = column.dataset,
          .method = row.method,
          .layers = {{.name = "column " + column.name, .toml = "", .assignments = column.settings},
                     {.name = "row " + row.name, .toml = "", .assignments = row.settings}}};
}

std::vector<Cell> plan(const PaperTable& table, const ReproduceArguments& arguments,
                       const fs::path& rescue) {
  const std::vector<const PaperColumn*> columns = select_columns(table, arguments.columns);
  std::vector<Cell> cells;
  for (const PaperRow* row : select_rows(table, arguments.rows)) {
    for (const PaperColumn* column : columns) {
      RunRequest request = make_request(config_of(*row, *column), arguments.run);
      if (request.out) *request.out /= fs::path(row->name) / column->name;
      request.rescue = rescue / row->name / column->name;
      cells.push_back({row, column, std::move(request)});
    }
  }
  return cells;
}

// A missing file or a bad setting shows before hours of training, not after.
void check_data(const std::vector<Cell>& cells, bool quiet) {
  Progress progress(1, quiet);
  std::vector<std::string> seen;
  for (const Cell& cell : cells) {
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
  for (size_t i = 0; i < cells.size(); ++i) {
    const auto& [row, column, request] = cells[i];
    if (!quiet) {
      fmt::print(stderr, "cell {} of {}: {} on {}\n", i + 1, cells.size(), row->name, column->name);
    }
    Progress progress(request.runs, quiet);
    const Results results = services().fit(request, progress);
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
  catch_interrupts();
  check_data(cells, arguments.run.quiet);
  std::vector<TableCell> figures;
  try {
    figures = train(table, cells, arguments.run.quiet);
  } catch (const Interrupted& stop) {
    throw with_way_on(stop, arguments.run, rescue, invocation);
  }
  if (!table.compare.empty()) compare_with(table.compare, figures);
  if (arguments.run.json) {
    const nlohmann::ordered_json json = {{"table", table.name},
                                         {"runs", arguments.run.runs},
                                         {"seed", arguments.run.seed},
                                         {"cells", to_json(figures)},
                                         {"version", version()}};
    return print(json_line(json));
  }
  const bool percent = table.metrics.front().percent;
  const std::string beside =
      table.compare.empty()
          ? "the paper: 10"
          : fmt::format("difference: {} less the row, run by run, ± standard error", table.compare);
  print(fmt::format("{}{}, mean ± std; runs: {} from seed {}, {}\n\n{}", table.name,
                    percent ? ", test scores in %" : "", arguments.run.runs, arguments.run.seed,
                    beside, to_text(figures)));
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
  reproduce->footer(std::string())->footer(footer);  // in place of the program's own footer
  reproduce->callback([arguments, invocation] { run(*arguments, invocation); });
}

}  // namespace emgnn::cli
