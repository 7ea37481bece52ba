// SPDX-License-Identifier: Apache-2.0
#include <emgnn/graph/receptive_field.h>

#include <algorithm>
#include <utility>

#include <emgnn/base/error.h>

namespace emgnn {

namespace {

constexpr int32_t kAbsent = -1;

void check_targets(const Csr& pattern, std::span<const int32_t> targets) {
  std::vector<bool> seen(size_t(pattern.num_rows), false);
  for (size_t k = 0; k < targets.size(); ++k) {
    if (targets[k] < 0 || targets[k] >= pattern.num_rows)
      throw UsageError(
          fmt::format("target {}: node {} is outside [0, {})", k, targets[k], pattern.num_rows));
    if (seen[size_t(targets[k])])
      throw UsageError(fmt::format("target {}: node {} was given before", k, targets[k]));
    seen[size_t(targets[k])] = true;
  }
}

// The last step towards `output_rows`, from all nodes or from those that it needs; `place`
// [num_nodes] is all kAbsent before and after.
Hop hop_into(const Csr& pattern, std::vector<int32_t> output_rows, std::vector<int32_t>& place,
             bool from_all) {
  Hop hop;
  hop.output_rows = std::move(output_rows);
  if (from_all) std::fill(place.begin(), place.end(), 0);
  for (const int32_t i : hop.output_rows)
    for (const int32_t j : pattern.row(i).col) place[size_t(j)] = 0;
  for (int32_t i = 0; i < pattern.num_rows; ++i) {
    if (place[size_t(i)] == kAbsent) continue;
    place[size_t(i)] = static_cast<int32_t>(hop.input_rows.size());
    hop.input_rows.push_back(i);
  }
  hop.pattern.num_rows = static_cast<int32_t>(hop.output_rows.size());
  hop.pattern.num_cols = static_cast<int32_t>(hop.input_rows.size());
  for (const int32_t i : hop.output_rows) {
    for (const auto [e, j] : pattern.row(i)) {
      if (j == i) hop.self.push_back(place[size_t(i)]);
      hop.pattern.col.push_back(place[size_t(j)]);
      hop.entry.push_back(e);
    }
    hop.pattern.rowptr.push_back(static_cast<int32_t>(hop.pattern.col.size()));
    EMGNN_CHECK(hop.self.size() + 1 == hop.pattern.rowptr.size(),
                "a receptive field needs every diagonal entry; missing at node", i);
  }
  for (const int32_t i : hop.input_rows) place[size_t(i)] = kAbsent;
  return hop;
}

}  // namespace

std::vector<Hop> receptive_field(const Csr& pattern, std::span<const int32_t> targets,
                                 int num_hops) {
  EMGNN_CHECK(pattern.num_rows == pattern.num_cols, "a receptive field needs a square pattern",
              fmt::format("{} x {}", pattern.num_rows, pattern.num_cols));
  EMGNN_CHECK(num_hops >= 0, "the number of hops cannot be negative", num_hops);
  check_targets(pattern, targets);
  std::vector<int32_t> place(size_t(pattern.num_rows), kAbsent);
  std::vector<int32_t> rows(targets.begin(), targets.end());
  std::vector<Hop> hops;
  const bool whole = num_hops == kWholeGraph;
  for (int k = 0; k < (whole ? 2 : num_hops); ++k) {
    hops.push_back(hop_into(pattern, std::move(rows), place, whole));
    rows = hops.back().input_rows;
  }
  std::reverse(hops.begin(), hops.end());
  return hops;
}

}  // namespace emgnn
