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
#include <emgnn/data/registry.h>
#include <emgnn/em/experiment.h>

namespace emgnn::cli {

namespace {

namespace fs = std::filesystem;

struct TrainArguments {
  std::string dataset, method, config_file, device = "cpu";
  std::vector<std::string> settings;
  RunArguments run;
  bool help_config = false;
};

constexpr const char* kExamples = R"(
Examples:
  emgnn train --dataset noisy-relations --method em-gcn --runs 3
      three seeds, a table of scores and the learned distribution over graphs
  emgnn train --dataset noisy-relations --method gcn --json --quiet
      the plain network, one JSON object on standard output
  emgnn train --dataset noisy-relations --method em-gcn --set em.variant=po --set em.rounds=20 --out runs/po
      other settings; keep weights, predictions and metrics. The same command again goes on after Ctrl-C.
  emgnn train --dataset mine.csv --set data.smiles=SMILES --set data.target=pIC50 --method em-gcn-star --out runs/mine
      molecules of a CSV or SDF file; emgnn predict --run runs/mine then predicts others
  emgnn train --help-config --method em-gcn --dataset noisy-relations
      every setting with its meaning and its value for this method and dataset

Exit status: 0 done, 2 bad usage or configuration, 3 bad data, 4 interrupted (a checkpoint was left), 1 other errors.
)";

std::string footer() {
  std::string out = "Methods:\n";
  for (const MethodInfo& method : methods())
    out += fmt::format("  {:11}  {}\n", method.name, method.summary);
  return out + "\nDatasets: see emgnn data list\n" + kExamples;
}

void check_device(const std::string& device) {
  if (device == "cpu") return;
  if (device == "cuda" || device.starts_with("cuda:")) {
    throw UsageError(fmt::format("--device {}: this build has no CUDA; use --device cpu", device));
  }
  throw UsageError(fmt::format("--device: expected cpu, cuda or cuda:INDEX, got \"{}\"", device));
}

RunConfig resolve_config(const TrainArguments& arguments) {
  RunConfig config = default_config(arguments.method, arguments.dataset);
  if (!arguments.config_file.empty()) {
    std::string text;
    try {
      text = read_file(arguments.config_file);
    } catch (const DataError& error) {
      throw UsageError(fmt::format("--config: {}", error.what()));
    }
    read_toml(config, text, arguments.config_file);
  }
  for (const std::string& setting : arguments.settings) set(config, setting);
  return config;
}

void check(const TrainArguments& arguments) {
  if (arguments.dataset.empty()) throw UsageError("--dataset is required; see emgnn train --help");
  if (arguments.method.empty()) throw UsageError("--method is required; see emgnn train --help");
  check(arguments.run);
  check_device(arguments.device);
}

// What was inferred of a user's own graph.
void show_notes(const TrainArguments& arguments) {
  if (arguments.run.quiet || !is_own_graph(arguments.dataset)) return;
  const ParsedDataset parsed = parse_dataset({.name = arguments.dataset});
  for (const std::string& note : parsed.notes)
    fmt::print(stderr, "{}: {}\n", parsed.dataset.name, note);
}

Results train(RunRequest request, const TrainArguments& arguments, const std::string& invocation) {
  const std::string dataset = fs::path(arguments.dataset).filename().string();
  request.rescue = rescue_folder(fmt::format("emgnn-{}-{}", dataset, arguments.method));
  catch_interrupts();
  Progress progress(request.runs, arguments.run.quiet);
  try {
    return train_runs(request, progress);
  } catch (const Interrupted& stop) {
    throw with_way_on(stop, arguments.run, request.rescue, invocation);
  }
}

void run(const TrainArguments& arguments, const std::string& invocation) {
  if (arguments.help_config) {
    const std::string method = arguments.method.empty() ? "em-gcn" : arguments.method;
    return print(config_help(default_config(method, arguments.dataset)));
  }
  check(arguments);
  const RunConfig config = resolve_config(arguments);
  set_num_threads(static_cast<int>(arguments.run.threads));
  show_notes(arguments);
  const Results results =
      train(make_request(arguments.dataset, arguments.method, config, arguments.run), arguments,
            invocation);
  if (arguments.run.json) return print(to_json(results).dump() + "\n");
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
  train->add_option("--config", arguments->config_file, "Read settings from a TOML file")
      ->type_name("F.toml")
      ->check(not_empty);
  train->add_option("--device", arguments->device, "cpu, cuda or cuda:INDEX")
      ->type_name("DEVICE")
      ->capture_default_str();
  train->add_flag("--help-config", arguments->help_config, "List every setting and exit");
  train->footer(footer());
  train->callback([arguments, invocation] { run(*arguments, invocation); });
}

}  // namespace emgnn::cli
