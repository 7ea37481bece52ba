// SPDX-License-Identifier: Apache-2.0
#include <emgnn/learn/calibration.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include <emgnn/base/error.h>

namespace emgnn {

namespace {

// log softmax(row / T)_c = (row_c − m) / T − log Σ_k exp((row_k − m) / T), m the largest. The sum
// is 1 + the rest, so that log1p keeps what a confident row is short of certainty.
struct TemperedRow {
  TemperedRow(std::span<const double> row, double temperature) : temperature(temperature) {
    const auto top = std::max_element(row.begin(), row.end());
    largest = *top;
    double rest = 0.0;
    for (auto v = row.begin(); v != row.end(); ++v) {
      if (v != top) rest += std::exp((*v - largest) / temperature);
    }
    log_sum = std::log1p(rest);
  }
  double log_prob(double v) const { return (v - largest) / temperature - log_sum; }

  double temperature, largest, log_sum;
};

}  // namespace

double tempered_nll(std::span<const double> log_prob, std::span<const int32_t> cls,
                    int64_t num_classes, double temperature) {
  const auto width = static_cast<size_t>(num_classes);
  EMGNN_DCHECK(num_classes > 0 && log_prob.size() == cls.size() * width);
  double loss = 0.0;
  for (size_t i = 0; i < cls.size(); ++i) {
    EMGNN_DCHECK(cls[i] >= 0 && cls[i] < num_classes);
    const std::span<const double> row = log_prob.subspan(i * width, width);
    loss -= TemperedRow(row, temperature).log_prob(row[static_cast<size_t>(cls[i])]);
  }
  return loss / static_cast<double>(cls.size());
}

double fit_temperature(std::span<const double> log_prob, std::span<const int32_t> cls,
                       int64_t num_classes) {
  const auto nll = [&](double log_t) {
    return tempered_nll(log_prob, cls, num_classes, std::exp(log_t));
  };
  // The loss is convex in 1/T, hence has one valley in log T. It is flat there: nothing below
  // √ε ≈ 1e-8 of log T can be resolved. The width is log 400 · 0.618^k, which is 5e-9 after 44 cuts.
  constexpr int kCuts = 44;
  constexpr double kCut = 1.0 / std::numbers::phi;
  double lo = std::log(kMinTemperature), hi = std::log(kMaxTemperature);
  double a = hi - kCut * (hi - lo), b = lo + kCut * (hi - lo);
  double loss_a = nll(a), loss_b = nll(b);
  for (int i = 0; i < kCuts; ++i) {
    if (loss_a < loss_b) {
      hi = b;
      b = a;
      loss_b = loss_a;
      a = hi - kCut * (hi - lo);
      loss_a = nll(a);
    } else {
      lo = a;
      a = b;
      loss_a = loss_b;
      b = lo + kCut * (hi - lo);
      loss_b = nll(b);
    }
  }
  const double best = loss_a < loss_b ? a : b;
  return nll(best) < nll(0.0) ? std::exp(best) : 1.0;
}

void apply_temperature(std::span<double> log_prob, int64_t num_classes, double temperature) {
  const auto width = static_cast<size_t>(num_classes);
  EMGNN_DCHECK(num_classes > 0 && log_prob.size() % width == 0 && temperature > 0.0);
  if (temperature == 1.0) return;
  for (size_t i = 0; i < log_prob.size(); i += width) {
    const std::span<double> row = log_prob.subspan(i, width);
    const TemperedRow tempered(row, temperature);
    for (double& v : row) v = tempered.log_prob(v);
  }
}

}  // namespace emgnn
