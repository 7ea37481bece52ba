// SPDX-License-Identifier: Apache-2.0
#include <emgnn/learn/reliability.h>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace emgnn {

int calibration_bin(double confidence) {
  const double bin = std::ceil(confidence * kCalibrationBins) - 1.0;
  return bin > 0.0 ? static_cast<int>(std::min<double>(bin, kCalibrationBins - 1)) : 0;
}

void ReliabilitySums::add(double confidence, bool correct) {
  Sum& sum = sums_[static_cast<size_t>(calibration_bin(confidence))];
  sum.confidence += confidence;
  sum.correct += correct ? 1 : 0;
  ++sum.rows;
}

std::vector<ReliabilityBin> ReliabilitySums::bins() const {
  std::vector<ReliabilityBin> out;
  for (const Sum& sum : sums_) {
    if (sum.rows == 0) continue;
    const auto rows = static_cast<double>(sum.rows);
    out.push_back({sum.confidence / rows, static_cast<double>(sum.correct) / rows, sum.rows});
  }
  return out;
}

std::vector<ReliabilityBin> class_reliability(std::span<const double> log_prob,
                                              std::span<const int32_t> cls, int64_t num_classes) {
  const auto width = static_cast<size_t>(num_classes);
  ReliabilitySums sums;
  for (size_t i = 0; i < cls.size(); ++i) {
    const auto row = log_prob.subspan(i * width, width);
    const auto best = std::max_element(row.begin(), row.end());
    sums.add(std::exp(*best), best - row.begin() == cls[i]);
  }
  return sums.bins();
}

std::vector<ReliabilityBin> label_reliability(std::span<const double> prob,
                                              std::span<const double> label) {
  ReliabilitySums sums;
  for (size_t i = 0; i < label.size(); ++i) {
    if (std::isnan(label[i])) continue;
    sums.add(std::max(prob[i], 1.0 - prob[i]), (prob[i] > 0.5) == (label[i] > 0.5));
  }
  return sums.bins();
}

std::vector<ReliabilityBin> value_reliability(const PredictedNormals& normals) {
  std::vector<double> quantile;  // of each known target in its distribution
  for (size_t i = 0; i < normals.target.size(); ++i) {
    if (std::isnan(normals.target[i])) continue;
    if (!(normals.std[i] > 0.0)) return {};
    const double z = (normals.target[i] - normals.mean[i]) / normals.std[i];
    quantile.push_back(0.5 * std::erfc(-z / std::numbers::sqrt2));
  }
  std::vector<ReliabilityBin> out;
  if (quantile.empty()) return out;
  constexpr int kLevels = 20;
  for (int k = 1; k < kLevels; ++k) {
    const double level = static_cast<double>(k) / kLevels;
    const auto below =
        std::count_if(quantile.begin(), quantile.end(), [&](double q) { return q <= level; });
    out.push_back({level, static_cast<double>(below) / static_cast<double>(quantile.size()),
                   static_cast<int64_t>(quantile.size())});
  }
  return out;
}

}  // namespace emgnn
