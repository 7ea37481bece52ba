// SPDX-License-Identifier: Apache-2.0
// emgnn evaluate: scores the model of a finished run on labelled data.
#include <memory>
#include <nlohmann/json.hpp>

#include <emgnn/base/version.h>
#include <emgnn/cli/commands.h>
#include <emgnn/cli/interrupt.h>
#include <emgnn/cli/model_request.h>
#include <emgnn/cli/output.h>
#include <emgnn/report/results_table.h>
#include <emgnn/run/services.h>

namespace emgnn::cli {

namespace {

struct EvaluateArguments {
  ModelArguments model;
  bool json = false, quiet = false;
};

nlohmann::ordered_json json_of(const Evaluation& evaluation) {
  nlohmann::ordered_json parts = nlohmann::ordered_json::object();
  for (const Evaluation::Part& part : evaluation.parts) {
    nlohmann::ordered_json& out = parts[part.name];
    out["rows"] = part.rows;
    out["loss"] = part.scores.loss;
    for (const Score& score : part.scores.scores.all()) out[score.name] = score.value;
  }
  return {{"dataset", evaluation.dataset},
          {"method", evaluation.method},
          {"parts", parts},
          {"version", version()}};
}

void run(const EvaluateArguments& arguments) {
  StatusLine line(arguments.quiet);
  PredictRequest request = make_request(arguments.model, line);
  catch_interrupts();
  const Evaluation evaluation = watched(request, line, services().evaluate);
  for (const std::string& note : evaluation.notes) line.say(note);
  print(arguments.json ? json_line(json_of(evaluation)) : evaluation_table(evaluation));
}

}  // namespace

void add_evaluate(CLI::App& program) {
  CLI::App* command =
      program.add_subcommand("evaluate", "Score the model of a finished run on labelled data");
  const auto arguments = std::make_shared<EvaluateArguments>();
  add_model_options(*command, arguments->model,
                    "Labelled data; default: the data that the run was trained on, part by part");
  command->add_flag("--json", arguments->json, "Print one JSON object instead of a table");
  command->add_flag("--quiet", arguments->quiet, "Only errors on standard error");
  command->callback([arguments] { run(*arguments); });
}

}  // namespace emgnn::cli
