// SPDX-License-Identifier: Apache-2.0
// Predicts with the model of a finished run.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <emgnn/data/data.h>
#include <emgnn/learn/learner.h>
#include <emgnn/run/request.h>

namespace emgnn {

// Molecules need no target and nodes of another graph no label. UsageError when the folder holds no
// finished run, or when the data does not fit the model.
PredictedTable predict(const PredictRequest& request);

// The model of a run, put back on some data, with its predictions.
struct Predicted {
  std::string dataset, method;
  bool own_data = false;  // what it was trained on
  std::shared_ptr<const Data> data;
  std::shared_ptr<Learner> learner;
  Prediction prediction;
  uint64_t seed = 0;                      // of the run
  CalibrationScores calibration_scores;   // that the model holds
  std::vector<int32_t> calibration_rows;  // of own data, where some were set aside
  std::string calibrated_by;              // "calibration", or "validation": all of those rows
  std::vector<std::string> notes;
};
// With labels, `evaluate` needs the split of the run's own data and the labels of other data.
Predicted predict_with(const PredictRequest& request, bool with_labels);
// At a level, in the form that the request asks for.
PredictedSets sets_of(const Predicted& predicted, double level, SetForm form);

}  // namespace emgnn
