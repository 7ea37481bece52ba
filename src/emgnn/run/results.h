// SPDX-License-Identifier: Apache-2.0
// The outcome of one or more runs of a method on a dataset, as numbers.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <emgnn/learn/record.h>

namespace emgnn {

// One key of the configuration with its value and the layer that it comes from.
struct ConfigEntry {
  std::string key, help, accepted, value, layer;
  enum class Kind { kFlag, kInteger, kReal, kText, kChoice } kind = Kind::kText;
};

// Spearman's ρ over the graphs of a distribution between how training ranks them and how good the
// test predictions under each alone are.
struct GraphRank {
  int64_t graphs = 0;                 // that were compared; 0: the method has no distribution
  std::optional<double> correlation;  // none: not defined
};

struct RunRecord {
  uint64_t seed = 0;
  double seconds = 0.0;          // training and prediction
  double prepare_seconds = 0.0;  // loading, candidate edges (in the first run), the graph family
  double peak_rss_mb = 0.0;      // of the process so far
  FitSummary fit;
  PartScores validation;
  std::optional<Scores> test;  // none: hidden
  std::optional<GraphDistribution> graphs;
  // The expected share of the answers that a single graph of these would change; none: there is no
  // distribution, or answers are values.
  std::optional<double> changed_by_graph;
  std::optional<GraphRank> graph_rank = {};    // none: not asked for
  std::optional<double> edge_auc = {};         // none: no edge was replaced, or none is in doubt
  std::optional<std::string> one_answer = {};  // to all scored rows; none: answers differ
};

struct Results {
  std::string dataset, method;
  std::vector<ConfigEntry> config;
  std::vector<ScoreInfo> scores;  // all that there may be; tables show the first
  std::vector<RunRecord> runs;    // at least one

  bool test_hidden() const { return !runs.front().test; }
};

// The mean over the runs of p_T, in the order of the points; none without a distribution.
std::optional<GraphDistribution> mean_graphs(const std::vector<RunRecord>& runs);

// Of the posteriors that predict, where they were sampled, figure by figure; none: they were not.
std::optional<McmcSummary> worst_sampling(const std::vector<RunRecord>& runs);
// One line for the user when one of them has not converged; empty: nothing to say.
std::string sampling_warning(const std::vector<RunRecord>& runs);

// Whether every run has it: some scores need predictions that say how sure they are.
bool has_score(const Results& results, const std::string& score);
// Of the test rows, or of the validation rows where the test is hidden.
std::vector<double> values_of(const Results& results, const std::string& score);

// What `emgnn train --json` prints.
nlohmann::ordered_json to_json(const Results& results);
// Every key with a value of its own type: {"em.rounds": 15, ...}.
nlohmann::ordered_json to_json(const std::vector<ConfigEntry>& config);

// A single run as to_json wrote it; DataError that names the file.
RunRecord parse_single_run(std::string_view text, const std::string& file);

}  // namespace emgnn
