// SPDX-License-Identifier: Apache-2.0
#include <emgnn/learn/prediction.h>

#include <algorithm>
#include <cmath>
#include <unordered_map>

namespace emgnn {

namespace {

using Part = std::vector<double> Prediction::*;
constexpr Part kParts[] = {&Prediction::value, &Prediction::graph_part, &Prediction::noise,
                           &Prediction::std, &Prediction::votes};

double surprise(double p, double log_p) { return p > 0.0 ? -p * log_p : 0.0; }

}  // namespace

Prediction at_rows(const Prediction& prediction, std::span<const int32_t> rows) {
  std::unordered_map<int32_t, size_t> place;
  for (size_t i = 0; i < prediction.rows.size(); ++i) place[prediction.rows[i]] = i;
  Prediction out{.rows = {rows.begin(), rows.end()}, .width = prediction.width};
  for (const Part part : kParts) {
    const std::vector<double>& all = prediction.*part;
    if (all.empty()) continue;
    const size_t width = all.size() / prediction.rows.size();
    for (int32_t row : rows) {
      const auto begin = all.begin() + static_cast<ptrdiff_t>(place.at(row) * width);
      (out.*part).insert((out.*part).end(), begin, begin + static_cast<ptrdiff_t>(width));
    }
  }
  return out;
}

Prediction mean_of(std::span<const Prediction> predictions) {
  const auto count = static_cast<double>(predictions.size());
  Prediction out = predictions.front();
  for (const Part part : kParts) {
    for (size_t i = 0; i < (out.*part).size(); ++i) {
      double sum = 0.0;
      for (const Prediction& p : predictions) sum += (p.*part)[i];
      (out.*part)[i] = sum / count;
    }
  }
  return out;
}

double entropy(std::span<const double> log_prob) {
  double sum = 0.0;
  for (double log_p : log_prob) sum += surprise(std::exp(log_p), log_p);
  return std::max(0.0, sum);  // a probability of 1 may be rounded up
}

double label_entropy(double p) {
  return surprise(p, std::log(p)) + surprise(1.0 - p, std::log1p(-p));
}

}  // namespace emgnn
