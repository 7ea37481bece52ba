// SPDX-License-Identifier: Apache-2.0
// emgnn evaluate: scores the model of a finished run on labelled data.
#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>

#include <emgnn/base/version.h>
#include <emgnn/cli/commands.h>
#include <emgnn/cli/interrupt.h>
#include <emgnn/cli/model_request.h>
#include <emgnn/cli/output.h>
#include <emgnn/cli/run_request.h>
#include <emgnn/report/results_table.h>
#include <emgnn/run/services.h>

namespace emgnn::cli {

namespace {

using Json = nlohmann::ordered_json;

struct EvaluateArguments {
  ModelArguments model;
  SetArguments sets;
  BootstrapOptions bootstrap;
  int64_t seed = 0;
  bool json = false, quiet = false;
};

constexpr const char* kExamples = R"(
Examples:
  emgnn evaluate --run runs/cora
      every score of the training, validation and test rows with its 95 % interval, how often prediction sets of level 0.9 hold the
      right answer, and of the test rows the precision, recall and F1 of each class and how often answers of a certainty are right
  emgnn evaluate --run runs/graph --dataset my-graph-of-june --level 0.95 --json
  emgnn evaluate --run runs/large --resamples 0
      no intervals, which cost as much as scoring the rows a thousand times

Exit status: 0 done, 2 bad usage, or data that does not fit the model, 3 bad data, 4 interrupted, 1 other errors.
)";

// JSON has no NaN: what is not defined is null.
Json number(double value) { return std::isnan(value) ? Json() : Json(value); }

Json json_of(const std::vector<ScoreInterval>& intervals) {
  Json out = Json::object();
  for (const ScoreInterval& i : intervals) out[i.name] = {number(i.lower), number(i.upper)};
  return out;
}

Json json_of(const Evaluation::Group& group) {
  Json out = {{"support", group.scores.support}};
  for (const Score& score : group.scores.scores.all()) out[score.name] = number(score.value);
  if (!group.intervals.empty()) out["intervals"] = json_of(group.intervals);
  return out;
}

Json json_of(const Evaluation& evaluation, const Evaluation::Part& part) {
  Json out = {{"rows", part.rows}, {"loss", part.scores.loss}};
  for (const Score& score : part.scores.scores.all()) out[score.name] = score.value;
  if (!part.intervals.empty()) out["intervals"] = json_of(part.intervals);
  if (part.coverage) {
    const bool values = evaluation.kind == LabelKind::kValues;
    out["coverage"] = {{"level", *evaluation.level},
                       {values ? "interval_width" : "set_size", number(part.coverage->size)},
                       {"covered", number(part.coverage->covered)}};
    if (!part.coverage->intervals.empty())
      out["coverage"]["intervals"] = json_of(part.coverage->intervals);
  }
  for (const Evaluation::Group& group : part.groups)
    out[std::string("per_") + group_word(evaluation.kind)][group.name] = json_of(group);
  for (const ReliabilityBin& bin : part.reliability)
    out["reliability"].push_back(
        {{"confidence", bin.confidence}, {"correct", bin.correct}, {"rows", bin.rows}});
  return out;
}

Json json_of(const Evaluation& evaluation) {
  Json parts = Json::object();
  for (const Evaluation::Part& part : evaluation.parts)
    parts[part.name] = json_of(evaluation, part);
  Json out = {{"dataset", evaluation.dataset}, {"method", evaluation.method}, {"parts", parts}};
  if (evaluation.bootstrap.resamples > 0)
    out["bootstrap"] = {{"resamples", evaluation.bootstrap.resamples},
                        {"confidence", evaluation.bootstrap.confidence},
                        {"seed", evaluation.bootstrap.seed}};
  if (evaluation.level) {
    out["sets"] = {{"level", *evaluation.level}, {"calibrated_by", evaluation.calibrated_by}};
    if (evaluation.kind == LabelKind::kClasses)
      out["sets"]["form"] = evaluation.sets == SetForm::kAps ? "aps" : "daps";
  }
  out["version"] = version();
  return out;
}

void run(const EvaluateArguments& arguments) {
  StatusLine line(arguments.quiet);
  PredictRequest request = make_request(arguments.model, line);
  read_sets(arguments.sets, request);
  request.bootstrap = arguments.bootstrap;
  request.bootstrap.seed = static_cast<uint64_t>(arguments.seed);
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
  add_set_options(*command, arguments->sets, "Of the sets or intervals whose coverage is shown");
  command
      ->add_option("--resamples", arguments->bootstrap.resamples,
                   "How often the rows are drawn again for the intervals; 0: no intervals")
      ->type_name("N")
      ->check(CLI::Range(0, 1000000))
      ->capture_default_str();
  command->add_option("--seed", arguments->seed, "Of the resamples")
      ->type_name("S")
      ->check(whole_number)
      ->capture_default_str();
  command->add_flag("--json", arguments->json, "Print one JSON object instead of a table");
  command->add_flag("--quiet", arguments->quiet, "Only errors on standard error");
  command->footer(kExamples);
  command->callback([arguments] { run(*arguments); });
}

}  // namespace emgnn::cli
