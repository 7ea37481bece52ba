// SPDX-License-Identifier: Apache-2.0
// emgnn predict: applies the model of a finished run to data.
#include <memory>

#include <emgnn/base/error.h>
#include <emgnn/base/file.h>
#include <emgnn/cli/commands.h>
#include <emgnn/cli/interrupt.h>
#include <emgnn/cli/model_request.h>
#include <emgnn/cli/output.h>
#include <emgnn/cli/run_request.h>
#include <emgnn/run/out_file.h>
#include <emgnn/run/services.h>

namespace emgnn::cli {

namespace {

struct PredictArguments {
  ModelArguments model;
  SetArguments sets;
  std::string out;
  std::vector<std::string> settings;
  bool quiet = false;
};

constexpr const char* kSmilesKey = "data.smiles=";

constexpr const char* kExamples = R"(
Examples:
  emgnn train --dataset esol --method em-gcn-star --out runs/esol
  emgnn predict --run runs/esol --dataset new.csv --set data.smiles=SMILES --out predicted.csv
      row, smiles, value, graph_std, network_std, rejected: a row for every record of the file. The value is in the unit of the target,
      graph_std is its standard deviation over the graphs, network_std over the networks; a row that cannot be read says why in the last
      column. A model that was trained with task.loss=gaussian or calibrate=validation also has noise_std and std, the standard deviation
      of the whole.
  emgnn train --dataset my-graph --method em-gcn --out runs/graph
  emgnn predict --run runs/graph --dataset my-graph-of-june --out predicted.csv
      the columns of the run's predictions.csv. The other graph has the same features and edge types, by name; it needs no labels.
  emgnn predict --run runs/graph --level 0.9 --out sets.csv
      also set and set_size: classes among which is the right one for 90 % of the rows. Of values, lower and upper.

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
  StatusLine line(arguments.quiet);
  PredictRequest request = make_request(arguments.model, line);
  request.smiles_column = smiles_column(arguments.settings);
  read_sets(arguments.sets, request);
  if (!request.level && request.sets != SetForm::kAps)
    throw UsageError("--sets daps: there are no sets without --level");
  check_is_file(arguments.out);
  request.out = arguments.out;
  catch_interrupts();
  const PredictedTable table = watched(request, line, services().predict);
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
  add_model_options(*predict, arguments->model,
                    "What to predict; default: the data that the run was trained on");
  add_set_options(*predict, arguments->sets,
                  "Also write a set of classes, or an interval of values, that holds the right "
                  "answer of so many rows, as in 0.9");
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
  predict->add_flag("--quiet", arguments->quiet, "Only errors");
  predict->footer(kExamples);
  predict->callback([arguments] { run(*arguments); });
}

}  // namespace emgnn::cli
