// SPDX-License-Identifier: Apache-2.0
// emgnn tune: searches settings by validation scores; test scores are never computed.
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdio>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include <emgnn/base/error.h>
#include <emgnn/base/file.h>
#include <emgnn/base/version.h>
#include <emgnn/cli/child_processes.h>
#include <emgnn/cli/commands.h>
#include <emgnn/cli/interrupt.h>
#include <emgnn/cli/output.h>
#include <emgnn/cli/progress.h>
#include <emgnn/cli/run_request.h>
#include <emgnn/cli/train_request.h>
#include <emgnn/learn/score_info.h>
#include <emgnn/run/load.h>
#include <emgnn/run/services.h>
#include <emgnn/run/setting_names.h>
#include <emgnn/run/tune.h>

namespace emgnn::cli {

namespace {

struct TuneArguments {
  TuneRequest request;
  ConfigArguments config;
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

std::vector<std::string> train_command(const TuneArguments& arguments, const TuneJob& job,
                                       int64_t at_a_time) {
  const RunArguments& run = arguments.run;
  const ConfigArguments& config = arguments.config;
  std::vector<std::string> out = {"train",        "--dataset",
                                  config.dataset, "--method",
                                  config.method,  "--hide-test",
                                  "--runs",       std::to_string(run.runs),
                                  "--seed",       std::to_string(run.seed),
                                  "--device",     run.device,
                                  "--out",        job.folder.string(),
                                  "--quiet",      "--json"};
  if (!run.data_dir.empty()) out.insert(out.end(), {"--data-dir", run.data_dir});
  const std::vector<std::string> shared = shared_options(run.threads, at_a_time);
  out.insert(out.end(), shared.begin(), shared.end());
  if (!config.config_file.empty()) out.insert(out.end(), {"--config", config.config_file});
  if (!config.preset.empty()) out.insert(out.end(), {"--preset", config.preset});
  for (const std::string& setting : config.settings) out.insert(out.end(), {"--set", setting});
  for (const std::string& setting : job.settings) out.insert(out.end(), {"--set", setting});
  return out;
}

// A wrong setting or bad data is likely to be wrong in every trial: the search ends with its message.
void run_jobs(const TuneArguments& arguments, const std::vector<TuneJob>& jobs) {
  const int64_t at_a_time = std::min<int64_t>(arguments.jobs, std::ssize(jobs));
  std::vector<ChildCommand> commands;
  for (const TuneJob& job : jobs)
    commands.push_back({train_command(arguments, job, at_a_time), job.log});
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
  run_children(commands, at_a_time, {.on_end = on_end});
  if (fatal.status == 0) return;
  throw_failure(fatal, fmt::format("trial {}", jobs[fatal.number].trial));
}

std::map<std::string, std::string> values_of(ConfigRequest config,
                                             const std::vector<std::string>& settings) {
  config.layers.push_back({.name = "--space", .toml = "", .assignments = settings});
  std::map<std::string, std::string> out;
  for (const ConfigEntry& entry : services().resolve(config)) out[entry.key] = entry.value;
  return out;
}

// Which scores a trial will have depends on the labels.
void check_score(const TuneArguments& arguments) {
  const TuneRequest& request = arguments.request;
  if (request.score.empty()) return;
  DataOptions options;
  const auto values = values_of(request.config, {});
  ForEachOption visitor([&](const OptionInfo& info, OptionRef field) {
    const auto value = values.find(info.key);
    if (value != values.end()) assign(info, field, value->second);
  });
  describe(visitor, options, kind_of(request.config.dataset));
  options.molecules.conformers.count = 0;  // labels need no coordinates
  const Context::Scope scope{make_context(arguments.run.threads, arguments.run.device)};
  Progress progress(1, arguments.run.quiet);
  progress.on_phase({"reading " + request.config.dataset, false});
  DataSource source({.dataset = request.config.dataset,
                     .data_dir = arguments.run.data_dir,
                     .options = options,
                     .seed = request.seed});
  const auto data = source.load(
      0, [&](const MoleculeProgress& molecules) { return progress.on_molecule(molecules); });
  std::vector<std::string> known;
  for (const ScoreInfo& info : score_info(data->labels().kind)) known.push_back(info.name);
  if (std::find(known.begin(), known.end(), request.score) == known.end())
    throw UsageError(fmt::format("--score: {:?} is none of the scores of {}: {}", request.score,
                                 name_of(data->labels().kind), fmt::join(known, ", ")));
}

void run(TuneArguments arguments, const std::string& invocation) {
  complete(arguments.config);
  check(arguments.config, "tune");
  check(arguments.run);
  EMGNN_CHECK(arguments.jobs >= 1 && arguments.jobs <= arguments.run.threads,
              "--jobs must be 1 to the number of --threads", arguments.jobs);
  jobs_within_memory(arguments.jobs, arguments.jobs);
  TuneRequest& request = arguments.request;
  request.config = config_of(arguments.config);
  check_setting_names(request.config);
  try {
    request.space = read_file(request.space_file);
  } catch (const DataError& error) {
    throw UsageError(fmt::format("--space: {}", error.what()));
  }
  request.seed = static_cast<uint64_t>(arguments.run.seed);
  request.runs = arguments.run.runs;
  request.out = arguments.run.out;
  catch_interrupts();
  check_score(arguments);
  TuneResult result;
  std::optional<Progress> progress(std::in_place, 1, arguments.run.quiet);
  progress->on_phase({"checking the settings of all trials"});
  try {
    result = tune(
        request, [&](const auto& settings) { return values_of(request.config, settings); },
        [&](const std::vector<TuneJob>& jobs) {
          progress.reset();
          run_jobs(arguments, jobs);
        });
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
  command
      .add_option("--jobs", arguments.jobs, "Trials at a time, which share --threads and --memory")
      ->type_name("N")
      ->capture_default_str();
}

}  // namespace

void add_tune(CLI::App& program, const std::string& invocation) {
  CLI::App* command =
      program.add_subcommand("tune", "Search settings by validation scores, without the test");
  const auto arguments = std::make_shared<TuneArguments>();
  add_config_options(*command, arguments->config);
  add_search(*command, *arguments);
  add_run_options(*command, arguments->run);
  command->get_option("--out")->required();
  command->footer(kExamples);
  command->callback([arguments, invocation] { run(*arguments, invocation); });
}

}  // namespace emgnn::cli
