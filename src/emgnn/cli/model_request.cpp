// SPDX-License-Identifier: Apache-2.0
#include <emgnn/cli/model_request.h>

#include <emgnn/base/error.h>
#include <emgnn/cli/data_commands.h>
#include <emgnn/cli/interrupt.h>
#include <emgnn/cli/progress.h>
#include <emgnn/cli/run_request.h>
#include <emgnn/formats/csv.h>

namespace emgnn::cli {

void add_model_options(CLI::App& command, ModelArguments& arguments,
                       const std::string& dataset_help) {
  command.add_option("--run", arguments.run, "Folder of a finished run: --out of emgnn train")
      ->type_name("RUN_DIR")
      ->required()
      ->check(not_empty);
  command.add_option("--dataset", arguments.dataset, dataset_help)->type_name("NAME|DIR|FILE");
  add_data_dir(command, arguments.data_dir);
  add_device(command, arguments.threads, arguments.device);
}

void add_set_options(CLI::App& command, SetArguments& arguments, const std::string& level_help) {
  command.add_option("--level", arguments.level, level_help)->type_name("0.9")->check(not_empty);
  command
      .add_option("--sets", arguments.form,
                  "How classes are ranked for sets: by the row's own probabilities (aps), or of "
                  "nodes also by those of their neighbours (daps)")
      ->type_name("aps|daps")
      ->check(CLI::IsMember({"aps", "daps"}))
      ->capture_default_str();
}

void read_sets(const SetArguments& arguments, PredictRequest& request) {
  request.sets = arguments.form == "daps" ? SetForm::kDaps : SetForm::kAps;
  if (arguments.level.empty()) return;
  request.level = number_in(arguments.level);
  EMGNN_CHECK(request.level && *request.level > 0.0 && *request.level < 1.0,
              "--level must be above 0 and below 1, as in 0.9", arguments.level);
}

PredictRequest make_request(const ModelArguments& arguments, StatusLine& line) {
  PredictRequest request{.run = arguments.run,
                         .dataset = arguments.dataset,
                         .data_dir = arguments.data_dir,
                         .smiles_column = "",
                         .on_molecule = {},
                         .poll = {},
                         .context = make_context(arguments.threads, arguments.device)};
  request.on_molecule = [&line](const MoleculeProgress& progress) {
    if (line.due()) line.show(molecule_text(progress, line.on_terminal()));
    return !interrupt_requested();
  };
  request.poll = stop_if_interrupted;
  return request;
}

}  // namespace emgnn::cli
