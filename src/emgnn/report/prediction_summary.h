// SPDX-License-Identifier: Apache-2.0
// What a report shows of predictions.csv, gathered in one pass.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <emgnn/report/charts.h>
#include <emgnn/run/prediction_rows.h>

namespace emgnn {

// One node or molecule.
struct RowNote {
  std::string name, smiles, split, label, predicted;
  int32_t answer = kNoLabel;
  double confidence = 0.0;  // p of the answer
  double entropy = 0.0, graph_information = 0.0;
  std::vector<PredictedValue> values;
};

struct PredictionSummary {
  std::vector<std::string> names;  // classes, labels or targets
  int64_t rows = 0;                // of the first file
  int64_t scored = 0;              // rows of the scored part with a known label, of all files
  std::vector<double> confusion;   // of classes: [names, names], the mean over the files
  std::vector<ReliabilityBin> before,
      after;  // of classes; before: only where there was a temperature
  // What answering with the training rows alone would score: of classes the accuracy of the most
  // frequent one, of values the RMSE of the mean; the mean over the files. None: no label is known.
  std::optional<double> baseline;
  // Of the first file, at most kShownRows each:
  std::vector<RowNote> unsure;    // the least sure answers
  std::vector<RowNote> by_graph;  // those that depend most on which graph is the true one
  // Of the scored part: of classes the surest that are wrong, of values the largest errors of the
  // first target.
  std::vector<RowNote> wrong;
  std::vector<std::vector<ValuePoint>> points;  // of values: by target, of the scored part
  bool whole_spread = false;  // of values: spreads are of the whole, not of what is drawn alone
  bool over_graphs = false, over_networks = false;  // answers differ between the ones, the others
  bool molecules = false;                           // else nodes
};

inline constexpr size_t kShownRows = 10;

// Gathers the files of several runs of the same data.
class PredictionCollector {
 public:
  // `part`: the split whose rows are scored.
  PredictionCollector(LabelKind kind, std::string part) : kind_(kind), part_(std::move(part)) {}

  // `temperature`: of the calibration that made the probabilities what they are.
  void add(std::string_view text, const std::string& file, std::optional<double> temperature);
  PredictionSummary summary() const;

 private:
  // Of one file.
  struct Labelled {
    std::vector<int64_t> train, scored;                                    // by class
    std::vector<double> train_sum, train_rows, sum, squares, scored_rows;  // by target
  };
  void add_row(const PredictedRow& row, std::optional<double> temperature, Labelled& labelled);
  void add_scored_class(const PredictedRow& row, std::optional<double> temperature);
  void add_values(const PredictedRow& row, Labelled& labelled);
  void keep_row(const PredictedRow& row);
  void add_baseline(const Labelled& labelled);

  LabelKind kind_;
  std::string part_;
  int64_t files_ = 0;
  PredictionSummary out_;
  std::vector<double> baselines_;
  ReliabilitySums before_, after_;
};

// The predictions of some rows, by their names.
std::map<std::string, RowNote> notes_of(std::string_view text, const std::string& file,
                                        LabelKind kind, const std::set<std::string>& names);

}  // namespace emgnn
