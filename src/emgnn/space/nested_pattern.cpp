// SPDX-License-Identifier: Apache-2.0
#include <emgnn/space/nested_pattern.h>

#include <algorithm>

namespace emgnn {

namespace {

struct Placed {
  EntryFate fate;
  int32_t col;
};

}  // namespace

NestedPattern::NestedPattern(const Csr& pattern, int64_t num_levels,
                             const std::function<EntryFate(int64_t entry)>& fate)
    : num_rows_(pattern.num_rows), num_cols_(pattern.num_cols) {
  const auto levels = static_cast<size_t>(num_levels), rows = static_cast<size_t>(num_rows_);
  stay_.resize(levels * rows);
  arrive_.resize(levels * rows);
  bool all_ones = true;
  std::vector<Placed> leaving, entering;
  for (size_t i = 0; i < rows; ++i) {
    leaving.clear();
    entering.clear();
    for (int32_t e = pattern.rowptr[i]; e < pattern.rowptr[i + 1]; ++e) {
      const EntryFate f = fate(e);
      if (f.enters && f.level >= num_levels) continue;
      (f.enters ? entering : leaving).push_back({f, pattern.col[static_cast<size_t>(e)]});
      // Levels at which the entry is there: below its own, or from its own on.
      for (size_t k = f.enters ? static_cast<size_t>(f.level) : 0;
           k < (f.enters ? levels : static_cast<size_t>(f.level)); ++k)
        ++(f.enters ? arrive_ : stay_)[k * rows + i];
      all_ones = all_ones && f.weight == 1.0F;
    }
    std::stable_sort(leaving.begin(), leaving.end(),
                     [](const Placed& a, const Placed& b) { return a.fate.level > b.fate.level; });
    std::stable_sort(entering.begin(), entering.end(),
                     [](const Placed& a, const Placed& b) { return a.fate.level < b.fate.level; });
    for (const std::vector<Placed>* list : {&leaving, &entering}) {
      for (const Placed& entry : *list) {
        col_.push_back(entry.col);
        val_.push_back(entry.fate.weight);
      }
      start_.push_back(static_cast<int32_t>(col_.size()));
    }
  }
  if (all_ones) val_ = {};
}

kernels::NestedView NestedPattern::view() const {
  return {num_rows_, num_cols_, start_.data(), col_.data(), val_.empty() ? nullptr : val_.data()};
}

kernels::NestedCounts NestedPattern::counts(int64_t drop, int64_t add) const {
  return {stay_.data() + drop * num_rows_, arrive_.data() + add * num_rows_};
}

}  // namespace emgnn
