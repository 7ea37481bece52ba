// SPDX-License-Identifier: Apache-2.0
// What can be chosen about a run, whatever the method: its data, which settings it begins with, how many
// learners it trains, and how sure it is of what they say.
#pragma once

#include <cstdint>
#include <string>

#include <emgnn/base/options.h>
#include <emgnn/data/data.h>
#include <emgnn/data/molecule_options.h>

namespace emgnn {

struct DataOptions {
  std::string split;               // empty: the dataset's own
  double calibration_share = 0.0;  // of the validation rows that are set aside
  std::string task = "auto";       // what the labels are: auto, classes, labels, values
  double perturb = 0.0;            // percent of the edges
  bool normalise_features = false;
  bool directed_relations = false;  // each direction of a relation is an edge type of its own
  MoleculeOptions molecules;
};
void describe(OptionVisitor& visitor, DataOptions& options, DataKind kind);

// Which shipped settings are the base of all others; see presets.h.
struct PresetOptions {
  std::string name = "none";
};
void describe(OptionVisitor& visitor, PresetOptions& options);

struct EnsembleOptions {
  int64_t members = 1;
};
void describe(OptionVisitor& visitor, EnsembleOptions& options);

enum class Calibration { kNone, kValidation };

struct CalibrationOptions {
  Calibration by = Calibration::kNone;
};
void describe(OptionVisitor& visitor, CalibrationOptions& options);

}  // namespace emgnn
