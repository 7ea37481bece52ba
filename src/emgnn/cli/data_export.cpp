// SPDX-License-Identifier: Apache-2.0
// emgnn data export: a dataset as a directory of plain files, with one of its splits.
#include <memory>

#include <emgnn/base/error.h>
#include <emgnn/cli/data_commands.h>
#include <emgnn/cli/interrupt.h>
#include <emgnn/cli/output.h>
#include <emgnn/cli/progress.h>
#include <emgnn/cli/run_request.h>
#include <emgnn/data/own_graph.h>
#include <emgnn/data/registry.h>

namespace emgnn::cli {

namespace {

namespace fs = std::filesystem;

struct ExportArguments {
  std::string name, data_dir, split, out;
  int64_t seed = 0;
  bool quiet = false;
};

void export_graph(const ExportArguments& arguments) {
  check_known(arguments.name);
  if (is_molecule_table(arguments.name))
    throw UsageError(fmt::format("data export: {} is a table of molecules, which is plain already",
                                 arguments.name));
  const DatasetRequest request{.name = arguments.name,
                               .data_dir = arguments.data_dir,
                               .split = arguments.split,
                               .seed = static_cast<uint64_t>(arguments.seed)};
  catch_interrupts();
  const Context::Scope scope{listening_context()};
  Progress progress(1, arguments.quiet);
  progress.on_phase({"reading " + arguments.name});
  ParsedDataset parsed = parse_dataset(request);
  parsed.splits = {{arguments.split, load_dataset(request).split}};
  stop_if_interrupted();
  progress.on_phase({"writing " + arguments.out, true});
  write_own_graph(parsed, fs::path(arguments.out).lexically_normal());
  print(fmt::format("written to {}\n", arguments.out));
}

}  // namespace

void add_data_export(CLI::App& data) {
  CLI::App* command = data.add_subcommand(
      "export", "Write a graph as a directory of plain files, as import makes them");
  const auto arguments = std::make_shared<ExportArguments>();
  command->add_option("name", arguments->name, "Name of a dataset, or a directory")
      ->type_name("NAME|DIR")
      ->required();
  command->add_option("--split", arguments->split, "Which split the column split holds")
      ->type_name("SPLIT");
  command->add_option("--seed", arguments->seed, "Seed of a split that is drawn")
      ->type_name("S")
      ->check(whole_number)
      ->capture_default_str();
  add_data_dir(*command, arguments->data_dir);
  command->add_option("--out", arguments->out, "The directory to make; it must not exist")
      ->type_name("DIR")
      ->check(not_empty)
      ->required();
  command->add_flag("--quiet", arguments->quiet, "No progress on stderr");
  command->callback([arguments] { export_graph(*arguments); });
}

}  // namespace emgnn::cli
