// SPDX-License-Identifier: Apache-2.0
// The figures that `data info` and `data verify` show.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <emgnn/data/molecule.h>
#include <emgnn/data/parsed_dataset.h>

namespace emgnn {

// Of one class, label or target.
struct NameSummary {
  std::string name;
  int64_t rows = 0;                            // of the class; with a known entry
  double mean = 0, std = 0, min = 0, max = 0;  // of known entries, not of classes; std over n
};

struct LabelSummary {
  LabelKind kind = LabelKind::kNone;
  int64_t known = 0;  // rows
  std::vector<NameSummary> names;
};
LabelSummary describe(const Labels& labels);

struct DatasetSummary {
  std::string name;
  int64_t nodes = 0;
  std::vector<std::pair<std::string, int64_t>> node_types;  // empty: one type
  std::vector<std::pair<std::string, int64_t>>
      edges;  // by relation; undirected, once, no self loops
  int64_t features = 0;
  int64_t classes = 0;  // names of classes or of labels; 0 for values
  LabelSummary labels;
  int64_t train = 0, validation = 0, test = 0;
  std::optional<double> homophily;  // share of same-class edges among those between labelled nodes;
                                    // nothing without any such edge or without classes
  int64_t isolated = 0;             // nodes without a neighbour in any relation
  int64_t duplicates = 0, self_loops = 0;  // found in the files and left out
  std::vector<std::string> valid_splits;
  std::vector<std::string> notes;
};

DatasetSummary describe(const ParsedDataset& parsed, const Split& split);

struct MoleculeSummary {
  std::string name;
  int64_t molecules = 0, rejects = 0;
  int64_t targets = 0;  // columns to predict
  LabelSummary labels;
  double atoms_mean = 0, bonds_mean = 0;
  int64_t atoms_max = 0;
  int64_t scaffolds = 0;  // different ones
  int64_t train = 0, validation = 0, test = 0;
  std::vector<std::string> valid_splits;
  std::vector<Reject> first_rejects;  // at most five
  std::vector<std::string> notes;
};

// An empty split where there is none.
MoleculeSummary describe(const MoleculeTable& table, const Split& split);

// "2708 nodes, 5278 citation, 1433 features, 7 classes, split 140/500/1000"; or "6 labels",
// "1 values"
std::string one_line(const DatasetSummary& summary);

}  // namespace emgnn
