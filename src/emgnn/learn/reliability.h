// SPDX-License-Identifier: Apache-2.0
// How often answers of some certainty are right: the points of a reliability diagram. Pure functions
// of plain float64 arrays, all row-major.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include <emgnn/learn/metrics.h>
#include <emgnn/learn/spread_scores.h>

namespace emgnn {

struct ReliabilityBin {
  double confidence = 0.0;  // the mean of the rows
  double correct = 0.0;     // their share
  int64_t rows = 0;
};

// The bin of a confidence, ((b − 1)/15, b/15], counted from 0; NaN is in the first.
int calibration_bin(double confidence);

// Adds up answers by calibration_bin().
class ReliabilitySums {
 public:
  void add(double confidence, bool correct);
  std::vector<ReliabilityBin> bins() const;  // those that have rows

 private:
  struct Sum {
    double confidence = 0.0;
    int64_t correct = 0, rows = 0;
  };
  std::array<Sum, kCalibrationBins> sums_{};
};

// As in class_scores: the largest probability of each row, and whether it is of the right class.
std::vector<ReliabilityBin> class_reliability(std::span<const double> log_prob,
                                              std::span<const int32_t> cls, int64_t num_classes);
// As in label_scores: max(p, 1 − p) of each known entry.
std::vector<ReliabilityBin> label_reliability(std::span<const double> prob,
                                              std::span<const double> label);
// Of values: `confidence` is one of the levels 0.05, 0.10, …, 0.95, `correct` the share of the known
// targets, all together, at or below that quantile of their distribution. Empty without a known
// target, and where one has no std above 0.
std::vector<ReliabilityBin> value_reliability(const PredictedNormals& normals);

}  // namespace emgnn
