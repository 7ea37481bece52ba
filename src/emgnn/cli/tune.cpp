// SPDX-License-Identifier: Apache-2.0
// emgnn tune: searches settings by validation scores; test scores are never computed.
#include <algorithm>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>

#include <emgnn/base/error.h>
#include <emgnn/base/file.h>
#include <emgnn/base/version.h>
#include <emgnn/cli/child_processes.h>
#include <emgnn/cli/commands.h>
#include <emgnn/cli/interrupt.h>
#include <emgnn/cli/output.h>
#include <emgnn/cli/run_request.h>
#include <emgnn/run/services.h>
#include <emgnn/run/setting_names.h>
#include <emgnn/run/tune.h>

namespace emgnn::cli {

namespace {

namespace fs = std::filesystem;

struct TuneArguments {
  TuneRequest request;
  std::string config_file, preset;
  std::vector<std::string> settings;
  int64_t jobs = 1;
  RunArguments run;
};

constexpr int64_t kRowsShown = 10;

constexpr const char* kExamples = R"(
The file of --space has lists and ranges:
  [model]
  hidden = [16, 64, 256]
  dropout = { from = 0.0, to = 0.8, steps = 5 }           # steps: for --search grid
  [optim]
  learning_rate = { from = 0.001, to = 0.1, log = true }

Examples:
  emgnn tune --dataset my-graph --method gcn --space space.toml --trials 30 --jobs 4 --out search
      30 random trials, four at a time; the same command again resumes after Ctrl-C
  emgnn train --dataset my-graph --method gcn --config search/best.toml --runs 10
      what was best, now with test scores
  emgnn tune --dataset my-graph --method em-gcn --space space.toml --search halving --trials 27 --out search
      all 27 a ninth of the way, the best 9 a third of it, the best 3 to the end
)";

ConfigRequest config_of(const TuneArguments& arguments) {
  ConfigRequest config = arguments.request.config;
  if (!arguments.config_file.empty())
    config.layers.push_back({.name = arguments.config_file,
                             .toml = read_file(arguments.config_file),
                             .assignments = {}});
  config.layers.push_back({.name = "--set", .toml = "", .assignments = arguments.settings});
  if (!arguments.preset.empty())
    config.layers.push_back(
        {.name = "--preset", .toml = "", .assignments = {"preset=" + arguments.preset}});
  return config;
}

std::vector<std::string> train_command(const TuneArguments& arguments, const TuneJob& job) {
  const RunArguments& run = arguments.run;
  const int64_t threads = std::max<int64_t>(1, run.threads / arguments.jobs);
  std::vector<std::string> out = {"train",
                                  "--dataset",
                                  arguments.request.config.dataset,
                                  "--method",
                                  arguments.request.config.method,
                                  "--hide-test",
                                  "--runs",
                                  std::to_string(run.runs),
                                  "--seed",
                                  std::to_string(run.seed),
                                  "--threads",
                                  std::to_string(threads),
                                  "--device",
                                  run.device,
                                  "--out",
                                  job.folder.string(),
                                  "--quiet",
                                  "--json"};
  if (!run.data_dir.empty()) out.insert(out.end(), {"--data-dir", run.data_dir});
  if (!arguments.config_file.empty()) out.insert(out.end(), {"--config", arguments.config_file});
  if (!arguments.preset.empty()) out.insert(out.end(), {"--preset", arguments.preset});
  for (const std::string& setting : arguments.settings) out.insert(out.end(), {"--set", setting});
  for (const std::string& setting : job.settings) out.insert(out.end(), {"--set", setting});
  return out;
}

// A wrong setting or bad data is wrong in every trial: the search ends with its message.
void run_jobs(const TuneArguments& arguments, const std::vector<TuneJob>& jobs) {
  std::vector<ChildCommand> commands;
  for (const TuneJob& job : jobs)
    commands.push_back({train_command(arguments, job), job.folder.string() + ".log"});
  ChildEnd fatal;
  int64_t done = 0;
  const auto on_end = [&](const ChildEnd& end) {
    ++done;
    const int64_t trial = jobs[end.number].trial;
    if (!arguments.run.quiet)
      fmt::print(stderr, "{} of {}: trial {}{}\n", done, jobs.size(), trial,
                 end.status == 0 ? "" : " failed: " + end.message);
    if ((end.status == 2 || end.status == 3) && fatal.status == 0) fatal = end;
    return fatal.status == 0;
  };
  run_children(commands, arguments.jobs, {.on_end = on_end});
  if (fatal.status == 0) return;
  throw_failure(fatal, fmt::format("trial {}", jobs[fatal.number].trial));
}

std::string value_of(const ConfigRequest& config, const std::string& key) {
  for (const ConfigEntry& entry : services().resolve(config))
    if (entry.key == key) return entry.value;
  throw UsageError(
      fmt::format("--search halving shortens {}, which {} does not read", key, config.method));
}

void run(TuneArguments arguments, const std::string& invocation) {
  check(arguments.run);
  EMGNN_CHECK(arguments.jobs >= 1 && arguments.jobs <= arguments.run.threads,
              "--jobs must be 1 to the number of --threads", arguments.jobs);
  TuneRequest& request = arguments.request;
  const ConfigRequest base = config_of(arguments);
  check_setting_names(base);
  request.config = base;
  try {
    request.space = read_file(request.space_file);
  } catch (const DataError& error) {
    throw UsageError(fmt::format("--space: {}", error.what()));
  }
  request.seed = static_cast<uint64_t>(arguments.run.seed);
  request.runs = arguments.run.runs;
  request.out = arguments.run.out;
  catch_interrupts();
  TuneResult result;
  try {
    result = tune(
        request, [&](const std::string& key) { return value_of(base, key); },
        [&](const std::vector<TuneJob>& jobs) { run_jobs(arguments, jobs); });
  } catch (const Interrupted& stop) {
    throw Interrupted(fmt::format("{}; trials are kept in {}; to resume: {}", stop.what(),
                                  request.out.string(), invocation));
  }
  const std::string best = (request.out / "best.toml").string();
  if (arguments.run.json) {
    nlohmann::ordered_json json = to_json(result);
    json["dataset"] = request.config.dataset;
    json["method"] = request.config.method;
    json["best"] = best;
    json["version"] = version();
    return print(json_line(json));
  }
  print(to_text(result, kRowsShown) + fmt::format("\nthe best is in {}\n", best));
}

void add_search(CLI::App& command, TuneArguments& arguments) {
  TuneRequest& request = arguments.request;
  command.add_option("--space", request.space_file, "What is searched; see below")
      ->type_name("F.toml")
      ->check(not_empty)
      ->required();
  command.add_option("--search", request.search, "random, grid or halving")
      ->type_name("SEARCH")
      ->capture_default_str();
  command
      .add_option("--trials", request.trials, "How many points of the space; a grid has its own")
      ->type_name("N")
      ->capture_default_str();
  command
      .add_option("--score", request.score,
                  "Validation score that decides; else the first that train prints")
      ->type_name("SCORE");
  command.add_option("--jobs", arguments.jobs, "Trials at a time, which share --threads")
      ->type_name("N")
      ->capture_default_str();
}

}  // namespace

void add_tune(CLI::App& program, const std::string& invocation) {
  CLI::App* command =
      program.add_subcommand("tune", "Search settings by validation scores, without the test");
  const auto arguments = std::make_shared<TuneArguments>();
  ConfigRequest& config = arguments->request.config;
  command
      ->add_option("--dataset", config.dataset,
                   "Name of a dataset, a directory, or a file of molecules")
      ->type_name("NAME|DIR|FILE")
      ->required();
  command->add_option("--method", config.method, "What to train; see emgnn methods")
      ->type_name("METHOD")
      ->required();
  add_search(*command, *arguments);
  command->add_option("--set", arguments->settings, "A setting of all trials; repeatable")
      ->type_name("KEY=VALUE")
      ->expected(1)
      ->take_all();
  command->add_option("--config", arguments->config_file, "Settings of all trials, as of train")
      ->type_name("F.toml")
      ->check(not_empty);
  command->add_option("--preset", arguments->preset, "As of train")
      ->type_name("PRESET")
      ->check(not_empty);
  add_run_options(*command, arguments->run);
  command->get_option("--out")->required();
  command->footer(kExamples);
  command->callback([arguments, invocation] { run(*arguments, invocation); });
}

}  // namespace emgnn::cli
