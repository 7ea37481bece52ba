// SPDX-License-Identifier: Apache-2.0
// emgnn reproduce: trains the rows of a published table and prints them beside the paper's figures.
#include <fmt/format.h>

#include <memory>

#include <emgnn/base/error.h>
#include <emgnn/cli/commands.h>
#include <emgnn/cli/output.h>
#include <emgnn/cli/table_runs.h>
#include <emgnn/report/paper_tables.h>
#include <emgnn/report/table_forms.h>

namespace emgnn::cli {

namespace {

constexpr const char* kExamples = R"(
Examples:
  emgnn reproduce heterogeneous --out table
      all cells, ten runs each, several cells at a time, one run folder per cell; the same command again resumes after
      Ctrl-C, and prints at once what is complete
  emgnn reproduce heterogeneous --out table --format svg > table.svg
      the same results as a figure; also markdown and csv, which are the same bytes for the same seeds
  emgnn reproduce heterogeneous --rows em-gcn-pt,gcn --columns imdb --runs 3 --json
      {"table", "runs", "seed", "cells": [{"row", "column", "metric", "mean", "std", "paper_mean", "paper_std",
       "paper_difference", "seconds", "place"}], "version"}, scores as shares of 1; of molecules the RMSE in the unit of
      the target; the paper's null where it gives none; "seconds" of one run; "place" 1 is the best row of a column, 2
      the second best, others null. Of distributions there are "distributions", of normalizer "rounds" in place of cells
  emgnn reproduce value --columns cora-20 --runs 10 --redraw
      what the distribution over graphs is worth: the same network on one graph, with learned shares, in ensembles, ...;
      "difference" is em less the row, paired by run. No figure of it is published. See docs/value.md.
)";

std::string footer() {
  std::string tables;
  for (const PaperTable& table : paper_tables()) tables += outline(table);
  return "\nTables:\n" + tables + kExamples;
}

struct ReproduceArguments {
  TableArguments table;
  std::string format;
};

// Of --format, or of --json, which stands for --format json.
TableForm form_of(const ReproduceArguments& arguments) {
  const bool json = arguments.table.run.json;
  if (arguments.format.empty()) return json ? TableForm::kJson : TableForm::kText;
  const TableForm form = table_form(arguments.format);
  if (json && form != TableForm::kJson)
    throw UsageError(fmt::format("--json and --format {} exclude each other", arguments.format));
  return form;
}

void run(const ReproduceArguments& arguments, const std::string& invocation) {
  const TableForm form = form_of(arguments);
  const TableArguments& asked = arguments.table;
  const PaperTable& table = paper_table(asked.table);
  TrainedTable trained{.table = &table,
                       .cells = {},
                       .choices = {},
                       .runs = asked.run.runs,
                       .seed = asked.run.seed,
                       .redrawn = asked.redraw};
  TableRunsOutcome outcome = run_table(table, asked, invocation);
  bool any = false;
  for (CellRuns& cell : outcome.cells) {
    if (!cell.is_choice()) {
      any = any || cell.results;
      trained.cells.push_back({cell.row, cell.column, std::move(cell.results).value_or(Results{})});
    } else if (trained.choices.empty() || trained.choices.back() != cell.row) {
      trained.choices.push_back(cell.row);
    }
  }
  if (any) print(write_table(trained, form));
  if (!outcome.failure.empty()) throw Error(outcome.failure);
}

}  // namespace

void add_reproduce(CLI::App& program, const std::string& invocation) {
  CLI::App* reproduce = program.add_subcommand(
      "reproduce", "Train a table of the paper and print it beside the published figures");
  const auto all = std::make_shared<ReproduceArguments>();
  TableArguments* arguments = &all->table;
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
  reproduce
      ->add_option(
          "--jobs", arguments->jobs,
          "Cells at a time, which share --threads and --memory; without it as many as there "
          "are threads, of tables that measure time one")
      ->type_name("N");
  reproduce
      ->add_option("--format", all->format,
                   "What to print: text, markdown, csv, json or svg; results in --out are not made "
                   "again")
      ->type_name("FORMAT");
  add_run_options(*reproduce, arguments->run);
  reproduce->footer(std::string())->footer(footer);  // in place of the program's own footer
  reproduce->callback([all, invocation] { run(*all, invocation); });
}

}  // namespace emgnn::cli
