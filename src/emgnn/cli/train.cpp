// SPDX-License-Identifier: Apache-2.0
// emgnn train: trains a method on a dataset and scores it on the test nodes or molecules.
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>

#include <emgnn/base/error.h>
#include <emgnn/base/file.h>
#include <emgnn/cli/commands.h>
#include <emgnn/cli/interrupt.h>
#include <emgnn/cli/output.h>
#include <emgnn/cli/progress.h>
#include <emgnn/cli/run_request.h>
#include <emgnn/methods/catalogue.h>
#include <emgnn/report/results_table.h>
#include <emgnn/run/config_text.h>
#include <emgnn/run/presets.h>
#include <emgnn/run/services.h>
#include <emgnn/run/setting_names.h>

namespace emgnn::cli {

namespace {

namespace fs = std::filesystem;

struct TrainArguments {
  std::string dataset, method, config_file, preset;
  std::vector<std::string> settings;
  RunArguments run;
  bool help_config = false, hide_test = false, rank_graphs = false, all_edges = false;
};

constexpr const char* kExamples = R"(
Examples:
  emgnn train --dataset noisy-relations --method em-gcn --runs 3
      three seeds, a table of scores and the learned distribution over graphs
  emgnn train --dataset noisy-relations --method gcn --json --quiet
      the plain network, one JSON object on standard output
  emgnn train --dataset noisy-relations --method em-gcn --set em.variant=po --set em.rounds=20 --out runs/po
      other settings; keep weights, predictions and metrics. The same command again resumes after Ctrl-C.
  emgnn train --dataset mine.csv --set data.smiles=SMILES --set data.target=pIC50 --method em-gcn-star --out runs/mine
      molecules of a CSV or SDF file; emgnn predict --run runs/mine then predicts others
  emgnn train --help-config --method em-gcn --dataset noisy-relations
      every setting with its meaning, its value for this method and dataset, and where that comes from

Exit status: 0 done, 2 bad usage or configuration, 3 bad data, 4 interrupted (a checkpoint was left), 1 other errors.
)";

std::string footer() {
  std::string out = "Methods:\n";
  for (const MethodInfo& method : methods())
    out += fmt::format("  {:17}  {}\n", method.name, method.summary);
  out += "\nPresets:\n";
  for (const Preset& preset : presets())
    out += fmt::format("  {:17}  {}\n", preset.name, preset.summary);
  return out + "\nDatasets: see emgnn data list\n" + kExamples;
}

std::string read_config(const std::string& file) {
  try {
    return read_file(file);
  } catch (const DataError& error) {
    throw UsageError(fmt::format("--config: {}", error.what()));
  }
}

// What the command line leaves open comes from the configuration of a run.
void complete(TrainArguments& arguments) {
  if (arguments.config_file.empty()) return;
  const auto run = stored_run(read_config(arguments.config_file), arguments.config_file);
  if (!run) return;
  if (arguments.dataset.empty()) arguments.dataset = run->dataset;
  if (arguments.method.empty()) arguments.method = run->method;
}

ConfigRequest config_of(const TrainArguments& arguments) {
  ConfigRequest request{.dataset = arguments.dataset, .method = arguments.method, .layers = {}};
  if (!arguments.config_file.empty()) {
    request.layers.push_back({.name = arguments.config_file,
                              .toml = read_config(arguments.config_file),
                              .assignments = {}});
  }
  request.layers.push_back({.name = "--set", .toml = "", .assignments = arguments.settings});
  if (!arguments.preset.empty())
    request.layers.push_back(
        {.name = "--preset", .toml = "", .assignments = {"preset=" + arguments.preset}});
  return request;
}

void check(const TrainArguments& arguments) {
  if (arguments.dataset.empty()) throw UsageError("--dataset is required; see emgnn train --help");
  if (arguments.method.empty()) throw UsageError("--method is required; see emgnn train --help");
  check(arguments.run);
}

Results train(RunRequest request, const TrainArguments& arguments, const std::string& invocation) {
  const std::string dataset = fs::path(arguments.dataset).filename().string();
  request.rescue = rescue_folder(fmt::format("emgnn-{}-{}", dataset, arguments.method));
  catch_interrupts();
  Progress progress(request.runs, arguments.run.quiet);
  try {
    return services().fit(request, progress);
  } catch (const Interrupted& stop) {
    throw with_way_on(stop, arguments.run, request.rescue, invocation);
  }
}

void help_config(TrainArguments arguments) {
  complete(arguments);
  if (arguments.method.empty()) arguments.method = "em-gcn";
  if (arguments.dataset.empty()) arguments.dataset = "noisy-relations";
  const ConfigRequest request = config_of(arguments);
  check_setting_names(request);
  print(config_help(services().resolve(request)));
}

void run(TrainArguments arguments, const std::string& invocation) {
  if (arguments.help_config) return help_config(arguments);
  complete(arguments);
  check(arguments);
  RunRequest request = make_request(config_of(arguments), arguments.run);
  request.hide_test = arguments.hide_test;
  request.rank_graphs = arguments.rank_graphs;
  request.all_edges = arguments.all_edges;
  const Results results = train(std::move(request), arguments, invocation);
  if (arguments.run.json) return print(json_line(to_json(results)));
  print(results_table(results));
  if (!arguments.run.out.empty()) print(fmt::format("\nresults in {}\n", arguments.run.out));
}

}  // namespace

void add_train(CLI::App& program, const std::string& invocation) {
  CLI::App* train = program.add_subcommand(
      "train", "Train a method on a dataset and score it on the test nodes or molecules");
  const auto arguments = std::make_shared<TrainArguments>();
  train
      ->add_option("--dataset", arguments->dataset,
                   "Name of a dataset, a directory, or a file of molecules")
      ->type_name("NAME|DIR|FILE");
  train->add_option("--method", arguments->method, "What to train; see below")->type_name("METHOD");
  add_run_options(*train, arguments->run);
  train->add_option("--set", arguments->settings, "Change one setting; repeatable, after --config")
      ->type_name("KEY=VALUE")
      ->expected(1)
      ->take_all();
  train
      ->add_option(
          "--config", arguments->config_file,
          "Read settings from a TOML file; config.toml of a run also names its dataset and method")
      ->type_name("F.toml")
      ->check(not_empty);
  train
      ->add_option(
          "--preset", arguments->preset,
          "Shipped settings for such data: none, auto (the default of own graphs) or a preset, see "
          "below")
      ->type_name("PRESET")
      ->check(not_empty);
  train->add_flag("--hide-test", arguments->hide_test,
                  "Neither compute nor keep test scores: for choosing settings on validation data");
  train->add_flag(
      "--rank-graphs", arguments->rank_graphs,
      "Also test each graph of the distribution alone: do the graphs that training prefers "
      "predict best?");
  train->add_flag(
      "--all-edges", arguments->all_edges,
      "Write every edge into edges.csv; else the 100000 that are doubted or wanted most");
  train->add_flag("--help-config", arguments->help_config, "List every setting and exit");
  train->footer(footer());
  train->callback([arguments, invocation] { run(*arguments, invocation); });
}

}  // namespace emgnn::cli
