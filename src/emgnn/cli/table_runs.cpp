// SPDX-License-Identifier: Apache-2.0
#include <emgnn/cli/table_runs.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <map>

#include <emgnn/base/error.h>
#include <emgnn/cli/child_processes.h>
#include <emgnn/cli/interrupt.h>
#include <emgnn/cli/progress.h>
#include <emgnn/cli/table_progress.h>
#include <emgnn/data/registry.h>
#include <emgnn/run/load.h>
#include <emgnn/run/same_run.h>
#include <emgnn/run/services.h>
#include <emgnn/run/stored_results.h>

namespace emgnn::cli {

namespace {

namespace fs = std::filesystem;

// The command as a whole ends within two seconds of Ctrl-C.
constexpr std::chrono::milliseconds kPatience{1700};

// Above it are ends by signals.
constexpr int kLargestExitStatus = 128;

ConfigRequest config_of(const PaperTable& table, const PaperRow& row, const PaperColumn& column,
                        bool redraw) {
  CellSettings settings = cell_settings(table, row, column, redraw);
  return {.dataset = column.dataset,
          .method = row.method,
          .layers = {{"column " + column.name, "", std::move(settings.column)},
                     {"row " + row.name, "", std::move(settings.row)}}};
}

void check_redraw(const PaperTable& table, const std::vector<const PaperColumn*>& columns) {
  if (std::any_of(columns.begin(), columns.end(),
                  [](const PaperColumn* column) { return !column->redraw.empty(); }))
    return;
  throw UsageError(fmt::format("--redraw: no column of {} has a split to draw anew", table.name));
}

std::string name_of(const CellRuns& cell) {
  return fmt::format("{} on {}", cell.row->name, cell.column->name);
}

// It would end in the same way in other cells.
bool is_fatal(const ChildEnd& end) { return end.status == 2 || end.status == 3; }

// Makes the runs that are missing.
class TableRuns {
 public:
  TableRuns(const PaperTable& table, const TableArguments& arguments)
      : table_(table),
        arguments_(arguments),
        rescue_(rescue_folder("emgnn-reproduce-" + table.name)) {
    const int64_t threads = arguments.run.threads;
    jobs_ = arguments.jobs.value_or(measures_time(table) ? 1 : threads);
    EMGNN_CHECK(jobs_ >= 1 && jobs_ <= threads, "--jobs must be 1 to the number of --threads",
                jobs_);
    if (jobs_ > 1 && measures_time(table))
      throw UsageError(fmt::format(
          "--jobs: {} measures time, which other work beside it would change; one at a time",
          table.name));
    plan();
  }

  const fs::path& rescue() const { return rescue_; }

  TableRunsOutcome run() {
    read_stored();
    std::vector<CellRuns*> missing;
    for (CellRuns& cell : cells_)
      if (!cell.is_choice() && !cell.results) missing.push_back(&cell);
    std::string failure;
    if (!missing.empty() && cells_.size() == 1) {
      train_here(*missing.front());
    } else if (!missing.empty()) {
      failure = train_in_processes(missing);
    }
    return {std::move(cells_), std::move(failure)};
  }

 private:
  void plan() {
    const std::vector<const PaperColumn*> columns = select_columns(table_, arguments_.columns);
    if (arguments_.redraw) check_redraw(table_, columns);
    for (const PaperRow* row : select_rows(table_, arguments_.rows)) {
      for (const PaperColumn* column : columns) {
        if (!has_cell(table_, *row, *column)) continue;
        CellRuns& cell = cells_.emplace_back(CellRuns{row, column, {}, {}});
        if (cell.is_choice()) continue;
        cell.request =
            make_request(config_of(table_, *row, *column, arguments_.redraw), arguments_.run);
        cell.request.rank_graphs = has_metric(table_, "graph_rank");
        if (cell.request.out) *cell.request.out /= folder_of(cell);
        // Also of one run, so that more can follow; earlier versions kept that one without.
        cell.request.seed_folders = !cell.request.out || !holds_single_run(*cell.request.out);
        cell.request.rescue = rescue_ / folder_of(cell);
      }
    }
    if (cells_.empty())
      throw UsageError(fmt::format("none of these rows of {} is in these columns", table_.name));
  }

  static fs::path folder_of(const CellRuns& cell) {
    return fs::path(cell.row->name) / cell.column->name;
  }

  // A bad setting shows here, before hours of training.
  void read_stored() {
    for (CellRuns& cell : cells_) {
      if (cell.is_choice()) continue;
      std::map<std::string, std::string> values;
      for (const ConfigEntry& entry : services().resolve(cell.request.config))
        values[entry.key] = entry.value;
      cell.results = stored_results(cell.request, values);
    }
  }

  void train_here(CellRuns& cell) {
    if (!arguments_.run.quiet) fmt::print(stderr, "cell 1 of 1: {}\n", name_of(cell));
    Progress progress(cell.request.runs, arguments_.run.quiet, /*holds_work=*/false);
    cell.results = services().fit(cell.request, progress);
  }

  // A missing file likewise.
  void check_data(const std::vector<CellRuns*>& cells) const {
    Progress progress(1, arguments_.run.quiet);
    std::vector<std::string> seen;
    for (const CellRuns* cell : cells) {
      const std::string& dataset = cell->column->dataset;
      if (std::find(seen.begin(), seen.end(), dataset) != seen.end()) continue;
      seen.push_back(dataset);
      if (dataset_info(dataset).files.empty()) continue;  // generated
      DataOptions options;
      options.molecules.conformers.count = 0;
      DataSource source(
          {.dataset = dataset, .data_dir = cell->request.data_dir, .options = options});
      source.load(
          0, [&](const MoleculeProgress& molecules) { return progress.on_molecule(molecules); });
    }
  }

