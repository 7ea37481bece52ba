// SPDX-License-Identifier: Apache-2.0
#include <emgnn/report/prediction_summary.h>

#include <algorithm>
#include <cmath>

#include <emgnn/base/error.h>
#include <emgnn/learn/mean_std.h>
#include <emgnn/learn/metrics.h>

namespace emgnn {

namespace {

constexpr double kNormal90 =
    1.6448536269514722;  // half of the middle 90 % of a normal distribution

RowNote note_of(const PredictedRow& row) {
  RowNote out{.name = std::string(row.name),
              .smiles = std::string(row.smiles),
              .split = std::string(row.split),
              .label = std::string(row.label),
              .predicted = std::string(row.predicted),
              .answer = row.answer,
              .entropy = row.entropy,
              .graph_information = row.graph_information,
              .values = row.values};
  if (row.answer != kNoLabel) out.confidence = row.p[static_cast<size_t>(row.answer)];
  return out;
}

// Of the first target; 0 where nothing is known.
double spread_of(const RowNote& row) {
  if (row.values.empty()) return row.entropy;
  return row.values.front().spread();
}

double graph_part_of(const RowNote& row) {
  return row.values.empty() ? row.graph_information : row.values.front().graph_std;
}

// Of the first target; NaN where it is not known.
double error_of(const std::vector<PredictedValue>& values) {
  return std::abs(values.front().value - values.front().target);
}
double error_of_note(const RowNote& row) { return error_of(row.values); }

// Keeps the largest by `key`, the largest first; the earlier of equal ones.
template <class Key>
void keep(std::vector<RowNote>& best, const PredictedRow& row, double value, const Key& key) {
  if (std::isnan(value)) return;
  if (best.size() == kShownRows && !(value > key(best.back()))) return;
  const auto at = std::find_if(best.begin(), best.end(),
                               [&](const RowNote& other) { return value > key(other); });
  best.insert(at, note_of(row));
  if (best.size() > kShownRows) best.pop_back();
}

// softmax(log p · T)[answer]: the confidence before a temperature T was applied, which keeps the
// order. p has six digits; what is 0 stays 0.
double confidence_before(const PredictedRow& row, double temperature) {
  const double top = row.p[static_cast<size_t>(row.answer)];
  double total = 0.0;
  for (const double p : row.p) total += std::pow(p / top, temperature);
  return 1.0 / total;
}

}  // namespace

void PredictionCollector::add(std::string_view text, const std::string& file,
                              std::optional<double> temperature) {
  PredictionReader reader(text, file, kind_);
  if (files_ == 0) {
    out_.names = reader.names();
    const size_t n = out_.names.size();
    if (kind_ == LabelKind::kClasses) out_.confusion.assign(n * n, 0.0);
    if (kind_ == LabelKind::kValues) out_.points.resize(n);
  } else if (reader.names() != out_.names) {
    throw DataError(fmt::format("{}: other classes or targets than in the other runs", file));
  }
  const size_t n = out_.names.size();
  Labelled labelled{.train = std::vector<int64_t>(n),
                    .scored = std::vector<int64_t>(n),
                    .train_sum = std::vector<double>(n),
                    .train_rows = std::vector<double>(n),
                    .sum = std::vector<double>(n),
                    .squares = std::vector<double>(n),
                    .scored_rows = std::vector<double>(n)};
  while (reader.next()) add_row(reader.row(), temperature, labelled);
  add_baseline(labelled);
  ++files_;
}

void PredictionCollector::add_row(const PredictedRow& row, std::optional<double> temperature,
                                  Labelled& labelled) {
  if (files_ == 0) keep_row(row);
  if (kind_ == LabelKind::kValues) add_values(row, labelled);
  if (row.cls == kNoLabel) return;
  if (row.split == "train") ++labelled.train[static_cast<size_t>(row.cls)];
  if (row.split != part_) return;
  ++labelled.scored[static_cast<size_t>(row.cls)];
  add_scored_class(row, temperature);
}

void PredictionCollector::add_scored_class(const PredictedRow& row,
                                           std::optional<double> temperature) {
  ++out_.scored;
  const auto cls = static_cast<size_t>(row.cls), answer = static_cast<size_t>(row.answer);
  out_.confusion[cls * out_.names.size() + answer] += 1.0;
  const bool correct = row.cls == row.answer;
  const double confidence = row.p[answer];
  if (std::isnan(confidence)) return;
  after_.add(confidence, correct);
  if (temperature) before_.add(confidence_before(row, *temperature), correct);
  if (files_ == 0 && !correct)
    keep(out_.wrong, row, confidence, [](const RowNote& other) { return other.confidence; });
}

void PredictionCollector::add_values(const PredictedRow& row, Labelled& labelled) {
  bool scored = false;
  for (size_t t = 0; t < row.values.size(); ++t) {
    const double target = row.values[t].target, value = row.values[t].value;
    out_.over_graphs = out_.over_graphs || row.values[t].graph_std > 0.0;
    out_.over_networks = out_.over_networks || row.values[t].network_std > 0.0;
    if (std::isnan(target)) continue;
    if (row.split == "train") {
      labelled.train_sum[t] += target;
      labelled.train_rows[t] += 1.0;
    }
    if (row.split != part_) continue;
    scored = true;
    labelled.sum[t] += target;
    labelled.squares[t] += target * target;
    labelled.scored_rows[t] += 1.0;
    const double spread = row.values[t].spread();
    out_.whole_spread = out_.whole_spread || !std::isnan(row.values[t].std);
    if (files_ == 0 && std::isfinite(value))
      out_.points[t].push_back({target, value, std::isnan(spread) ? 0.0 : kNormal90 * spread});
  }
  out_.scored += scored ? 1 : 0;
  if (files_ == 0 && row.split == part_) keep(out_.wrong, row, error_of(row.values), error_of_note);
}

void PredictionCollector::keep_row(const PredictedRow& row) {
  ++out_.rows;
  RowNote light{.entropy = row.entropy, .graph_information = row.graph_information};
  if (!row.values.empty()) light.values = {row.values.front()};
  out_.molecules = out_.molecules || !row.smiles.empty();
  if (spread_of(light) > 0.0) keep(out_.unsure, row, spread_of(light), spread_of);
  const double by_graph = graph_part_of(light);
  if (by_graph > 0.0) keep(out_.by_graph, row, by_graph, graph_part_of);
  if (row.values.empty() && by_graph > 0.0) out_.over_graphs = true;
}

// Σ(y − m)² = Σy² − 2mΣy + nm²
void PredictionCollector::add_baseline(const Labelled& labelled) {
  if (kind_ == LabelKind::kClasses) {
    int64_t scored = 0;
    for (const int64_t n : labelled.scored) scored += n;
    const auto top = std::max_element(labelled.train.begin(), labelled.train.end());
    if (scored == 0 || *top == 0) return;
    const auto cls = static_cast<size_t>(top - labelled.train.begin());
    baselines_.push_back(static_cast<double>(labelled.scored[cls]) / static_cast<double>(scored));
  }
  if (kind_ != LabelKind::kValues) return;
  std::vector<double> errors;
  for (size_t t = 0; t < labelled.sum.size(); ++t) {
    const double n = labelled.scored_rows[t];
    if (n == 0.0 || labelled.train_rows[t] == 0.0) continue;
    const double mean = labelled.train_sum[t] / labelled.train_rows[t];
    const double squares = labelled.squares[t] - 2.0 * mean * labelled.sum[t] + n * mean * mean;
    errors.push_back(std::sqrt(std::max(0.0, squares) / n));
  }
  if (!errors.empty()) baselines_.push_back(mean_std(errors).mean);
}

PredictionSummary PredictionCollector::summary() const {
  PredictionSummary out = out_;
  for (double& count : out.confusion) count /= static_cast<double>(std::max<int64_t>(1, files_));
  if (!baselines_.empty()) out.baseline = mean_std(baselines_).mean;
  out.before = before_.bins();
  out.after = after_.bins();
  return out;
}

std::map<std::string, RowNote> notes_of(std::string_view text, const std::string& file,
                                        LabelKind kind, const std::set<std::string>& names) {
  std::map<std::string, RowNote> out;
  PredictionReader reader(text, file, kind);
  while (reader.next()) {
    std::string name(reader.row().name);
    if (names.contains(name)) out.emplace(std::move(name), note_of(reader.row()));
  }
  return out;
}

}  // namespace emgnn
