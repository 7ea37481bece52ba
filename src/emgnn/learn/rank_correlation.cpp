// SPDX-License-Identifier: Apache-2.0
#include <emgnn/learn/rank_correlation.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include <emgnn/base/error.h>

namespace emgnn {

std::vector<double> mean_ranks(std::span<const double> values) {
  std::vector<size_t> order(values.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::sort(order.begin(), order.end(), [&](size_t a, size_t b) { return values[a] < values[b]; });
  std::vector<double> rank(values.size());
  for (size_t begin = 0, end = 0; begin < order.size(); begin = end) {
    while (end < order.size() && values[order[end]] == values[order[begin]]) ++end;
    const double mean = 0.5 * static_cast<double>(begin + 1 + end);
    for (size_t i = begin; i < end; ++i) rank[order[i]] = mean;
  }
  return rank;
}

std::optional<double> spearman(std::span<const double> a, std::span<const double> b) {
  EMGNN_DCHECK(a.size() == b.size());
  const auto is_nan = [](double v) { return std::isnan(v); };
  if (std::any_of(a.begin(), a.end(), is_nan) || std::any_of(b.begin(), b.end(), is_nan))
    return std::nullopt;
  const std::vector<double> x = mean_ranks(a), y = mean_ranks(b);
  const double mean = 0.5 * static_cast<double>(a.size() + 1);
  double xx = 0.0, yy = 0.0, xy = 0.0;
  for (size_t i = 0; i < x.size(); ++i) {
    xx += (x[i] - mean) * (x[i] - mean);
    yy += (y[i] - mean) * (y[i] - mean);
    xy += (x[i] - mean) * (y[i] - mean);
  }
  if (xx == 0.0 || yy == 0.0) return std::nullopt;
  return xy / std::sqrt(xx * yy);
}

}  // namespace emgnn
