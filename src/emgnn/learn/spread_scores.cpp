// SPDX-License-Identifier: Apache-2.0
#include <emgnn/learn/spread_scores.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <optional>
#include <vector>

#include <emgnn/base/error.h>
#include <emgnn/learn/noise_fit.h>
#include <emgnn/learn/rank_correlation.h>

namespace emgnn {

namespace {

constexpr int kLevels = 20;  // 19 between 0 and 1
constexpr double kCovered = 0.9;

// Of one target, the known entries.
struct Column {
  std::vector<double> error, std;
};

Column column_of(const PredictedNormals& normals, size_t target) {
  Column out;
  const auto width = static_cast<size_t>(normals.num_targets);
  for (size_t i = target; i < normals.target.size(); i += width) {
    if (std::isnan(normals.target[i])) continue;
    out.error.push_back(normals.target[i] - normals.mean[i]);
    out.std.push_back(normals.std[i]);
  }
  return out;
}

struct ColumnScores {
  double nll = 0.0, calibration_error = 0.0, coverage = 0.0;
};

ColumnScores scores_of(const Column& column) {
  ColumnScores out;
  const auto n = static_cast<double>(column.error.size());
  std::array<double, kLevels> below{};  // [k]: rows at or below the quantile k / kLevels
  for (size_t i = 0; i < column.error.size(); ++i) {
    const double e = column.error[i], std = column.std[i];
    const double z = e / (std * std::numbers::sqrt2);
    out.nll += normal_nll(e, std * std) / n;
    // Within the middle q of a normal distribution: erf(|z|) ≤ q.
    if (std::erf(std::abs(z)) <= kCovered) out.coverage += 1.0 / n;
    const double quantile = 0.5 * std::erfc(-z);
    for (int k = 1; k < kLevels; ++k)
      if (quantile <= static_cast<double>(k) / kLevels) below[static_cast<size_t>(k)] += 1.0;
  }
  for (int k = 1; k < kLevels; ++k) {
    const double level = static_cast<double>(k) / kLevels;
    out.calibration_error += std::abs(below[static_cast<size_t>(k)] / n - level) / (kLevels - 1);
  }
  return out;
}

std::optional<double> correlation(const Column& column) {
  std::vector<double> size;
  for (double e : column.error) size.push_back(std::abs(e));
  return spearman(size, column.std);
}

}  // namespace

void add_spread_scores(Scores& into, const PredictedNormals& normals, Ranks ranks) {
  EMGNN_DCHECK(normals.num_targets > 0 && normals.mean.size() == normals.target.size() &&
               normals.std.size() == normals.target.size());
  std::vector<Column> columns;
  for (int64_t t = 0; t < normals.num_targets; ++t) {
    Column column = column_of(normals, static_cast<size_t>(t));
    const auto usable = [](double std) { return std > 0.0 && std::isfinite(std); };
    if (!std::all_of(column.std.begin(), column.std.end(), usable)) return;
    if (!column.error.empty()) columns.push_back(std::move(column));
  }
  if (columns.empty()) return;
  ColumnScores mean;
  std::optional<double> rho = 0.0;  // none as soon as one is not defined
  const auto count = static_cast<double>(columns.size());
  for (const Column& column : columns) {
    const ColumnScores own = scores_of(column);
    mean.nll += own.nll / count;
    mean.calibration_error += own.calibration_error / count;
    mean.coverage += own.coverage / count;
    const std::optional<double> one =
        ranks == Ranks::kCompute && rho ? correlation(column) : std::nullopt;
    rho = one ? std::optional(*rho + *one / count) : std::nullopt;
  }
  into.set("nll", mean.nll);
  into.set("calibration_error", mean.calibration_error);
  into.set("coverage_90", mean.coverage);
  if (rho) into.set("spread_error_correlation", *rho);
}

std::span<const ScoreInfo> spread_score_info() {
  static const std::array<ScoreInfo, 4> info = {{{"nll", false, false},
                                                 {"calibration_error", false, false},
                                                 {"coverage_90", true, true},
                                                 {"spread_error_correlation", true, false}}};
  return info;
}

}  // namespace emgnn
