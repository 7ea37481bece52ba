// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <nlohmann/json.hpp>

#include <emgnn/base/error.h>
#include <emgnn/base/version.h>
#include <emgnn/em/mcmc_summary.h>
#include <emgnn/learn/mean_std.h>
#include <emgnn/run/json_number.h>
#include <emgnn/run/results.h>
#include <emgnn/run/run_json.h>
#include <emgnn/run/verdict.h>

namespace emgnn {

namespace {

using Json = nlohmann::ordered_json;

Json scores_json(const Scores& scores) {
  Json out = Json::object();
  for (const Score& score : scores.all()) out[score.name] = score.value;
  return out;
}

Scores parse_scores(const Json& json) {
  Scores out;
  for (const auto& [name, value] : json.items())
    if (name != "loss") out.set(name, real_or_nan(value));
  return out;
}

Json run_json(const RunRecord& run) {
  Json validation = {{"loss", run.validation.loss}};
  validation.update(scores_json(run.validation.scores));
  Json rounds = Json::array();
  for (const RoundRecord& round : run.fit.rounds) rounds.push_back(to_json(round));
  Json out = {{"seed", run.seed},
              {"seconds", run.seconds},
              {"prepare_seconds", run.prepare_seconds},
              {"peak_rss_mb", run.peak_rss_mb},
              {"epochs", run.fit.epochs},
              {"em_iterations", run.fit.rounds.size()},
              {"stopped_early", run.fit.stopped_early},
              {"validation", validation},
              {"test", run.test ? scores_json(*run.test) : Json()},
              {"rounds", rounds}};
  if (run.fit.sampled) out["sampled"] = to_json(*run.fit.sampled);
  if (run.changed_by_graph) out["changed_by_graph"] = *run.changed_by_graph;
  if (run.edge_auc) out["edge_auc"] = *run.edge_auc;
  if (run.one_answer) out["one_answer"] = *run.one_answer;
  for (const ViewShare& share : run.fit.shares) out["shares"][share.name] = share.value;
  if (run.graph_rank) {
    const std::optional<double>& rho = run.graph_rank->correlation;
    out["graph_rank"] = {{"graphs", run.graph_rank->graphs},
                         {"correlation", rho ? Json(*rho) : Json()}};
  }
  return out;
}

RunRecord parse_run(const Json& json) {
  RunRecord run{.seed = json.at("seed").get<uint64_t>(),
                .seconds = json.at("seconds").get<double>(),
                .prepare_seconds = json.at("prepare_seconds").get<double>(),
                .peak_rss_mb = json.at("peak_rss_mb").get<double>(),
                .fit = {.epochs = json.at("epochs").get<int64_t>(),
                        .stopped_early = json.at("stopped_early").get<bool>(),
                        .rounds = {},
                        .shares = {}},
                .validation = {real_or_nan(json.at("validation").at("loss")),
                               parse_scores(json.at("validation"))},
                .test = {},
                .graphs = {},
                .changed_by_graph = {}};
  if (!json.at("test").is_null()) run.test = parse_scores(json.at("test"));
  if (json.contains("changed_by_graph"))
    run.changed_by_graph = json.at("changed_by_graph").get<double>();
  if (json.contains("edge_auc")) run.edge_auc = json.at("edge_auc").get<double>();
  if (json.contains("one_answer")) run.one_answer = json.at("one_answer").get<std::string>();
  for (const Json& round : json.at("rounds")) run.fit.rounds.push_back(parse_round(round));
  if (json.contains("sampled")) run.fit.sampled = parse_sampled(json.at("sampled"));
  if (json.contains("shares"))
    for (const auto& [name, value] : json.at("shares").items())
      run.fit.shares.push_back({name, value.get<double>()});
  if (json.contains("graph_rank")) {
    const Json& rank = json.at("graph_rank");
    run.graph_rank = GraphRank{rank.at("graphs").get<int64_t>(), {}};
    if (!rank.at("correlation").is_null())
      run.graph_rank->correlation = rank.at("correlation").get<double>();
  }
  return run;
}

Json graphs_json(const GraphDistribution& graphs) {
  Json prior = Json::array();
  for (const Marginal& marginal : graphs.prior) {
    Json values = Json::array();
    for (const auto& [value, p] : marginal) values.push_back({value, p});
    prior.push_back(values);
  }
  return {{"family", graphs.family}, {"shares", graphs.num_shares}, {"prior", prior}};
}

GraphDistribution parse_graphs(const Json& json) {
  const Json& about = json.at("graphs");
  GraphDistribution out{.family = about.at("family").get<std::string>(),
                        .names = json.at("lambda_names").get<std::vector<std::string>>(),
                        .num_shares = about.at("shares").get<size_t>(),
                        .points = {},
                        .prior = {}};
  for (const Json& values : about.at("prior")) {
    Marginal& marginal = out.prior.emplace_back();
    for (const Json& pair : values) marginal[pair.at(0).get<double>()] = pair.at(1).get<double>();
  }
  for (const Json& point : json.at("posterior"))
    out.points.push_back({point.at("lambda").get<LambdaPoint>(), point.at("p").get<double>()});
  return out;
}

}  // namespace

std::optional<GraphDistribution> mean_graphs(const std::vector<RunRecord>& runs) {
  if (runs.empty() || !runs.front().graphs) return std::nullopt;
  std::vector<GraphDistribution> each;
  for (const RunRecord& run : runs) each.push_back(run.graphs.value());
  return mixture_of(each);
}

std::optional<McmcSummary> worst_sampling(const std::vector<RunRecord>& runs) {
  std::optional<McmcSummary> out;
  for (const RunRecord& run : runs)
    if (run.fit.sampled) out = out ? worse(*out, run.fit.sampled->worst) : run.fit.sampled->worst;
  return out;
}

std::string sampling_warning(const std::vector<RunRecord>& runs) {
  const std::optional<McmcSummary> worst = worst_sampling(runs);
  return worst ? warning(*worst) : "";
}

std::vector<double> values_of(const Results& results, const std::string& score) {
  std::vector<double> out;
  for (const RunRecord& run : results.runs)
    out.push_back(run.test ? run.test->at(score) : run.validation.scores.at(score));
  return out;
}

bool has_score(const Results& results, const std::string& score) {
  return std::all_of(results.runs.begin(), results.runs.end(), [&](const RunRecord& run) {
    return (run.test ? *run.test : run.validation.scores).find(score) != nullptr;
  });
}

Json to_json(const std::vector<ConfigEntry>& config) {
  Json out;
  for (const ConfigEntry& entry : config) {
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
  for (const ScoreInfo& score : results.scores) {
    if (!has_score(results, score.name)) continue;
    const MeanStd moments = mean_std(values_of(results, score.name));
    mean[score.name] = moments.mean;
    deviation[score.name] = moments.std;
  }
  const std::optional<GraphDistribution> graphs = mean_graphs(results.runs);
  Json posterior = Json::array(), weights = Json::array();
  if (graphs)
    for (const WeightedPoint& point : graphs->points)
      posterior.push_back({{"lambda", point.lambda}, {"p", point.p}});
  const Verdict verdict = graphs ? verdict_of(*graphs) : Verdict{};
  for (const CoordinateSummary& c :
       std::span(verdict.coordinates).first(graphs ? graphs->num_shares : 0))
    weights.push_back({{"name", c.name}, {"mean", c.mean}, {"low", c.low}, {"high", c.high}});
  Json out = {{"format", kResultsFormat},
              {"dataset", results.dataset},
              {"method", results.method},
              {"config", to_json(results.config)},
              {"runs", runs},
              {"mean", mean},
              {"std", deviation},
              {"lambda_names", graphs ? graphs->names : std::vector<std::string>{}},
              {"posterior", posterior},
              {"importance", weights},
              {"posterior_informative", graphs && verdict.informative()},
              {"verdict", in_words(results.runs)},
              {"version", version()}};
  if (graphs) out["graphs"] = graphs_json(*graphs);
  const std::string warned = sampling_warning(results.runs);
  if (!warned.empty()) out["warnings"] = {warned};
  return out;
}

RunRecord parse_single_run(std::string_view text, const std::string& file) {
  try {
    const Json json = Json::parse(text);
    if (json.value("format", 0) != kResultsFormat) {
      throw DataError(
          fmt::format("{}: results of another version of emgnn; choose another --out", file));
    }
    if (json.at("runs").size() != 1) throw DataError(file + ": expected the results of one run");
    RunRecord run = parse_run(json.at("runs").at(0));
    if (json.contains("graphs")) run.graphs = parse_graphs(json);
    return run;
  } catch (const nlohmann::json::exception& error) {
    const std::string_view what = error.what();  // "[json.exception...] ..."
    throw DataError(fmt::format("{}: damaged: not the results of a run: {}", file,
                                what.substr(what.find(' ') + 1)));
  }
}

}  // namespace emgnn
