// SPDX-License-Identifier: Apache-2.0
#include <emgnn/run/run_json.h>

#include <nlohmann/json.hpp>

#include <emgnn/run/json_number.h>

namespace emgnn {

namespace {

using Json = nlohmann::ordered_json;

Json to_json(const McmcSummary& summary) {
  Json out = {{"rhat", summary.rhat},
              {"ess", summary.ess},
              {"ess_tail", summary.ess_tail},
              {"mcse", summary.mcse},
              {"acceptance", summary.acceptance},
              {"evaluated", summary.evaluated},
              {"converged", summary.converged()}};
  if (summary.fitted()) {
    out["fit_error"] = summary.fit_error;
    out["corrected"] = summary.corrected;
  }
  return out;
}

McmcSummary parse_mcmc(const Json& json) {
  return {.rhat = real_or_nan(json.at("rhat")),
          .ess = real_or_nan(json.at("ess")),
          .acceptance = json.at("acceptance").get<double>(),
          .evaluated = json.at("evaluated").get<int64_t>(),
          .fit_error = json.value("fit_error", 0.0),
          .corrected = json.value("corrected", 1.0),
          // Results of an earlier version have no such figures.
          .ess_tail = real_or_nan(json.contains("ess_tail") ? json.at("ess_tail") : json.at("ess")),
          .mcse = json.contains("mcse") ? real_or_nan(json.at("mcse")) : 0.0};
}

}  // namespace

Json to_json(const RoundRecord& round) {
  Json out = {{"round", round.round},
              {"eta", round.eta},
              {"normalizer_ratio", round.normalizer_ratio},
              {"mean_loss", round.mean_loss},
              {"mean_lambda", round.mean_lambda}};
  if (round.mcmc) out["mcmc"] = to_json(*round.mcmc);
  if (round.member) out["member"] = *round.member;
  return out;
}

RoundRecord parse_round(const Json& json) {
  RoundRecord out{.round = json.at("round").get<int64_t>(),
                  .eta = json.at("eta").get<double>(),
                  .normalizer_ratio = real_or_nan(json.at("normalizer_ratio")),
                  .mean_loss = real_or_nan(json.at("mean_loss")),
                  .mean_lambda = json.at("mean_lambda").get<std::vector<double>>(),
                  .mcmc = {},
                  .member = {}};
  if (json.contains("mcmc")) out.mcmc = parse_mcmc(json.at("mcmc"));
  if (json.contains("member")) out.member = json.at("member").get<int64_t>();
  return out;
}

Json to_json(const SampledPosterior& sampled) {
  Json out = to_json(sampled.worst);
  out["coordinates"] = Json::array();
  for (const CoordinateDiagnostics& c : sampled.coordinates)
    out["coordinates"].push_back({{"name", c.name},
                                  {"mean", c.mean},
                                  {"sd", c.sd},
                                  {"mcse", c.mcse},
                                  {"rhat", c.rhat},
                                  {"ess_bulk", c.ess},
                                  {"ess_tail", c.ess_tail}});
  return out;
}

SampledPosterior parse_sampled(const Json& json) {
  SampledPosterior out{.worst = parse_mcmc(json), .coordinates = {}};
  for (const Json& c : json.at("coordinates"))
    out.coordinates.push_back({.name = c.at("name").get<std::string>(),
                               .mean = real_or_nan(c.at("mean")),
                               .sd = real_or_nan(c.at("sd")),
                               .mcse = real_or_nan(c.at("mcse")),
                               .rhat = real_or_nan(c.at("rhat")),
                               .ess = real_or_nan(c.at("ess_bulk")),
                               .ess_tail = real_or_nan(c.at("ess_tail"))});
  return out;
}

}  // namespace emgnn
