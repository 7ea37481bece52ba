// SPDX-License-Identifier: Apache-2.0
#include <emgnn/learn/folds.h>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include <emgnn/base/error.h>
#include <emgnn/base/rng.h>
#include <emgnn/data/split_shares.h>

namespace emgnn {

namespace {

// What rows are dealt out by: neighbours in this order are alike.
double stratum(const Labels& labels, int32_t row) {
  const auto at = static_cast<size_t>(row);
  if (labels.kind == LabelKind::kClasses) return labels.cls[at];
  if (labels.kind != LabelKind::kValues) return 0.0;
  const double value = labels.value[at * labels.names.size()];
  return std::isnan(value) ? -std::numeric_limits<double>::infinity() : value;  // not known
}

}  // namespace

std::vector<std::vector<int32_t>> stratified_folds(const Labels& labels,
                                                   std::span<const int32_t> rows, int64_t count,
                                                   uint64_t seed) {
  if (static_cast<int64_t>(rows.size()) < count) {
    throw UsageError(fmt::format(
        "em.folds={}: {} labels to train on are too few; use fewer folds, or em.recipe=published",
        count, rows.size()));
  }
  std::vector<int32_t> order(rows.begin(), rows.end());
  std::sort(order.begin(), order.end());
  Rng rng(seed, Stream::kFold);
  shuffle(order, rng);
  std::stable_sort(order.begin(), order.end(),
                   [&](int32_t a, int32_t b) { return stratum(labels, a) < stratum(labels, b); });
  std::vector<std::vector<int32_t>> out(static_cast<size_t>(count));
  for (size_t i = 0; i < order.size(); ++i) out[i % out.size()].push_back(order[i]);
  for (std::vector<int32_t>& fold : out) std::sort(fold.begin(), fold.end());
  return out;
}

}  // namespace emgnn
