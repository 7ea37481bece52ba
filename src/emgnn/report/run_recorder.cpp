// SPDX-License-Identifier: Apache-2.0
#include <emgnn/report/run_recorder.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <sstream>

#include <emgnn/base/error.h>

namespace emgnn {

namespace {

using Json = nlohmann::ordered_json;

// The whole lines that belong to the first `step` passes.
std::string lines_up_to(const std::string& text, int64_t step) {
  std::istringstream in(text);
  std::string out;
  for (std::string line; std::getline(in, line);) {
    const Json json = Json::parse(line, nullptr, false);
    if (!json.is_object() || json.value("step", step + 1) > step) break;
    out += line + "\n";
  }
  return out;
}

LambdaPoint mean_point(const ParameterSpace& space, const Posterior& posterior) {
  LambdaPoint mean(space.coordinate_names().size(), 0.0);
  for (size_t i = 0; i < posterior.lam_ids().size(); ++i) {
    const LambdaPoint point = space.point(posterior.lam_ids()[i]);
    const double p = std::exp(posterior.log_probs()[i]);
    for (size_t c = 0; c < mean.size(); ++c) mean[c] += p * point[c];
  }
  return mean;
}

// What the lines say about rounds that were sampled.
std::map<int64_t, McmcSummary> read_sampled(const std::string& lines) {
  std::map<int64_t, McmcSummary> out;
  std::istringstream in(lines);
  for (std::string line; std::getline(in, line);) {
    const Json json = Json::parse(line);
    if (json.contains("mcmc")) out[json.at("round")] = parse_mcmc_summary(json.at("mcmc"));
  }
  return out;
}

}  // namespace

RunRecorder::RunRecorder(RunFolder& folder, const RecordedRun& run, Observer& next, int64_t step,
                         double seconds)
    : folder_(folder), run_(run), next_(next), step_(step), seconds_before_(seconds) {
  const std::string lines = lines_up_to(folder.read(kMetricsFile).value_or(""), step);
  try {
    sampled_ = read_sampled(lines);
  } catch (const nlohmann::json::exception& error) {
    throw DataError(fmt::format("{}: not the metrics of a run: {}", folder.name_of(kMetricsFile),
                                error.what()));
  }
  folder_.write(kMetricsFile, lines);
}

double RunRecorder::seconds() const {
  return seconds_before_ +
         std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
}

void RunRecorder::on_round(const RoundInfo& round, const McmcResult* mcmc) {
  Json line = {{"event", "round"},
               {"step", step_ + 1},  // the first of the round
               {"round", round.round},
               {"eta", round.eta},
               {"mean_loss", round.mean_loss},
               {"normalizer_ratio", round.normalizer_ratio},
               {"mean_lambda", mean_point(run_.space, round.posterior)}};
  if (mcmc != nullptr) {
    const McmcSummary& summary = sampled_[round.round] = summarise(run_.space, *mcmc);
    line["mcmc"] = to_json(summary);
  }
  folder_.append(kMetricsFile, line.dump() + "\n");
  next_.on_round(round, mcmc);
}

void RunRecorder::on_step(const StepInfo& step) {
  step_ = step.step;
  Json line = {{"event", "step"},
               {"step", step.step},
               {"round", step.round},
               {"train_loss", step.train_loss}};
  if (step.validation) {
    const ScoreName& score = main_score(step.validation->task);
    line["validation_loss"] = step.validation->loss;
    line[fmt::format("validation_{}", score.name)] = *step.validation.*score.value;
  }
  folder_.append(kMetricsFile, line.dump() + "\n");
  next_.on_step(step);
}

void RunRecorder::on_checkpoint(const TrainState& state) {
  folder_.write(kCheckpointFile,
                encode_checkpoint({state, seconds()}, run_.network, run_.identity));
  next_.on_checkpoint(state);
}

}  // namespace emgnn
