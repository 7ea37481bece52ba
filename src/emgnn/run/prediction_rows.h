// SPDX-License-Identifier: Apache-2.0
// predictions.csv, read again row by row.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include <emgnn/data/labels.h>
#include <emgnn/formats/csv.h>

namespace emgnn {

// Of one target. NaN: not known, or not predicted.
struct PredictedValue {
  static constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  double target = kNone, value = kNone, graph_std = kNone, network_std = kNone, std = kNone;

  // That of the whole; where it is not known, over graphs and networks together.
  double spread() const;
};

// What is of another kind of labels is empty.
struct PredictedRow {
  std::string_view name, smiles, split;  // smiles: of molecules
  std::string_view label, predicted;     // of classes and labels; the label is empty where unknown
  int32_t cls = kNoLabel, answer = kNoLabel;      // of classes: label and predicted as numbers
  std::vector<double> p;                          // [names] of classes and labels
  double entropy = 0.0, graph_information = 0.0;  // of labels: sums over them
  std::vector<PredictedValue> values;             // [names]
};

// One pass over the text; a row is valid until the next. DataError with line and column.
class PredictionReader {
 public:
  PredictionReader(std::string_view text, const std::string& file, LabelKind kind);

  const std::vector<std::string>& names() const { return names_; }  // classes, labels or targets
  bool next();
  const PredictedRow& row() const { return row_; }

 private:
  struct Columns {
    int target = -1, value = -1, graph_std = -1, network_std = -1, std = -1;  // of values
    int p = -1, entropy = -1, graph_information = -1;  // of labels; of classes p alone
  };
  void find_columns();
  Columns columns_of(const std::string& name) const;
  std::string_view text_at(int column) const;
  double number_at(int column) const;  // NaN where the column is none or the field empty
  int32_t number_of(std::string_view name, int column) const;
  void read_classes();

  CsvTable table_;
  LabelKind kind_;
  std::vector<std::string> names_;
  std::vector<Columns> columns_;  // beside names_
  int name_ = 0, smiles_ = -1, split_ = -1, label_ = -1, predicted_ = -1;
  PredictedRow row_;
};

}  // namespace emgnn
