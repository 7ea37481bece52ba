// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include <emgnn/report/results_table.h>

namespace emgnn {

namespace {

using Part = Evaluation::Part;

std::string name_of(const ScoreInfo& score) { return score.name + (score.percent ? " %" : ""); }

std::string text_of(const ScoreInfo& info, double value) {
  return std::isnan(value) ? "-" : score_text(info, value);
}

// "88.20 [86.10, 90.15]", or the value alone.
std::string with_interval(const ScoreInfo& info, double value,
                          const std::vector<ScoreInterval>& intervals, const std::string& name) {
  const auto found = std::find_if(intervals.begin(), intervals.end(),
                                  [&](const ScoreInterval& i) { return i.name == name; });
  if (found == intervals.end() || std::isnan(found->lower)) return text_of(info, value);
  return fmt::format("{} [{}, {}]", text_of(info, value), text_of(info, found->lower),
                     text_of(info, found->upper));
}

// Cells under each other; the first column is to the left, the others to the right.
class TextTable {
 public:
  void add(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }
  std::string text() const {
    std::vector<size_t> width(rows_.front().size(), 0);
    for (const auto& row : rows_)
      for (size_t c = 0; c < row.size(); ++c) width[c] = std::max(width[c], columns_of(row[c]));
    std::string out;
    for (const auto& row : rows_) {
      for (size_t c = 0; c < row.size(); ++c) {
        const std::string gap(width[c] - columns_of(row[c]), ' ');
        out += c == 0 ? row[c] + gap : "  " + gap + row[c];
      }
      out += "\n";
    }
    return out;
  }

 private:
  // UTF-8: the bytes that begin a character.
  static size_t columns_of(const std::string& text) {
    return static_cast<size_t>(std::count_if(text.begin(), text.end(), [](char c) {
      return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U;
    }));
  }
  std::vector<std::vector<std::string>> rows_;
};

void add_scores(TextTable& table, const Evaluation& evaluation) {
  for (const ScoreInfo& score : evaluation.info) {
    std::vector<std::string> cells = {name_of(score)};
    bool somewhere = false;
    for (const Part& part : evaluation.parts) {
      const double* value = part.scores.scores.find(score.name);
      somewhere = somewhere || value != nullptr;
      cells.push_back(value == nullptr ? "-"
                                       : with_interval(score, *value, part.intervals, score.name));
    }
    if (somewhere) table.add(std::move(cells));
  }
}

bool has_sets(const Evaluation& evaluation) { return evaluation.kind != LabelKind::kValues; }

void add_coverage(TextTable& table, const Evaluation& evaluation) {
  if (!evaluation.level) return;
  const ScoreInfo covered{.name = fmt::format("coverage at {:g}", *evaluation.level),
                          .percent = true};
  const ScoreInfo size{.name = has_sets(evaluation) ? "set size" : "interval width"};
  std::vector<std::string> of_covered = {name_of(covered)}, of_size = {size.name};
  for (const Part& part : evaluation.parts) {
    of_covered.push_back(
        with_interval(covered, part.coverage->covered, part.coverage->intervals, "coverage"));
    of_size.push_back(with_interval(size, part.coverage->size, part.coverage->intervals, "size"));
  }
  table.add(std::move(of_covered));
  table.add(std::move(of_size));
}

std::string groups_text(const Evaluation& evaluation, const Part& part) {
  const bool values = evaluation.kind == LabelKind::kValues;
  TextTable table;
  std::vector<std::string> head = {""};
  for (const Score& score : part.groups.front().scores.scores.all())
    head.push_back(score.name + (values ? "" : " %"));
  head.push_back(values ? "rows" : "support");
  table.add(std::move(head));
  for (const Evaluation::Group& group : part.groups) {
    std::vector<std::string> cells = {group.name};
    for (const Score& score : group.scores.scores.all())
      cells.push_back(with_interval({.name = score.name, .percent = !values}, score.value,
                                    group.intervals, score.name));
    cells.push_back(std::to_string(group.scores.support));
    table.add(std::move(cells));
  }
  return table.text();
}

std::string reliability_text(const Evaluation& evaluation, const Part& part) {
  const bool values = evaluation.kind == LabelKind::kValues;
  TextTable table;
  table.add(values ? std::vector<std::string>{"quantile", "rows at or below it %"}
                   : std::vector<std::string>{"confidence %", "correct %", "rows"});
  for (const ReliabilityBin& bin : part.reliability) {
    std::vector<std::string> cells = {values ? fmt::format("{:.2f}", bin.confidence)
                                             : fmt::format("{:.2f}", 100.0 * bin.confidence),
                                      fmt::format("{:.2f}", 100.0 * bin.correct)};
    if (!values) cells.push_back(std::to_string(bin.rows));
    table.add(std::move(cells));
  }
  return table.text();
}

bool has_intervals(const Evaluation& evaluation) {
  return std::any_of(evaluation.parts.begin(), evaluation.parts.end(),
                     [](const Part& part) { return !part.intervals.empty(); });
}

}  // namespace

std::string evaluation_table(const Evaluation& evaluation) {
  std::string out = fmt::format("{} on {}\n\n", evaluation.method, evaluation.dataset);
  TextTable table;
  std::vector<std::string> names = {""}, rows = {"rows"};
  for (const Part& part : evaluation.parts) {
    names.push_back(part.name);
    rows.push_back(std::to_string(part.rows));
  }
  table.add(std::move(names));
  table.add(std::move(rows));
  add_scores(table, evaluation);
  add_coverage(table, evaluation);
  out += table.text();
  // Of the part that was learned from least.
  const Part& last = evaluation.parts.back();
  if (!last.groups.empty())
    out += fmt::format("\nEach {} of {}\n\n{}", group_word(evaluation.kind), last.name,
                       groups_text(evaluation, last));
  if (!last.reliability.empty())
    out += fmt::format("\nReliability of {}\n\n{}", last.name, reliability_text(evaluation, last));
  if (evaluation.bootstrap.resamples > 0 && has_intervals(evaluation))
    out += fmt::format("\n[{:g} % intervals: {} resamples of the rows, seed {}]\n",
                       100.0 * evaluation.bootstrap.confidence, evaluation.bootstrap.resamples,
                       evaluation.bootstrap.seed);
  return out;
}

const char* group_word(LabelKind kind) {
  return kind == LabelKind::kClasses ? "class" : kind == LabelKind::kLabels ? "label" : "target";
}

}  // namespace emgnn
