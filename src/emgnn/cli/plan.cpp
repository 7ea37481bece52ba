// SPDX-License-Identifier: Apache-2.0
// emgnn plan: how much memory and time a run would take.
#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>

#include <emgnn/base/memory.h>
#include <emgnn/cli/commands.h>
#include <emgnn/cli/interrupt.h>
#include <emgnn/cli/output.h>
#include <emgnn/cli/progress.h>
#include <emgnn/cli/run_request.h>
#include <emgnn/cli/train_request.h>
#include <emgnn/run/services.h>

namespace emgnn::cli {

namespace {

struct PlanArguments {
  ConfigArguments config;
  RunArguments run;
};

constexpr const char* kExamples = R"(
The beginning of the run is run and measured: a few epochs, one E-step and the prediction of all rows. Nothing is written.
Time is that of all epochs; a run that stops early takes less.

Examples:
  emgnn plan --dataset my-graph --method em-gcn
  emgnn plan --dataset my-graph --method em-gcn --memory 8G
      fails with a message, as the run would, when 8 GB do not suffice
)";

std::string duration(double seconds) {
  if (seconds < 120) return fmt::format("{:.1f} s", seconds);
  if (seconds < 7200) return fmt::format("{:.0f} min", seconds / 60);
  return fmt::format("{:.1f} h", seconds / 3600);
}

std::string table(const RunPlan& plan, const PlanArguments& arguments) {
  constexpr double kMega = 1024.0 * 1024.0;
  std::string out = fmt::format("{} on {}\n\n", arguments.config.method, arguments.config.dataset);
  out += fmt::format("memory       {}\n", bytes_in_words(std::llround(plan.peak_mb * kMega)));
  out += fmt::format("time         at most {} per run\n", duration(plan.seconds));
  out += fmt::format("  preparing  {}\n", duration(plan.prepare_seconds));
  out += fmt::format("  epochs     {} of {}\n", plan.epochs, duration(plan.epoch_seconds));
  if (plan.rounds > 0)
    out += fmt::format("  E-steps    {} of {}\n", plan.rounds, duration(plan.round_seconds));
  return out + fmt::format("  predicting {}\n", duration(plan.predict_seconds));
}

nlohmann::ordered_json to_json(const RunPlan& plan, const PlanArguments& arguments) {
  return {{"dataset", arguments.config.dataset},
          {"method", arguments.config.method},
          {"peak_rss_mb", plan.peak_mb},
          {"seconds", plan.seconds},
          {"prepare_seconds", plan.prepare_seconds},
          {"epochs", plan.epochs},
          {"epoch_seconds", plan.epoch_seconds},
          {"rounds", plan.rounds},
          {"round_seconds", plan.round_seconds},
          {"predict_seconds", plan.predict_seconds},
          {"measured_epochs", plan.measured_epochs}};
}

void run(PlanArguments arguments) {
  complete(arguments.config);
  check(arguments.config, "plan");
  check(arguments.run);
  const RunRequest request = make_request(config_of(arguments.config), arguments.run);
  catch_interrupts();
  RunPlan plan;
  {
    Progress progress(1, arguments.run.quiet);
    plan = services().plan(request, progress);
  }
  print(arguments.run.json ? json_line(to_json(plan, arguments)) : table(plan, arguments));
}

}  // namespace

void add_plan(CLI::App& program) {
  CLI::App* plan = program.add_subcommand("plan", "How much memory and time a run would take");
  const auto arguments = std::make_shared<PlanArguments>();
  add_config_options(*plan, arguments->config);
  add_one_run_options(*plan, arguments->run);
  plan->footer(kExamples);
  plan->callback([arguments] { run(*arguments); });
}

}  // namespace emgnn::cli
