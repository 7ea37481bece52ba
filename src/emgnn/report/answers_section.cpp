// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include <emgnn/report/charts.h>
#include <emgnn/report/sections.h>

namespace emgnn {

namespace {

constexpr size_t kMostClasses = 20, kMostTargets = 6;

// The classes with the most rows, in their order, the others as one.
Chart confusion_of(const PredictionSummary& predictions, const std::string& caption) {
  const size_t n = predictions.names.size();
  std::vector<size_t> order(n);
  std::iota(order.begin(), order.end(), size_t{0});
  const auto rows_of = [&](size_t cls) {
    const auto row = predictions.confusion.begin() + static_cast<ptrdiff_t>(cls * n);
    return std::accumulate(row, row + static_cast<ptrdiff_t>(n), 0.0);
  };
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return rows_of(a) > rows_of(b); });
  const size_t own = n <= kMostClasses ? n : kMostClasses - 1;
  std::sort(order.begin(), order.begin() + static_cast<ptrdiff_t>(own));
  std::vector<size_t> place(n, own);
  std::vector<std::string> names;
  for (size_t k = 0; k < own; ++k) {
    place[order[k]] = k;
    names.push_back(predictions.names[order[k]]);
  }
  if (own < n) names.push_back(fmt::format("{} others", n - own));
  std::vector<double> count(names.size() * names.size());
  for (size_t r = 0; r < n; ++r)
    for (size_t c = 0; c < n; ++c)
      count[place[r] * names.size() + place[c]] += predictions.confusion[r * n + c];
  return confusion_chart(caption, names, count);
}

std::vector<Chart> class_charts(const RunContents& contents) {
  const PredictionSummary& predictions = *contents.predictions;
  std::vector<Chart> out;
  if (predictions.scored == 0) return out;
  const std::string of =
      contents.finished.size() == 1
          ? fmt::format("{} rows", contents.part())
          : fmt::format("{} rows, mean of {} runs", contents.part(), contents.finished.size());
  out.push_back(confusion_of(predictions, "Confusion, " + of));
  std::vector<Reliability> curves;
  if (!predictions.before.empty()) curves.push_back({"before calibration", predictions.before});
  const bool calibrated = !predictions.before.empty();
  curves.push_back({calibrated ? "after calibration" : "as predicted", predictions.after});
  out.push_back(
      reliability_chart(fmt::format("Reliability, {} rows of all runs", contents.part()), curves));
  return out;
}

std::string target_name(const RunContents& contents, size_t target) {
  const std::vector<std::string>& names = contents.predictions->names;
  const bool named = contents.runs.target_names.size() == names.size();
  return named ? contents.runs.target_names[target] : names[target];
}

std::vector<Chart> value_charts(const RunContents& contents) {
  const PredictionSummary& predictions = *contents.predictions;
  std::vector<Chart> out;
  for (size_t t = 0; t < std::min(kMostTargets, predictions.names.size()); ++t) {
    if (predictions.points[t].empty()) continue;
    out.push_back(value_chart(
        fmt::format("Predicted against true, {} rows of seed {}", contents.part(),
                    contents.runs.shown().seed),
        target_name(contents, t),
        predictions.whole_spread ? "its 90 % interval" : "its 90 % interval over the graphs alone",
        predictions.points[t]));
  }
  return out;
}

std::string coverage_words(const RunContents& contents) {
  const PredictionSummary& predictions = *contents.predictions;
  std::string out;
  for (size_t t = 0; t < std::min(kMostTargets, predictions.points.size()); ++t) {
    size_t known = 0, inside = 0;
    for (const ValuePoint& point : predictions.points[t]) {
      if (!(point.spread > 0.0)) continue;
      ++known;
      if (std::abs(point.value - point.target) <= point.spread) ++inside;
    }
    if (known == 0) continue;
    const std::string share =
        percent_text(static_cast<double>(inside) / static_cast<double>(known));
    out += predictions.whole_spread
               ? fmt::format("<p>{}: {} of the 90 % intervals hold the true value.</p>\n",
                             escaped(target_name(contents, t)), share)
               : fmt::format(
                     "<p>{}: the spread over the graphs alone is not all there is to be "
                     "unsure of; its 90 % intervals hold {} of the true values. "
                     "<code>--set calibrate=validation</code> or <code>--set "
                     "task.loss=gaussian</code> predict the rest.</p>\n",
                     escaped(target_name(contents, t)), share);
  }
  return out;
}

