// SPDX-License-Identifier: Apache-2.0
// emgnn predict: applies the model of a finished run to data.
#include <filesystem>
#include <memory>

#include <emgnn/base/error.h>
#include <emgnn/base/file.h>
#include <emgnn/cli/commands.h>
#include <emgnn/cli/data_commands.h>
#include <emgnn/cli/interrupt.h>
#include <emgnn/cli/output.h>
#include <emgnn/cli/progress.h>
#include <emgnn/cli/run_request.h>
#include <emgnn/run/services.h>

namespace emgnn::cli {

namespace {

struct PredictArguments {
  std::string run, dataset, data_dir, out;
  std::vector<std::string> settings;
  int64_t threads = hardware_threads();
  std::string device = "cpu";
  bool quiet = false;
};

constexpr const char* kSmilesKey = "data.smiles=";

constexpr const char* kExamples = R"(
Examples:
  emgnn train --dataset esol --method em-gcn-star --out runs/esol
  emgnn predict --run runs/esol --dataset new.csv --set data.smiles=SMILES --out predicted.csv
      row, smiles, value, spread, rejected: a row for every record of the file. The value is in the unit of the target,
      spread is its standard deviation over the graphs; a row that cannot be read says why in the last column.
  emgnn train --dataset my-graph --method em-gcn --out runs/graph
  emgnn predict --run runs/graph --dataset my-graph-of-june --out predicted.csv
      the columns of the run's predictions.csv. The other graph has the same features and edge types, by name; it needs no labels.

Exit status: 0 done, 2 bad usage, or data that does not fit the model, 3 bad data, 4 interrupted, 1 other errors.
)";

std::string smiles_column(const std::vector<std::string>& settings) {
  std::string column;
  for (const std::string& setting : settings) {
    EMGNN_CHECK(setting.starts_with(kSmilesKey), "predict knows only --set data.smiles=COLUMN",
                setting);
    column = setting.substr(std::string(kSmilesKey).size());
  }
  return column;
}

void run(const PredictArguments& arguments) {
  const Context context = make_context(arguments.threads, arguments.device);
  check_not_read(arguments.out, arguments.dataset);
  check_not_read(arguments.out, std::filesystem::path(arguments.run) / "model.safetensors");
  catch_interrupts();
  StatusLine line(arguments.quiet);
  const PredictedTable table =
      services().predict({.run = arguments.run,
                          .dataset = arguments.dataset,
                          .data_dir = arguments.data_dir,
                          .smiles_column = smiles_column(arguments.settings),
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
                          .context = context});
  for (const std::string& note : table.notes) line.say(note);
  write_atomically(arguments.out, table.csv);
  const std::string rejected =
      table.rejected > 0 ? fmt::format(", {} rejected", table.rejected) : "";
  if (!arguments.quiet)
    print(fmt::format("{} predicted{}: {}\n", table.predicted, rejected, arguments.out));
}

}  // namespace

void add_predict(CLI::App& program) {
  CLI::App* predict =
      program.add_subcommand("predict", "Apply the model of a finished run to data");
  const auto arguments = std::make_shared<PredictArguments>();
  predict->add_option("--run", arguments->run, "Folder of a finished run: --out of emgnn train")
      ->type_name("RUN_DIR")
      ->required()
      ->check(not_empty);
  predict
      ->add_option("--dataset", arguments->dataset,
                   "What to predict; default: the data that the run was trained on")
      ->type_name("NAME|DIR|FILE");
  predict->add_option("--out", arguments->out, "The table to write")
      ->type_name("FILE.csv")
      ->required()
      ->check(not_empty);
  predict
      ->add_option("--set", arguments->settings,
                   "data.smiles=COLUMN, where the SMILES are in another column than in training")
      ->type_name("KEY=VALUE")
      ->expected(1)
      ->take_all();
  add_data_dir(*predict, arguments->data_dir);
  add_device(*predict, arguments->threads, arguments->device);
  predict->add_flag("--quiet", arguments->quiet, "Only errors");
  predict->footer(kExamples);
  predict->callback([arguments] { run(*arguments); });
}

}  // namespace emgnn::cli
