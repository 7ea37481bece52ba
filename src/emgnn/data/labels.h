// SPDX-License-Identifier: Apache-2.0
// What is known about the rows of a dataset: the nodes of a graph, or the molecules of a table.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace emgnn {

inline constexpr int32_t kNoLabel = -1;

enum class LabelKind : uint8_t {
  kNone,
  kClasses,  // one class per row
  kLabels,   // several labels at once, each there or not
  kValues,   // numbers
};
const char* name_of(LabelKind kind);  // "none", "classes", "labels", "values"

struct Labels {
  LabelKind kind = LabelKind::kNone;
  int64_t num_rows = 0;
  std::vector<std::string> names;  // the classes; the labels a row may have; the targets
  std::vector<int32_t> cls;        // kClasses: [num_rows] 0..num_names-1, or kNoLabel
  // kLabels (0 or 1) and kValues: [num_rows, num_names] row-major; NaN: not known
  std::vector<double> value;

  int32_t num_names() const { return static_cast<int32_t>(names.size()); }
  int32_t num_classes() const { return kind == LabelKind::kClasses ? num_names() : 0; }
  double at(int64_t row, int32_t name) const {  // kLabels and kValues
    return value[static_cast<size_t>(row * num_names() + name)];
  }
  bool known(int64_t row) const;  // any entry is
  int64_t num_known() const;      // rows
  std::vector<int32_t> known_rows() const;
  Labels select(std::span<const int64_t> rows) const;  // these rows, in this order
};

// num_rows rows, none of them known yet.
Labels no_labels(int64_t num_rows);
Labels unknown_classes(int64_t num_rows, std::vector<std::string> names);
std::vector<std::string> numbered_names(int32_t count, const std::string& prefix = "");  // "0", ...

// DataError "where: ..." when sizes disagree, a class is out of range, a label is neither 0 nor 1,
// a value is infinite, or a name comes twice.
void check(const Labels& labels, const std::string& where);

// The word `task` of a request: "classes", "labels" or "values"; nothing for "auto". UsageError
// otherwise.
std::optional<LabelKind> kind_of_task(const std::string& task);

// UsageError unless `task` is "auto" or the kind that `dataset` comes with.
void check_task(const std::string& task, const Labels& labels, const std::string& dataset);

}  // namespace emgnn
