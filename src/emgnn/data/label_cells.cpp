// SPDX-License-Identifier: Apache-2.0
#include <emgnn/data/label_cells.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include <emgnn/base/error.h>
#include <emgnn/formats/csv.h>

namespace emgnn {
namespace {

constexpr std::string_view kSeparators = ";|";
constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();
// Up to here any column may hold classes. Beyond, one with hardly a repetition is something else.
constexpr size_t kFewNames = 20;
constexpr int64_t kCellsPerNumber = 10;
// In fewer cells a class of one row says nothing.
constexpr int64_t kFewCells = 20;

struct Inferred {
  LabelKind kind;
  std::string reason;     // what was seen
  std::string otherwise;  // what to set where it is something else
};
constexpr const char* kForValues = "--set task=values for regression";
constexpr const char* kForClasses = "--set task=classes for classification";

// What the different texts of a column are; each field is the place of the first such text.
struct Texts {
  std::vector<std::optional<double>> number;
  std::optional<size_t> number_at, fraction_at, word_at, several_at, not_binary_at;
};

Texts look_at(const LabelCells& cells) {
  Texts found;
  const auto first = [](std::optional<size_t>& at, bool is, size_t i) {
    if (is && !at) at = i;
  };
  for (size_t i = 0; i < cells.texts().size(); ++i) {
    const std::string& text = cells.texts()[i];
    const auto number = number_in(text);
    found.number.push_back(number);
    first(found.number_at, number.has_value(), i);
    first(found.fraction_at, number && *number != std::floor(*number), i);
    first(found.not_binary_at, !number || (*number != 0 && *number != 1), i);
    first(found.word_at, !number, i);
    first(found.several_at, text.find_first_of(kSeparators) != std::string::npos, i);
  }
  return found;
}

std::vector<int64_t> count_each(const LabelCells& cells) {
  std::vector<int64_t> count(cells.texts().size(), 0);
  for (const int32_t text : cells.cells()) {
    if (text != kNoLabel) ++count[static_cast<size_t>(text)];
  }
  return count;
}

int64_t num_known(const LabelCells& cells) {
  const auto& all = cells.cells();
  return cells.num_rows() - std::count(all.begin(), all.end(), kNoLabel);
}

// Names, notes and remarks repeat hardly ever; classes do. A class of one row cannot be both
// learned and tested, and is most often a typing error.
void check_that_classes_repeat(const LabelCells& cells) {
  const std::vector<int64_t> count = count_each(cells);
  const auto single = std::count(count.begin(), count.end(), 1);
  if (single == 0 || num_known(cells) < kFewCells) return;
  const auto at = static_cast<size_t>(std::find(count.begin(), count.end(), 1) - count.begin());
  cells.fail(at, fmt::format("{:?} is one of {} names of {} that stand in one cell only; if they "
                             "are classes, set task=classes",
                             cells.texts()[at].substr(0, 40), single, count.size()));
}

bool few_numbers_often(const LabelCells& cells) {
  const auto different = static_cast<int64_t>(cells.texts().size());
  return cells.texts().size() <= kFewNames && different * kCellsPerNumber <= num_known(cells);
}

[[noreturn]] void fail_between_values_and_classes(const LabelCells& cells, std::string_view what) {
  cells.fail(0, fmt::format("{} different {} in {} cells can be values or classes: set "
                            "task=values or task=classes",
                            cells.texts().size(), what, num_known(cells)));
}

void check_that_numbers_repeat(const LabelCells& cells) {
  const auto different = static_cast<int64_t>(cells.texts().size());
  if (cells.texts().size() > kFewNames && different * kCellsPerNumber > num_known(cells))
    fail_between_values_and_classes(cells, "whole numbers");
}

// "column label has 3 different names"
std::string what_column_has(const LabelCells& cells, std::string_view what) {
  return fmt::format("column {} has {} different {}", cells.name(), cells.texts().size(), what);
}

Inferred infer_node_task(const LabelCells& cells, const Texts& texts) {
  if (texts.several_at) {
    return {LabelKind::kLabels, fmt::format("cells of column {} hold several names", cells.name()),
            kForClasses};
  }
  if (texts.fraction_at && texts.word_at) {
    cells.fail(*texts.word_at,
               fmt::format("expected a number like {:?}, found {:?}; leave the cell empty if it is "
                           "not known, or set task=classes",
                           cells.texts()[*texts.fraction_at],
                           cells.texts()[*texts.word_at].substr(0, 40)));
  }
  if (texts.fraction_at) {
    if (few_numbers_often(cells)) fail_between_values_and_classes(cells, "numbers, not all whole,");
    return {LabelKind::kValues, what_column_has(cells, "numbers, not all whole"), kForClasses};
  }
  if (!texts.word_at) check_that_numbers_repeat(cells);
  check_that_classes_repeat(cells);
  if (texts.word_at) return {LabelKind::kClasses, what_column_has(cells, "names"), ""};
  return {LabelKind::kClasses, what_column_has(cells, "whole numbers"), kForValues};
}

// The kind of columns without any text.
Inferred infer_numbers(std::span<const LabelCells> columns, std::span<const Texts> texts) {
  const auto find = [&](const auto& is) {
    const auto found = std::find_if(texts.begin(), texts.end(), is);
    return found == texts.end() ? std::nullopt
                                : std::optional(static_cast<size_t>(found - texts.begin()));
  };
  const auto binary = find([](const Texts& t) { return t.number_at && !t.not_binary_at; });
  const auto other = find([](const Texts& t) { return t.not_binary_at.has_value(); });
  const LabelCells& first = columns.front();
  const std::string where = columns.size() == 1 ? fmt::format("column {}", first.name())
                                                : fmt::format("each of {} columns", columns.size());
  if (!other) return {LabelKind::kLabels, fmt::format("{} has 0 and 1 only", where), kForValues};
  if (binary) {
    columns[*binary].fail(
        0, fmt::format("this column has 0 and 1 only, {} has other numbers: set task=values, or "
                       "learn them apart",
                       columns[*other].name()));
  }
  if (columns.size() == 1 && few_numbers_often(first))
    fail_between_values_and_classes(first, "numbers");
  return {LabelKind::kValues, fmt::format("{} has numbers", where),
          columns.size() == 1 ? kForClasses : ""};
}

Inferred infer_molecule_task(std::span<const LabelCells> columns, std::span<const Texts> texts) {
  for (size_t c = 0; c < columns.size(); ++c) {
    if (!texts[c].word_at) continue;
    if (columns.size() == 1 && !texts[c].number_at) {
      check_that_classes_repeat(columns[c]);
      return {LabelKind::kClasses, what_column_has(columns[c], "names"), ""};
    }
    const std::string& found = columns[c].texts()[*texts[c].word_at];
    columns[c].fail(*texts[c].word_at,
                    fmt::format("expected a number, found {:?}{}", found.substr(0, 40),
                                columns.size() == 1 ? "; set task=classes if it is a class" : ""));
  }
  return infer_numbers(columns, texts);
}

Labels classes_of(const LabelCells& cells) {
  SortedNames classes = sorted_names(cells.texts());
  Labels labels = unknown_classes(cells.num_rows(), std::move(classes.names));
  for (size_t row = 0; row < labels.cls.size(); ++row) {
    const int32_t text = cells.cells()[row];
    if (text != kNoLabel) labels.cls[row] = classes.rank[static_cast<size_t>(text)];
  }
  return labels;
}

// "a; b|c" -> their numbers in `names`
std::vector<int32_t> split_names(std::string_view text, NameTable& names) {
  std::vector<int32_t> out;
  while (!text.empty()) {
    const size_t end = std::min(text.find_first_of(kSeparators), text.size());
    if (const std::string_view name = trimmed(text.substr(0, end)); !name.empty())
      out.push_back(names.add(name));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return out;
}

Labels separated_labels_of(const LabelCells& cells) {
  NameTable names;
  std::vector<std::vector<int32_t>> of_text;
  for (const std::string& text : cells.texts()) of_text.push_back(split_names(text, names));
  if (names.names().empty()) cells.fail(0, "expected the name of a label; no cell has one");
  SortedNames labels = sorted_names(names.names());
  const size_t width = labels.names.size();
  Labels out{.kind = LabelKind::kLabels,
             .num_rows = cells.num_rows(),
             .names = std::move(labels.names),
             .cls = {},
             .value = std::vector<double>(cells.cells().size() * width, kUnknown)};
  for (size_t row = 0; row < cells.cells().size(); ++row) {
    if (cells.cells()[row] == kNoLabel) continue;
    std::fill_n(out.value.begin() + static_cast<std::ptrdiff_t>(row * width), width, 0.0);
    for (const int32_t name : of_text[static_cast<size_t>(cells.cells()[row])])
      out.value[row * width + static_cast<size_t>(labels.rank[static_cast<size_t>(name)])] = 1.0;
  }
  return out;
}

// One column per name: values, or labels that are 0 or 1.
Labels numbers_of(std::span<const LabelCells> columns, std::span<const Texts> texts,
                  LabelKind kind) {
  const auto rows = static_cast<size_t>(columns.front().num_rows());
  Labels out{.kind = kind, .num_rows = columns.front().num_rows()};
  out.value.assign(rows * columns.size(), kUnknown);
  for (size_t c = 0; c < columns.size(); ++c) {
    const bool binary = kind == LabelKind::kLabels;
    if (const auto at = binary ? texts[c].not_binary_at : texts[c].word_at) {
      columns[c].fail(*at, fmt::format("expected {}, found {:?}", binary ? "0 or 1" : "a number",
                                       columns[c].texts()[*at].substr(0, 40)));
    }
    out.names.push_back(columns[c].name());
    for (size_t row = 0; row < rows; ++row) {
      const int32_t text = columns[c].cells()[row];
      if (text != kNoLabel)
        out.value[row * columns.size() + c] = *texts[c].number[static_cast<size_t>(text)];
    }
  }
  return out;
}

std::string note_of(LabelKind kind, const std::optional<Inferred>& inferred) {
  if (!inferred) return fmt::format("task: {} (as set)", name_of(kind));
  return fmt::format("task: {} (inferred: {}{}{})", name_of(kind), inferred->reason,
                     inferred->otherwise.empty() ? "" : "; ", inferred->otherwise);
}

}  // namespace

void LabelCells::add(std::string_view cell, int64_t at) {
  cell = trimmed(cell);
  cell_.push_back(cell.empty() ? kNoLabel : texts_.add(cell));
  if (texts_.names().size() > first_at_.size()) first_at_.push_back(at);
}

void LabelCells::fail(size_t text, std::string_view what) const {
  throw DataError(fmt::format("{}: {}", place_(first_at_[text]), what));
}

ReadLabels read_node_labels(const LabelCells& cells, const std::string& task) {
  const auto wanted = kind_of_task(task);
  if (cells.texts().empty()) return {no_labels(cells.num_rows()), ""};
  const Texts texts = look_at(cells);
  const auto inferred = wanted ? std::nullopt : std::optional(infer_node_task(cells, texts));
  const LabelKind kind = wanted ? *wanted : inferred->kind;
  const std::string note = note_of(kind, inferred);
  if (kind == LabelKind::kClasses) return {classes_of(cells), note};
  if (kind == LabelKind::kLabels) return {separated_labels_of(cells), note};
  return {numbers_of({&cells, 1}, {&texts, 1}, kind), note};
}

ReadLabels read_molecule_labels(std::span<const LabelCells> columns, const std::string& task) {
  const auto wanted = kind_of_task(task);
  EMGNN_CHECK(wanted != LabelKind::kClasses || columns.size() == 1,
              "task=classes needs a single data.target", columns.size());
  std::vector<Texts> texts;
  for (const LabelCells& cells : columns) texts.push_back(look_at(cells));
  const auto inferred = wanted ? std::nullopt : std::optional(infer_molecule_task(columns, texts));
  const LabelKind kind = wanted ? *wanted : inferred->kind;
  return {
      kind == LabelKind::kClasses ? classes_of(columns.front()) : numbers_of(columns, texts, kind),
      note_of(kind, inferred)};
}

}  // namespace emgnn
