// SPDX-License-Identifier: Apache-2.0
// emgnn evaluate: scores the model of a finished run on labelled data.
#include <memory>
#include <nlohmann/json.hpp>

#include <emgnn/base/error.h>
#include <emgnn/base/version.h>
#include <emgnn/cli/commands.h>
#include <emgnn/cli/data_commands.h>
#include <emgnn/cli/interrupt.h>
#include <emgnn/cli/output.h>
#include <emgnn/cli/progress.h>
#include <emgnn/cli/run_request.h>
#include <emgnn/report/results_table.h>
#include <emgnn/run/services.h>

namespace emgnn::cli {

namespace {

struct EvaluateArguments {
  std::string run, dataset, data_dir, device = "cpu";
  int64_t threads = hardware_threads();
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
  catch_interrupts();
  StatusLine line(arguments.quiet);
  const Evaluation evaluation =
      services().evaluate({.run = arguments.run,
                           .dataset = arguments.dataset,
                           .data_dir = arguments.data_dir,
                           .smiles_column = "",
                           .on_molecule =
                               [&](const MoleculeProgress& progress) {
                                 if (line.due())
                                   line.show(molecule_text(progress, line.on_terminal()));
                                 return !interrupt_requested();
                               },
                           .poll =
                               [] {
                                 if (interrupt_requested())
                                   throw Interrupted("interrupted; nothing was written");
                               },
                           .context = make_context(arguments.threads, arguments.device)});
  for (const std::string& note : evaluation.notes) line.say(note);
  print(arguments.json ? json_of(evaluation).dump() + "\n" : evaluation_table(evaluation));
}

}  // namespace

void add_evaluate(CLI::App& program) {
  CLI::App* command =
      program.add_subcommand("evaluate", "Score the model of a finished run on labelled data");
  const auto arguments = std::make_shared<EvaluateArguments>();
  command->add_option("--run", arguments->run, "Folder of a finished run: --out of emgnn train")
      ->type_name("RUN_DIR")
      ->required()
      ->check(not_empty);
  command
      ->add_option("--dataset", arguments->dataset,
                   "Labelled data; default: the data that the run was trained on, part by part")
      ->type_name("NAME|DIR|FILE");
  add_data_dir(*command, arguments->data_dir);
  add_device(*command, arguments->threads, arguments->device);
  command->add_flag("--json", arguments->json, "Print one JSON object instead of a table");
  command->add_flag("--quiet", arguments->quiet, "Only errors on standard error");
  command->callback([arguments] { run(*arguments); });
}

}  // namespace emgnn::cli