std::vector<Cell> named(const RowNote& row) {
  std::vector<Cell> out = {cell(row.name)};
  if (!row.smiles.empty()) out.push_back(cell(shortened(row.smiles, 40)));
  out.push_back(cell(row.split));
  return out;
}

Table row_table(const std::string& caption, const std::vector<RowNote>& rows, LabelKind kind) {
  const bool molecules = !rows.empty() && !rows.front().smiles.empty();
  Table out{.caption = caption, .columns = {molecules ? "row" : "node"}, .rows = {}};
  if (molecules) out.columns.push_back("SMILES");
  out.columns.push_back("split");
  if (kind == LabelKind::kValues) {
    out.columns.insert(out.columns.end(), {"true", "predicted", "std over graphs"});
    if (!std::isnan(rows.front().values.front().std)) out.columns.push_back("std");
  } else if (kind == LabelKind::kClasses) {
    out.columns.insert(out.columns.end(),
                       {"true", "predicted", "confidence", "entropy", "graph information"});
  } else {
    out.columns.insert(out.columns.end(), {"true", "predicted", "entropy", "graph information"});
  }
  for (const RowNote& note : rows) {
    std::vector<Cell> row = named(note);
    if (kind == LabelKind::kValues) {
      const PredictedValue& v = note.values.front();
      row.insert(row.end(), {cell(v.target), cell(v.value), cell(v.graph_std)});
      if (!std::isnan(v.std)) row.push_back(cell(v.std));
    } else {
      row.push_back(cell(note.label.empty() ? "–" : note.label));
      row.push_back(cell(note.predicted));
      if (kind == LabelKind::kClasses) row.push_back({percent_text(note.confidence), true});
      row.insert(row.end(), {cell(note.entropy), cell(note.graph_information)});
    }
    out.rows.push_back(std::move(row));
  }
  return out;
}

}  // namespace

std::string answers_section(const RunContents& contents) {
  if (!contents.predictions) return "<p>A run predicts when it is finished.</p>\n";
  const PredictionSummary& predictions = *contents.predictions;
  const LabelKind kind = contents.runs.labels;
  std::string out;
  if (kind == LabelKind::kClasses) out += to_html(class_charts(contents));
  if (kind == LabelKind::kClasses && contents.temperature)
    out += fmt::format(
        "<p>Calibration divided the logits by {} (seed {}), fitted on the validation rows.</p>\n",
        number_text(*contents.temperature), contents.runs.shown().seed);
  if (kind == LabelKind::kValues) out += to_html(value_charts(contents)) + coverage_words(contents);
  if (kind == LabelKind::kLabels)
    out +=
        "<p>predictions.csv does not tell a label that is absent from one that is not known, so "
        "there is no reliability diagram of several labels; the calibration error is among the "
        "scores.</p>\n";
  const std::string of =
      fmt::format(" (seed {}, {} rows)", contents.runs.shown().seed, count_text(predictions.rows));
  out += "<h4>Rows to look at</h4>\n<div class=\"tables\">\n";
  if (!predictions.unsure.empty())
    out += to_html(row_table("Least sure answers" + of, predictions.unsure, kind));
  if (!predictions.by_graph.empty())
    out += to_html(
        row_table("Answers that depend most on the graph" + of, predictions.by_graph, kind));
  if (!predictions.wrong.empty())
    out += to_html(row_table(fmt::format("Surest mistakes among the {} rows", contents.part()),
                             predictions.wrong, kind));
  return out + "</div>\n";
}

}  // namespace emgnn
