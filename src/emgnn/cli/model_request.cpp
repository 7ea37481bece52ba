// SPDX-License-Identifier: Apache-2.0
#include <emgnn/cli/model_request.h>

#include <emgnn/base/error.h>
#include <emgnn/cli/data_commands.h>
#include <emgnn/cli/interrupt.h>
#include <emgnn/cli/progress.h>
#include <emgnn/cli/run_request.h>

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
  request.poll = [] {
    if (interrupt_requested()) throw Interrupted("interrupted; nothing was written");
  };
  return request;
}

}  // namespace emgnn::cli
