// SPDX-License-Identifier: Apache-2.0
#include <emgnn/learn/conformal.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include <emgnn/base/error.h>
#include <emgnn/base/threads.h>

namespace emgnn {

namespace {

constexpr double kRounding = 1e-9;  // 0.7 * 10 is 7, not 7.000000000000001
constexpr int64_t kGrain = 1024;    // rows

}  // namespace

double conformal_quantile(std::span<const double> sorted, double level) {
  const double rank = std::ceil(static_cast<double>(sorted.size() + 1) * level - kRounding);
  if (rank > static_cast<double>(sorted.size())) return std::numeric_limits<double>::infinity();
  return sorted[static_cast<size_t>(std::max(rank, 1.0)) - 1];
}

// ⌈(n + 1) level⌉ ≤ n  ⇔  n ≥ level / (1 − level)
int64_t rows_for_level(double level) {
  return std::max<int64_t>(1, static_cast<int64_t>(std::ceil(level / (1.0 - level) - kRounding)));
}

std::vector<double> aps_scores(std::span<const double> prob, std::span<const double> u,
                               int64_t num_classes) {
  const auto width = static_cast<size_t>(num_classes);
  EMGNN_DCHECK(prob.size() == u.size() * width);
  std::vector<double> out(prob.size());
  parallel_for(static_cast<int64_t>(u.size()), kGrain, [&](int64_t begin, int64_t end) {
    std::vector<size_t> order(width);
    for (auto i = static_cast<size_t>(begin); i < static_cast<size_t>(end); ++i) {
      const auto row = prob.subspan(i * width, width);
      std::iota(order.begin(), order.end(), size_t{0});
      std::stable_sort(order.begin(), order.end(),
                       [&](size_t a, size_t b) { return row[a] > row[b]; });
      double likelier = 0.0;
      for (size_t c : order) {
        out[i * width + c] = likelier + u[i] * row[c];
        likelier += row[c];
      }
    }
  });
  return out;
}

std::vector<double> diffused_scores(std::span<const double> scores, const Neighbours& neighbours,
                                    int64_t num_classes, double share) {
  const auto width = static_cast<size_t>(num_classes);
  const size_t rows = neighbours.rowptr.size() - 1;
  EMGNN_DCHECK(scores.size() == rows * width);
  std::vector<double> out(scores.begin(), scores.end());
  parallel_for(static_cast<int64_t>(rows), kGrain, [&](int64_t begin, int64_t end) {
    for (auto i = static_cast<size_t>(begin); i < static_cast<size_t>(end); ++i) {
      const size_t first = neighbours.rowptr[i], last = neighbours.rowptr[i + 1];
      if (first == last) continue;
      const double each = share / static_cast<double>(last - first);
      for (size_t c = 0; c < width; ++c) {
        double sum = 0.0;
        for (size_t e = first; e < last; ++e) sum += scores[neighbours.col[e] * width + c];
        out[i * width + c] = (1.0 - share) * scores[i * width + c] + each * sum;
      }
    }
  });
  return out;
}

}  // namespace emgnn
