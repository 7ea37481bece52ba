// SPDX-License-Identifier: Apache-2.0
// emgnn train: trains a method on a dataset and scores it on the test nodes or molecules.
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>

#include <emgnn/base/error.h>
#include <emgnn/cli/commands.h>
#include <emgnn/cli/interrupt.h>
#include <emgnn/cli/output.h>
#include <emgnn/cli/progress.h>
#include <emgnn/cli/run_request.h>
#include <emgnn/cli/train_request.h>
#include <emgnn/methods/catalogue.h>
#include <emgnn/report/results_table.h>
#include <emgnn/run/presets.h>
#include <emgnn/run/services.h>
#include <emgnn/run/setting_names.h>
#include <emgnn/run/stored_request.h>

namespace emgnn::cli {

namespace {

namespace fs = std::filesystem;

struct TrainArguments {
  ConfigArguments config;
  RunArguments run;
  bool help_config = false, hide_test = false, rank_graphs = false, all_edges = false;
  std::string resume;
  double checkpoint_every = kCheckpointPeriod.count();
};

constexpr const char* kExamples = R"(
Examples:
  emgnn train --dataset noisy-relations --method em-gcn --runs 3
      three seeds, a table of scores and the learned distribution over graphs
  emgnn train --dataset noisy-relations --method gcn --json --quiet
      the plain network, one JSON object on standard output
  emgnn train --dataset noisy-relations --method em-gcn --set em.variant=po --set em.rounds=20 --out runs/po
      other settings; keep weights, predictions and metrics
  emgnn train --resume runs/po
      continues that run after Ctrl-C or a crash, to the same results as without it
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

Results train(RunRequest request, const TrainArguments& arguments, const Invocation& invocation) {
  const std::string dataset = fs::path(request.config.dataset).filename().string();
  request.rescue = rescue_folder(fmt::format("emgnn-{}-{}", dataset, request.config.method));
  request.checkpoint_period = std::chrono::duration<double>(arguments.checkpoint_every);
  catch_interrupts();
  Progress progress(request.runs, arguments.run.quiet);
  try {
    return services().fit(request, progress);
  } catch (const Interrupted& stop) {
    throw with_way_on(
        stop, arguments.run, request.rescue,
        {.invocation = invocation.whole, .resume = invocation.program + " train --resume"});
  }
}

void help_config(TrainArguments arguments) {
  ConfigArguments& config = arguments.config;
  complete(config);
  if (config.method.empty()) config.method = "em-gcn";
  if (config.dataset.empty()) config.dataset = "noisy-relations";
  const ConfigRequest request = config_of(config);
  check_setting_names(request);
  print(config_help(services().resolve(request)));
}

RunRequest new_request(TrainArguments& arguments) {
  complete(arguments.config);
  check(arguments.config, "train");
  check(arguments.run);
  RunRequest request = make_request(config_of(arguments.config), arguments.run);
  request.hide_test = arguments.hide_test;
  request.rank_graphs = arguments.rank_graphs;
  request.all_edges = arguments.all_edges;
  return request;
}

// What the command line may say beside the folder: where the data is now, and how to run.
RunRequest resumed_request(TrainArguments& arguments) {
  arguments.run.out = arguments.resume;
  StoredRequest stored = stored_request(arguments.resume);
  check(arguments.run);
  check_setting_names(stored.request.config);
  if (stored.finished && !arguments.run.quiet)
    fmt::print(stderr, "emgnn: {}: already finished; these are its results\n", arguments.resume);
  if (!arguments.run.data_dir.empty()) stored.request.data_dir = arguments.run.data_dir;
  stored.request.context = make_context(arguments.run.threads, arguments.run.device);
  return std::move(stored.request);
}

void run(TrainArguments arguments, const Invocation& invocation) {
  if (arguments.help_config) return help_config(arguments);
  RunRequest request =
      arguments.resume.empty() ? new_request(arguments) : resumed_request(arguments);
  const Results results = train(std::move(request), arguments, invocation);
  if (arguments.run.json) return print(json_line(to_json(results)));
  print(results_table(results));
  if (!arguments.run.out.empty()) print(fmt::format("\nresults in {}\n", arguments.run.out));
}

}  // namespace

void add_train(CLI::App& program, const Invocation& invocation) {
  CLI::App* train = program.add_subcommand(
      "train", "Train a method on a dataset and score it on the test nodes or molecules");
  const auto arguments = std::make_shared<TrainArguments>();
  add_config_options(*train, arguments->config);
  add_run_options(*train, arguments->run);
  train->add_flag("--hide-test", arguments->hide_test,
                  "Neither compute nor keep test scores: for choosing settings on validation data");
  train->add_flag(
      "--rank-graphs", arguments->rank_graphs,
      "Also test each graph of the distribution alone: do the graphs that training prefers "
      "predict best?");
  train->add_flag(
      "--all-edges", arguments->all_edges,
      "Write every edge into edges.csv; else the 100000 that are doubted or wanted most");
  CLI::Option* resume =
      train
          ->add_option("--resume", arguments->resume,
                       "Continue the run in this folder, with the data, method and settings that "
                       "it was begun with")
          ->type_name("RUN_DIR")
          ->check(not_empty);
  train
      ->add_option("--checkpoint-every", arguments->checkpoint_every,
                   "Seconds of training between checkpoints, 60 at most")
      ->type_name("SECONDS")
      ->check(CLI::Range(0.0, 60.0))
      ->capture_default_str();
  train->add_flag("--help-config", arguments->help_config, "List every setting and exit");
  // The folder says these.
  for (const char* option :
       {"--dataset", "--method", "--set", "--config", "--preset", "--runs", "--out", "--seed",
        "--hide-test", "--rank-graphs", "--all-edges", "--help-config"})
    resume->excludes(train->get_option(option));
  train->footer(footer());
  train->callback([arguments, invocation] { run(*arguments, invocation); });
}

}  // namespace emgnn::cli
