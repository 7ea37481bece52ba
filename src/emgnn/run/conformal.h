// SPDX-License-Identifier: Apache-2.0
// Prediction sets and intervals: what a model knows of its calibration rows, and what that says of
// other rows. The theory is in learn/conformal.h.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include <emgnn/data/data.h>
#include <emgnn/formats/safetensors.h>
#include <emgnn/learn/prediction.h>

namespace emgnn {

// How odd a class is for a row: by the row's probabilities alone, or by its neighbours' too.
enum class SetForm { kAps, kDaps };

// The scores of the right answers of the calibration rows, ascending, by what they are of:
//   classes  aps and, for nodes, daps
//   labels   label/K of each, the adaptive score of "there" or "not there"
//   values   error/T of each target, |y − ŷ|, or spread/T, |y − ŷ| / std, where there is a std
// No rows: nothing.
using CalibrationScores = std::map<std::string, std::vector<double>>;

// `prediction` is of all rows that the method predicts, for some of them are neighbours of others;
// `seed` is the run's.
CalibrationScores calibration_scores(const Data& data, const Prediction& prediction,
                                     std::span<const int32_t> rows, uint64_t seed);

// As a part of a stored model.
void store(const CalibrationScores& scores, TensorArchive& into);
CalibrationScores stored_calibration(const TensorArchive& archive);

struct SetRequest {
  double level = 0.9;  // in (0, 1)
  SetForm form = SetForm::kAps;
  uint64_t seed = 0;  // of the run
};

// Of the predicted rows, in their order.
struct PredictedSets {
  LabelKind kind = LabelKind::kNone;
  size_t width = 0;      // classes, labels or targets
  std::vector<char> in;  // classes [rows, width]; labels [rows, width, 2]: not there, there
  std::vector<double> lower, upper;  // values [rows, width]

  // How many answers there are in the set of an entry; a row of classes has one entry.
  int64_t size_of(size_t entry) const;
};
// UsageError when the model has no scores of this kind, or too few for the level.
PredictedSets predicted_sets(const Data& data, const Prediction& prediction,
                             const CalibrationScores& scores, const SetRequest& request);

// Of each predicted row: the share of its known entries whose set has the right answer, and the mean
// size of its sets, or width of its intervals. NaN where nothing is known.
struct RowCoverage {
  std::vector<double> covered, size;
};
RowCoverage coverage_of(const PredictedSets& sets, const Prediction& prediction,
                        const Labels& labels);

}  // namespace emgnn