  std::vector<std::string> command(const CellRuns& cell, const fs::path& out,
                                   int64_t at_a_time) const {
    const RunArguments& run = arguments_.run;
    std::vector<std::string> words = {"reproduce", table_.name,
                                      "--rows",    cell.row->name,
                                      "--columns", cell.column->name,
                                      "--runs",    std::to_string(run.runs),
                                      "--seed",    std::to_string(run.seed),
                                      "--device",  run.device,
                                      "--out",     out.string(),
                                      "--quiet"};
    if (arguments_.redraw) words.emplace_back("--redraw");
    if (!run.data_dir.empty()) words.insert(words.end(), {"--data-dir", run.data_dir});
    const std::vector<std::string> shared = shared_options(run.threads, at_a_time);
    words.insert(words.end(), shared.begin(), shared.end());
    return words;
  }

  // Why the first one failed that did; empty: none did.
  std::string train_in_processes(const std::vector<CellRuns*>& missing) {
    check_data(missing);
    const bool kept = !arguments_.run.out.empty();
    const fs::path out = kept ? fs::path(arguments_.run.out) : rescue_;
    const int64_t at_a_time = std::min<int64_t>(
        jobs_within_memory(jobs_, arguments_.jobs.value_or(1)), std::ssize(missing));
    std::vector<ChildCommand> commands;
    std::vector<TableProgress::Series> series;
    for (CellRuns* cell : missing) {
      cell->request.out = out / folder_of(*cell);
      make_folder(out / cell->row->name);
      commands.push_back({command(*cell, out, at_a_time), cell->request.out->string() + ".log"});
      series.push_back({cell->row->name, cell->column->name, cell->request});
    }
    std::optional<ChildEnd> failed = run_processes(missing, commands, series, at_a_time);
    const bool fatal = failed && is_fatal(*failed);
    if (!fatal) read_stored();
    const std::string left = kept ? "" : left_in_rescue(missing, failed.has_value());
    if (!failed) return "";
    const std::string name = name_of(*missing[failed->number]);
    if (!fatal) return failure_text(*failed, name) + left;
    failed->message += left;
    throw_failure(*failed, name);
  }

  // Says where the runs of a table that is not kept are, unless all were shown.
  std::string left_in_rescue(const std::vector<CellRuns*>& cells, bool failed) const {
    const bool any = std::any_of(cells.begin(), cells.end(), [](const CellRuns* cell) {
      return num_finished(cell->request) > 0 || holds_checkpoint(*cell->request.out);
    });
    if (failed && any)
      return fmt::format("; what was trained is in {}, see --out", rescue_.string());
    std::error_code ignored;
    fs::remove_all(rescue_, ignored);
    return "";
  }

  static bool holds_checkpoint(const fs::path& folder) {
    std::error_code ignored;
    for (const auto& entry : fs::recursive_directory_iterator(folder, ignored))
      if (entry.path().filename() == kCheckpointFolder) return true;
    return false;
  }

  static void make_folder(const fs::path& folder) {
    std::error_code error;
    fs::create_directories(folder, error);
    if (error)
      throw UsageError(
          fmt::format("{}: cannot create the folder: {}", folder.string(), error.message()));
  }

  // What is wrong with a setting or the data ends all; other cells go on where one runs out of memory.
  // The failure that counts, if there is one.
  std::optional<ChildEnd> run_processes(const std::vector<CellRuns*>& missing,
                                        const std::vector<ChildCommand>& commands,
                                        const std::vector<TableProgress::Series>& series,
                                        int64_t at_a_time) const {
    TableProgress progress(series, at_a_time, arguments_.run.quiet);
    std::optional<ChildEnd> failed;
    bool stopped = false;  // those that still run were asked to end
    int64_t done = 0;
    const auto on_end = [&](const ChildEnd& end) {
      const std::string name = name_of(*missing[end.number]);
      const bool fatal = is_fatal(end);
      stopped = stopped || interrupt_requested();
      const bool obeyed =
          stopped && (end.status == kExitInterrupted || end.status > kLargestExitStatus);
      std::error_code ignored;
      if (end.status == 0 || obeyed) fs::remove(commands[end.number].log, ignored);
      if (end.status == 0) {
        progress.say(fmt::format("cell {} of {} done: {}", ++done, missing.size(), name));
      } else if (!obeyed) {
        if (!fatal) progress.say(fmt::format("{} failed: {}", name, end.message));
        if (!failed || (fatal && !stopped)) failed = end;
        stopped = stopped || fatal;
      }
      return !fatal;
    };
    run_children(commands, at_a_time,
                 {.on_end = on_end, .on_look = [&] { progress.look(); }, .patience = kPatience});
    return failed;
  }

  const PaperTable& table_;
  const TableArguments& arguments_;
  fs::path rescue_;
  int64_t jobs_ = 1;
  std::vector<CellRuns> cells_;
};

}  // namespace

TableRunsOutcome run_table(const PaperTable& table, const TableArguments& arguments,
                           const std::string& invocation) {
  check(arguments.run);
  TableRuns runs(table, arguments);
  catch_interrupts();
  try {
    return runs.run();
  } catch (const Interrupted& stop) {
    std::error_code ignored;
    if (!holds_files(runs.rescue())) std::filesystem::remove_all(runs.rescue(), ignored);
    throw with_way_on(stop, arguments.run, runs.rescue(), {.invocation = invocation, .resume = ""});
  }
}

}  // namespace emgnn::cli
