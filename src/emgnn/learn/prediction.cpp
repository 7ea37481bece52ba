// SPDX-License-Identifier: Apache-2.0
#include <emgnn/learn/prediction.h>

#include <algorithm>
#include <cmath>

namespace emgnn {

namespace {

double surprise(double p, double log_p) { return p > 0.0 ? -p * log_p : 0.0; }

}  // namespace

Prediction mean_of(std::span<const Prediction> predictions) {
  const auto count = static_cast<double>(predictions.size());
  Prediction out = predictions.front();
  for (const auto part : {&Prediction::value, &Prediction::graph_part, &Prediction::votes}) {
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
