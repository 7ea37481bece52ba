// SPDX-License-Identifier: Apache-2.0
#include <emgnn/report/results.h>

#include <map>
#include <nlohmann/json.hpp>

#include <emgnn/base/error.h>
#include <emgnn/base/version.h>
#include <emgnn/report/json_number.h>
#include <emgnn/report/mean_std.h>

namespace emgnn {

namespace {

using Json = nlohmann::ordered_json;

Json scores_json(const Scores& scores) {
  Json out;
  for (const ScoreName& score : score_names(scores.task)) out[score.name] = scores.*score.value;
  return out;
}

Scores parse_scores(const Json& json) {
  Scores out;
  const char* rmse = main_score(Task::kRegression).name;
  out.task = json.contains(rmse) ? Task::kRegression : Task::kClassification;
  for (const ScoreName& score : score_names(out.task))
    out.*score.value = json.at(score.name).get<double>();
  return out;
}

Json run_json(const RunRecord& run) {
  Json validation = {{"loss", run.validation.loss}};
  validation.update(scores_json(run.validation));
  Json rounds = Json::array();
  for (const RoundRecord& r : run.rounds) {
    rounds.push_back({{"round", r.round},
                      {"eta", r.eta},
                      {"normalizer_ratio", r.normalizer_ratio},
                      {"mean_loss", r.mean_loss}});
    if (r.mcmc) rounds.back()["mcmc"] = to_json(*r.mcmc);
  }
  return {{"seed", run.seed},
          {"seconds", run.seconds},
          {"prepare_seconds", run.prepare_seconds},
          {"peak_rss_mb", run.peak_rss_mb},
          {"em_iterations", run.em_iterations},
          {"stopped_early", run.stopped_early},
          {"validation", validation},
          {"test", scores_json(run.test)},
          {"rounds", rounds}};
}

RunRecord parse_run(const Json& json) {
  RunRecord run{.seed = json.at("seed").get<uint64_t>(),
                .seconds = json.at("seconds").get<double>(),
                .prepare_seconds = json.at("prepare_seconds").get<double>(),
                .peak_rss_mb = json.at("peak_rss_mb").get<double>(),
                .em_iterations = json.at("em_iterations").get<int64_t>(),
                .stopped_early = json.at("stopped_early").get<bool>(),
                .validation = parse_scores(json.at("validation")),
                .test = parse_scores(json.at("test"))};
  run.validation.loss = real_or_nan(json.at("validation").at("loss"));
  for (const Json& r : json.at("rounds")) {
    run.rounds.push_back({.round = r.at("round").get<int64_t>(),
                          .eta = r.at("eta").get<double>(),
                          .normalizer_ratio = real_or_nan(r.at("normalizer_ratio")),
                          .mean_loss = real_or_nan(r.at("mean_loss")),
                          .mcmc = std::nullopt});
    if (r.contains("mcmc")) run.rounds.back().mcmc = parse_mcmc_summary(r.at("mcmc"));
  }
  return run;
}

}  // namespace

std::vector<WeightedPoint> mean_posterior(const std::vector<RunRecord>& runs) {
  std::map<LambdaPoint, double> sum;
  for (const RunRecord& run : runs) {
    for (const WeightedPoint& point : run.posterior) sum[point.lambda] += point.p;
  }
  std::vector<WeightedPoint> out;
  for (const auto& [lambda, p] : sum) out.push_back({lambda, p / static_cast<double>(runs.size())});
  return out;
}

Importance importance_of(const Results& results) {
  return importance_of(results.lambda_names, mean_posterior(results.runs),
                       results.config.train.space.step);
}

std::vector<double> test_scores(const std::vector<RunRecord>& runs, const ScoreName& score) {
  std::vector<double> out;
  for (const RunRecord& run : runs) out.push_back(run.test.*score.value);
  return out;
}

Json to_json(const RunConfig& config) {
  Json out;
  for (const ConfigEntry& entry : entries(config)) {
    const bool is_text =
        entry.kind == ConfigEntry::Kind::kText || entry.kind == ConfigEntry::Kind::kChoice;
    if (is_text) {
      out[entry.key] = entry.value;
    } else if (entry.kind == ConfigEntry::Kind::kReal) {
      out[entry.key] = std::stod(entry.value);
    } else {
      out[entry.key] = Json::parse(entry.value);
    }
  }
  return out;
}

Json to_json(const Results& results) {
  Json runs = Json::array();
  for (const RunRecord& run : results.runs) runs.push_back(run_json(run));
  Json mean, deviation;
  for (const ScoreName& score : score_names(results.task())) {
    const MeanStd moments = mean_std(test_scores(results.runs, score));
    mean[score.name] = moments.mean;
    deviation[score.name] = moments.std;
  }
  Json posterior = Json::array();
  for (const WeightedPoint& point : mean_posterior(results.runs)) {
    posterior.push_back({{"lambda", point.lambda}, {"p", point.p}});
  }
  const Importance importance = importance_of(results);
  Json weights = Json::array();
  for (const EdgeTypeWeight& weight : importance.weights) {
    weights.push_back(
        {{"name", weight.name}, {"mean", weight.mean}, {"low", weight.low}, {"high", weight.high}});
  }
  return {{"dataset", results.dataset},
          {"method", results.method},
          {"config", to_json(results.config)},
          {"runs", runs},
          {"mean", mean},
          {"std", deviation},
          {"lambda_names", results.lambda_names},
          {"posterior", posterior},
          {"importance", weights},
          {"posterior_informative", importance.informative()},
          {"version", version()}};
}

StoredRun parse_single_run(std::string_view text, const std::string& file) {
  try {
    const Json json = Json::parse(text);
    if (json.at("runs").size() != 1) throw DataError(file + ": expected the results of one run");
    StoredRun out{.lambda_names = json.at("lambda_names").get<std::vector<std::string>>(),
                  .run = parse_run(json.at("runs").at(0))};
    for (const Json& point : json.at("posterior")) {
      out.run.posterior.push_back(
          {point.at("lambda").get<LambdaPoint>(), point.at("p").get<double>()});
    }
    return out;
  } catch (const nlohmann::json::exception& error) {
    throw DataError(fmt::format("{}: not the results of a run: {}", file, error.what()));
  }
}

}  // namespace emgnn
