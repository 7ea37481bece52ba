// SPDX-License-Identifier: Apache-2.0
// The outcome of one or more runs of a method on a dataset, and its JSON form (what `emgnn train
// --json` prints).
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <emgnn/em/config.h>
#include <emgnn/models/scores.h>
#include <emgnn/report/importance.h>
#include <emgnn/report/mcmc_summary.h>
#include <emgnn/report/weighted_point.h>

namespace emgnn {

struct RoundRecord {
  int64_t round = 0;
  double eta = 0.0, normalizer_ratio = 0.0, mean_loss = 0.0;
  std::optional<McmcSummary> mcmc;  // none: the posterior was enumerated
};

struct RunRecord {
  uint64_t seed = 0;
  double seconds = 0.0;          // training and prediction
  double prepare_seconds = 0.0;  // loading, candidate edges (in the first run), the graph family
  double peak_rss_mb = 0.0;      // of the process so far
  int64_t em_iterations = 0;
  bool stopped_early = false;
  Scores validation, test;
  std::vector<RoundRecord> rounds;
  std::vector<WeightedPoint> posterior;  // p_T
};

struct Results {
  std::string dataset, method;
  RunConfig config;
  std::vector<std::string> lambda_names;
  std::vector<RunRecord> runs;  // at least one

  Task task() const { return runs.front().test.task; }
};

// The mean over the runs of p_T, in the order of the points.
std::vector<WeightedPoint> mean_posterior(const std::vector<RunRecord>& runs);

// What the mean of p_T says about the edge types; empty for a method without a mixture.
Importance importance_of(const Results& results);

std::vector<double> test_scores(const std::vector<RunRecord>& runs, const ScoreName& score);

// Every key of the configuration with a value of its own type: {"em.rounds": 15, ...}.
nlohmann::ordered_json to_json(const RunConfig& config);
nlohmann::ordered_json to_json(const Results& results);

// The names and the record of a single run as to_json wrote them; DataError that names the file.
struct StoredRun {
  std::vector<std::string> lambda_names;
  RunRecord run;
};
StoredRun parse_single_run(std::string_view text, const std::string& file);

}  // namespace emgnn
