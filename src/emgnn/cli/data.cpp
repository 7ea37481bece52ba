// SPDX-License-Identifier: Apache-2.0
// emgnn data: what datasets there are, and whether their files are in order.
#include <algorithm>
#include <filesystem>
#include <memory>

#include <emgnn/base/error.h>
#include <emgnn/cli/commands.h>
#include <emgnn/cli/data_commands.h>
#include <emgnn/cli/interrupt.h>
#include <emgnn/cli/output.h>
#include <emgnn/cli/progress.h>
#include <emgnn/data/registry.h>
#include <emgnn/data/verify.h>

namespace emgnn::cli {

namespace {

namespace fs = std::filesystem;

constexpr const char* kExamples = R"(
Examples:
  emgnn data info cora --split labels-per-class:5
  emgnn data fetch texas
  emgnn data import --nodes people.csv --edges calls.csv --id-column name --out my-graph
  emgnn data info my-graph
  emgnn data export cora --split labels-per-class:5 --out cora-5
)";

void list() {
  const std::vector<DatasetInfo> infos = list_datasets();
  size_t name_width = 0, kind_width = 0;
  for (const DatasetInfo& info : infos) {
    name_width = std::max(name_width, info.name.size());
    kind_width = std::max(kind_width, info.kind.size());
  }
  std::string out;
  for (const DatasetInfo& info : infos) {
    out += fmt::format("{:{}}  {:{}}  {}\n", info.name, name_width, info.kind, kind_width,
                       info.summary);
  }
  print(out);
}

struct VerifyArguments {
  std::string data_dir;
  bool quiet = false;
};

void verify(const VerifyArguments& arguments) {
  const std::string& data_dir = arguments.data_dir;
  const fs::path directory = data_dir.empty() ? default_data_dir() : fs::path(data_dir);
  std::error_code error;  // what cannot be looked at is none
  if (!fs::is_directory(directory, error))
    throw DataError(fmt::format("{}: no such directory", directory.string()));
  catch_interrupts();
  Progress progress(1, arguments.quiet);
  const std::vector<VerifyRow> rows = verify_data(directory, [&](const std::string& name) {
    stop_if_interrupted();
    progress.on_phase({"checking " + name});
  });
  stop_if_interrupted();
  size_t width = 0;
  for (const VerifyRow& row : rows) width = std::max(width, row.name.size());
  std::string out;
  int64_t damaged = 0;
  for (const VerifyRow& row : rows) {
    out += fmt::format("{:{}}  {:10}  {}\n", row.name, width, name_of(row.status), row.detail);
    damaged += row.status == VerifyStatus::kDamaged ? 1 : 0;
  }
  print(out);
  // A dataset that is not there, or not all of it, is no fault of what is.
  if (damaged > 0) throw DataError(fmt::format("{}: {} damaged", directory.string(), damaged));
}

}  // namespace

void add_data_dir(CLI::App& command, std::string& data_dir) {
  command
      .add_option("--data-dir", data_dir,
                  "Where datasets are; default $EMGNN_DATA, else the user's cache")
      ->type_name("DIR");
}

void add_data(CLI::App& program, const std::string& invocation) {
  CLI::App* data =
      program.add_subcommand("data", "Datasets: list, describe, download, import, export, check");
  data->require_subcommand(1);
  data->footer(kExamples);
  data->add_subcommand("list", "The names that --dataset accepts")->callback(list);
  add_data_info(*data);
  add_data_fetch(*data, invocation);
  add_data_import(*data);
  add_data_export(*data);
  CLI::App* check = data->add_subcommand(
      "verify", "Compare checksums and counts of all files with the published ones");
  const auto arguments = std::make_shared<VerifyArguments>();
  add_data_dir(*check, arguments->data_dir);
  check->add_flag("--quiet", arguments->quiet, "No progress on stderr");
  check->callback([arguments] { verify(*arguments); });
}

}  // namespace emgnn::cli
