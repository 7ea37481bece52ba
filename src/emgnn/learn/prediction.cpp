// SPDX-License-Identifier: Apache-2.0
#include <emgnn/learn/prediction.h>

#include <algorithm>
#include <cmath>
#include <unordered_map>

namespace emgnn {

namespace {

using Part = std::vector<double> Prediction::*;
constexpr Part kParts[] = {&Prediction::value, &Prediction::graph_part, &Prediction::network_part,
                           &Prediction::noise, &Prediction::std,        &Prediction::votes};

double surprise(double p, double log_p) { return p > 0.0 ? -p * log_p : 0.0; }

}  // namespace

Prediction at_rows(const Prediction& prediction, std::span<const int32_t> rows) {
  std::unordered_map<int32_t, size_t> place;
  for (size_t i = 0; i < prediction.rows.size(); ++i) place[prediction.rows[i]] = i;
  std::vector<size_t> places;
  for (int32_t row : rows) places.push_back(place.at(row));
  return at_places(prediction, places);
}

Prediction at_places(const Prediction& prediction, std::span<const size_t> places) {
  Prediction out{.rows = {}, .width = prediction.width};
  for (size_t place : places) out.rows.push_back(prediction.rows[place]);
  for (const Part part : kParts) {
    const std::vector<double>& all = prediction.*part;
    if (all.empty()) continue;
    const size_t width = all.size() / prediction.rows.size();
    (out.*part).reserve(places.size() * width);
    for (size_t place : places) {
      const auto begin = all.begin() + static_cast<ptrdiff_t>(place * width);
      (out.*part).insert((out.*part).end(), begin, begin + static_cast<ptrdiff_t>(width));
    }
  }
  return out;
}

UncertaintyParts information_parts(const Prediction& prediction, size_t entry) {
  const double both = prediction.graph_part[entry];
  // More than both only by rounding.
  const double network =
      prediction.network_part.empty() ? 0.0 : std::clamp(prediction.network_part[entry], 0.0, both);
  return {.graph = both - network, .network = network};
}

UncertaintyParts std_parts(const Prediction& prediction, size_t entry) {
  const double both = prediction.graph_part[entry];
  if (prediction.network_part.empty()) return {.graph = both, .network = 0.0};
  const double network = std::min(prediction.network_part[entry], both);
  // √(both² − network²) without the squares, of which small ones would be lost
  return {.graph = std::sqrt((both - network) * (both + network)), .network = network};
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
