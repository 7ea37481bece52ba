// SPDX-License-Identifier: Apache-2.0
#include <emgnn/report/table_forms.h>

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include <emgnn/base/error.h>
#include <emgnn/base/version.h>
#include <emgnn/report/learned_tables.h>
#include <emgnn/report/plain_table.h>
#include <emgnn/report/score_table.h>
#include <emgnn/report/svg_file.h>

namespace emgnn {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::pair<const char*, TableForm> kForms[] = {{"text", TableForm::kText},
                                                        {"markdown", TableForm::kMarkdown},
                                                        {"csv", TableForm::kCsv},
                                                        {"json", TableForm::kJson},
                                                        {"svg", TableForm::kSvg}};

bool has_failed(const TrainedCell& cell) { return cell.results.runs.empty(); }

// The cells that a row in a column is chosen from: one, if it is no choice.
std::vector<const TrainedCell*> candidates(const TrainedTable& trained, const PaperRow& row,
                                           const PaperColumn& column, bool is_choice) {
  const std::vector<std::string>& names = row.best_of;
  std::vector<const TrainedCell*> out;
  for (const TrainedCell& cell : trained.cells) {
    const bool is = is_choice ? std::find(names.begin(), names.end(), cell.row->name) != names.end()
                              : cell.row == &row;
    if (is && cell.column == &column) out.push_back(&cell);
  }
  return out;
}

// Rows in the order of the table, each in the order of the columns. There is no best of rows of which one
// failed.
std::vector<TableCell> score_cells(const TrainedTable& trained) {
  const PaperTable& table = *trained.table;
  std::vector<TableCell> out;
  for (const PaperRow& row : table.rows) {
    const bool is_choice =
        std::find(trained.choices.begin(), trained.choices.end(), &row) != trained.choices.end();
    for (const PaperColumn& column : table.columns) {
      const std::vector<const TrainedCell*> of = candidates(trained, row, column, is_choice);
      if (of.empty() || (is_choice && !has_cell(table, row, column))) continue;
      const auto failed = std::find_if(of.begin(), of.end(),
                                       [](const TrainedCell* cell) { return has_failed(*cell); });
      const bool chosen = is_choice && failed == of.end();
      const TrainedCell& shown = chosen ? best_by_validation(table, row, column, trained.cells)
                                 : failed != of.end() ? **failed
                                                      : *of.front();
      for (TableCell& cell : table_cells(table, row, column, shown.results)) {
        if (chosen) cell.chosen = shown.row->name;
        out.push_back(std::move(cell));
      }
    }
  }
  if (!table.compare.empty()) compare_with(table.compare, out);
  mark_best(out);
  return out;
}

// "10 runs from seed 0, splits drawn anew"
std::string runs_text(const TrainedTable& trained) {
  return fmt::format("{} {} from seed {}{}", trained.runs, trained.runs == 1 ? "run" : "runs",
                     trained.seed, trained.redrawn ? ", splits drawn anew" : "");
}

bool has_paper(const std::vector<TableCell>& cells) {
  return std::any_of(cells.begin(), cells.end(),
                     [](const TableCell& cell) { return cell.paper.has_value(); });
}

std::string text_heading(const TrainedTable& trained, const std::vector<TableCell>& cells) {
  const PaperTable& table = *trained.table;
  std::string out = table.name;
  if (table.content != TableContent::kScores) out += ": " + table.title;
  if (!cells.empty() && table.metrics.front().percent) out += ", test scores in %";
  out += fmt::format(", mean ± std; runs: {} from seed {}{}", trained.runs, trained.seed,
                     trained.redrawn ? ", splits drawn anew" : "");
  if (has_paper(cells)) out += ", the paper: 10";
  if (!table.compare.empty())
    out +=
        fmt::format(", difference: {} less the row, run by run, ± standard error", table.compare);
  return out + "\n\n";
}

std::string markdown_heading(const TrainedTable& trained, const std::vector<TableCell>& cells) {
  const PaperTable& table = *trained.table;
  std::string out = fmt::format("**{}** ({}): {}.", table.title, table.name, table.caption);
  const auto any = [&](const auto& is) { return std::any_of(cells.begin(), cells.end(), is); };
  out += fmt::format(" emgnn: mean ± std of {}.", runs_text(trained));
  if (has_paper(cells)) out += " In brackets the paper's, and by how much emgnn differs.";
  if (any([](const TableCell& cell) { return cell.difference.has_value(); }))
    out +=
        fmt::format(" In brackets {} less the row, run by run, ± standard error.", table.compare);
  if (any([](const TableCell& cell) { return cell.place > 0; }))
    out += " **Best** and *second best* of the rows that were trained.";
  return out + "\n\n";
}

// What a table holds in each form, by its content.
struct Forms {
  std::string text, markdown, csv;
  const char* key;
  Json json;
  std::vector<Chart> charts;
};

Forms forms_of(const TrainedTable& trained, const std::vector<TableCell>& cells, bool charts) {
  const PaperTable& table = *trained.table;
  std::vector<TrainedCell> learned = trained.cells;
  std::erase_if(learned, has_failed);
  if (table.content == TableContent::kDistribution) {
    const Table summary = distribution_summary(learned);
    return {to_text(summary),
            to_markdown(summary),
            to_csv(distribution_values(learned)),
            "distributions",
            distribution_json(learned),
            charts ? distribution_table_charts(learned) : std::vector<Chart>()};
  }
  if (table.content == TableContent::kNormalizer) {
    const Table matrix = normalizer_matrix(learned);
    return {to_text(matrix),
            to_markdown(matrix),
            to_csv(normalizer_values(learned)),
            "rounds",
            normalizer_json(learned),
            charts ? normalizer_charts(learned) : std::vector<Chart>()};
  }
  return {to_text(cells),   score_markdown(table, cells),
          score_csv(cells), "cells",
          to_json(cells),   charts ? score_charts(table, cells) : std::vector<Chart>()};
}

std::string json_text(const TrainedTable& trained, const Forms& forms) {
  Json out = {{"table", trained.table->name},
              {"runs", trained.runs},
              {"seed", trained.seed},
              {"redrawn", trained.redrawn}};
  out[forms.key] = forms.json;
  out["version"] = version();
  return out.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace

TableForm table_form(const std::string& word) {
  for (const auto& [name, form] : kForms)
    if (word == name) return form;
  throw UsageError(
      fmt::format("--format: expected text, markdown, csv, json or svg, found \"{}\"", word));
}

std::string write_table(const TrainedTable& trained, TableForm form) {
  const PaperTable& table = *trained.table;
  const std::vector<TableCell> cells =
      table.content == TableContent::kScores ? score_cells(trained) : std::vector<TableCell>();
  const Forms forms = forms_of(trained, cells, form == TableForm::kSvg);
  switch (form) {
    case TableForm::kText:
      return text_heading(trained, cells) + forms.text;
    case TableForm::kMarkdown:
      return markdown_heading(trained, cells) + forms.markdown;
    case TableForm::kCsv:
      return forms.csv;
    case TableForm::kJson:
      return json_text(trained, forms);
    case TableForm::kSvg:
      return svg_file(fmt::format("{}; {}", table.title, runs_text(trained)), forms.charts,
                      table.is_curve() ? 2 : 3);
  }
  throw InternalError("a form that is not known");
}

}  // namespace emgnn
