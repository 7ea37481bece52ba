// SPDX-License-Identifier: Apache-2.0
#include <emgnn/data/labels.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <string_view>
#include <utility>

#include <emgnn/base/error.h>

namespace emgnn {
namespace {

constexpr LabelKind kTasks[] = {LabelKind::kClasses, LabelKind::kLabels, LabelKind::kValues};

[[noreturn]] void fail(const std::string& where, std::string_view what) {
  throw DataError(fmt::format("{}: {}", where, what));
}

void check_values(const Labels& labels, const std::string& where) {
  for (const double v : labels.value) {
    if (std::isinf(v)) fail(where, "a value is infinite");
    if (labels.kind == LabelKind::kLabels && !std::isnan(v) && v != 0 && v != 1)
      fail(where, fmt::format("a label is 0 or 1, found {}", v));
  }
}

}  // namespace

const char* name_of(LabelKind kind) {
  constexpr const char* kNames[] = {"none", "classes", "labels", "values"};
  return kNames[static_cast<size_t>(kind)];
}

bool Labels::known(int64_t row) const {
  if (kind == LabelKind::kNone) return false;
  if (kind == LabelKind::kClasses) return cls[static_cast<size_t>(row)] != kNoLabel;
  for (int32_t k = 0; k < num_names(); ++k) {
    if (!std::isnan(at(row, k))) return true;
  }
  return false;
}

int64_t Labels::num_known() const {
  int64_t count = 0;
  for (int64_t row = 0; row < num_rows; ++row) count += known(row) ? 1 : 0;
  return count;
}

std::vector<int32_t> Labels::known_rows() const {
  std::vector<int32_t> rows;
  for (int64_t row = 0; row < num_rows; ++row) {
    if (known(row)) rows.push_back(static_cast<int32_t>(row));
  }
  return rows;
}

Labels Labels::select(std::span<const int64_t> rows) const {
  Labels out{.kind = kind, .num_rows = static_cast<int64_t>(rows.size()), .names = names};
  for (const int64_t row : rows) {
    if (kind == LabelKind::kClasses) out.cls.push_back(cls[static_cast<size_t>(row)]);
    if (value.empty()) continue;
    const auto begin = value.begin() + row * num_names();
    out.value.insert(out.value.end(), begin, begin + num_names());
  }
  return out;
}

Labels no_labels(int64_t num_rows) { return {.num_rows = num_rows}; }

Labels unknown_classes(int64_t num_rows, std::vector<std::string> names) {
  return {.kind = LabelKind::kClasses,
          .num_rows = num_rows,
          .names = std::move(names),
          .cls = std::vector<int32_t>(static_cast<size_t>(num_rows), kNoLabel)};
}

std::vector<std::string> numbered_names(int32_t count, const std::string& prefix) {
  std::vector<std::string> names;
  for (int32_t i = 0; i < count; ++i) names.push_back(prefix + std::to_string(i));
  return names;
}

void check(const Labels& labels, const std::string& where) {
  const bool classes = labels.kind == LabelKind::kClasses, none = labels.kind == LabelKind::kNone;
  const auto rows = static_cast<size_t>(labels.num_rows);
  if (none != labels.names.empty()) fail(where, "labels have names, and no labels have none");
  if (labels.cls.size() != (classes ? rows : 0)) fail(where, "expected a class or none per row");
  if (labels.value.size() != (classes || none ? 0 : rows * labels.names.size()))
    fail(where, "expected a value of every name per row");
  if (std::set<std::string_view>(labels.names.begin(), labels.names.end()).size() !=
      labels.names.size())
    fail(where, "two labels have the same name");
  for (const int32_t cls : labels.cls) {
    if (cls != kNoLabel && (cls < 0 || cls >= labels.num_names()))
      fail(where, fmt::format("class {} is outside 0..{}", cls, labels.num_names() - 1));
  }
  check_values(labels, where);
}

std::optional<LabelKind> kind_of_task(const std::string& task) {
  if (task == "auto") return std::nullopt;
  const auto found = std::find_if(std::begin(kTasks), std::end(kTasks),
                                  [&](LabelKind kind) { return task == name_of(kind); });
  if (found == std::end(kTasks))
    throw UsageError(
        fmt::format("task: expected auto, classes, labels or values, found {:?}", task));
  return *found;
}

void check_task(const std::string& task, const Labels& labels, const std::string& dataset) {
  const auto wanted = kind_of_task(task);
  if (!wanted || *wanted == labels.kind) return;
  throw UsageError(fmt::format("task={}: {} comes with {}; the word is for files of your own", task,
                               dataset, name_of(labels.kind)));
}

}  // namespace emgnn
