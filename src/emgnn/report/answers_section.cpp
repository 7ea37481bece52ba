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

// What answers are drawn from, one after the other, in the words of its method.
const char* drawn_thing(const RunContents& contents) {
  return contents.runs.method == "rf" ? "tree" : "graph";
}

// What the spread of values is over where it is not of the whole.
std::string drawn_words(const RunContents& contents) {
  const PredictionSummary& predictions = *contents.predictions;
  if (!predictions.over_graphs) return "the networks";
  return fmt::format("the {}s{}", drawn_thing(contents),
                     predictions.over_networks ? " and the networks" : "");
}

std::vector<Chart> value_charts(const RunContents& contents) {
  const PredictionSummary& predictions = *contents.predictions;
  std::vector<Chart> out;
  for (size_t t = 0; t < std::min(kMostTargets, predictions.names.size()); ++t) {
    if (predictions.points[t].empty()) continue;
    out.push_back(
        value_chart(fmt::format("Predicted against true, {} rows of seed {}", contents.part(),
                                contents.runs.shown().seed),
                    target_name(contents, t),
                    predictions.whole_spread
                        ? "its 90 % interval"
                        : fmt::format("its 90 % interval over {} alone", drawn_words(contents)),
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
                     "<p>{}: the spread over {} alone is not all there is to be "
                     "unsure of; its 90 % intervals hold {} of the true values. "
                     "<code>--set calibrate=validation</code> predicts the rest.</p>\n",
                     escaped(target_name(contents, t)), drawn_words(contents), share);
  }
  return out;
}

// Beside "true" and "predicted": how sure an answer is, and why not surer.
std::vector<std::string> doubt_columns(const RunContents& contents) {
  const PredictionSummary& predictions = *contents.predictions;
  std::vector<std::string> out;
  if (contents.runs.labels == LabelKind::kValues) {
    if (predictions.over_graphs) out.push_back(fmt::format("std over {}s", drawn_thing(contents)));
    if (predictions.over_networks) out.emplace_back("std over networks");
    if (predictions.whole_spread) out.emplace_back("std");
    return out;
  }
  if (contents.runs.labels == LabelKind::kClasses) out.emplace_back("confidence");
  out.emplace_back("entropy");
  if (predictions.over_graphs) out.push_back(fmt::format("{} information", drawn_thing(contents)));
  return out;
}

void add_doubts(const RunContents& contents, const RowNote& note, std::vector<Cell>& row) {
  const PredictionSummary& predictions = *contents.predictions;
  if (contents.runs.labels == LabelKind::kValues) {
    const PredictedValue& v = note.values.front();
    if (predictions.over_graphs) row.push_back(cell(v.graph_std));
    if (predictions.over_networks) row.push_back(cell(v.network_std));
    if (predictions.whole_spread) row.push_back(cell(v.std));
    return;
  }
  if (contents.runs.labels == LabelKind::kClasses)
    row.push_back({percent_text(note.confidence), true});
  row.push_back(cell(note.entropy));
  if (predictions.over_graphs) row.push_back(cell(note.graph_information));
}

// Nothing without rows.
std::string row_table(const RunContents& contents, const std::string& caption,
                      const std::vector<RowNote>& rows) {
  if (rows.empty()) return "";
  const bool molecules = contents.predictions->molecules;
  Table out{.caption = caption, .columns = {molecules ? "row" : "node"}, .rows = {}};
  if (molecules) out.columns.emplace_back("SMILES");
  out.columns.insert(out.columns.end(), {"split", "true", "predicted"});
  for (std::string& column : doubt_columns(contents)) out.columns.push_back(std::move(column));
  for (const RowNote& note : rows) {
    std::vector<Cell>& row = out.rows.emplace_back();
    row.push_back(cell(note.name));
    if (molecules) row.push_back(cell(shortened(note.smiles, 40)));
    row.push_back(cell(note.split));
    if (contents.runs.labels == LabelKind::kValues) {
      row.insert(row.end(), {cell(note.values.front().target), cell(note.values.front().value)});
    } else {
      row.push_back(cell(note.label.empty() ? "–" : note.label));
      row.push_back(cell(note.predicted.empty() ? "–" : note.predicted));
    }
    add_doubts(contents, note, row);
  }
  return to_html(out);
}

std::string rows_to_look_at(const RunContents& contents) {
  const PredictionSummary& predictions = *contents.predictions;
  const std::string of =
      fmt::format(" (seed {}, {} rows)", contents.runs.shown().seed, count_text(predictions.rows));
  const char* wrong =
      contents.runs.labels == LabelKind::kValues ? "Largest errors" : "Surest mistakes";
  const std::string out =
      row_table(contents, "Least sure answers" + of, predictions.unsure) +
      row_table(contents,
                fmt::format("Answers that depend most on the {}{}", drawn_thing(contents), of),
                predictions.by_graph) +
      row_table(contents, fmt::format("{} among the {} rows", wrong, contents.part()),
                predictions.wrong);
  return out.empty() ? "" : "<h4>Rows to look at</h4>\n<div class=\"tables\">\n" + out + "</div>\n";
}

}  // namespace

std::string answers_section(const RunContents& contents) {
  if (!contents.predictions) return "<p>A run predicts when it is finished.</p>\n";
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
  return out + rows_to_look_at(contents);
}

}  // namespace emgnn
