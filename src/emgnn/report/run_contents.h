// SPDX-License-Identifier: Apache-2.0
// All that a report shows of one folder of runs.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <emgnn/learn/metrics.h>
#include <emgnn/report/edge_summary.h>
#include <emgnn/report/prediction_summary.h>
#include <emgnn/run/stored_runs.h>

namespace emgnn {

struct RunContents {
  StoredRuns runs;
  std::vector<RunRecord> finished;               // of the runs
  std::optional<PredictionSummary> predictions;  // none: no run is finished
  // Of the run that is shown:
  std::optional<double> temperature;
  std::string edge_file;  // empty: it has no table of edges
  EdgeSummary edges;
  std::vector<std::string> asked;  // of the nodes that were asked for, those that it has
  std::vector<Neighbourhood> around;
  std::map<std::string, RowNote> notes;  // of the nodes of `edges` and `around`

  const ScoreInfo& main_score() const;
  const char* part() const { return runs.has_test() ? "test" : "validation"; }  // that is scored
  std::vector<double> values_of(const std::string& score) const;  // by run; NaN: it has none
};

// As read_runs; predictions.csv of a finished run is read, too. The neighbourhoods of the nodes
// `asked` for are drawn where the run has a table of edges.
RunContents read_contents(const std::filesystem::path& folder,
                          const std::vector<std::string>& asked = {});

}  // namespace emgnn
