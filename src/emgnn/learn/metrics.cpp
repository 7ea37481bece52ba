// SPDX-License-Identifier: Apache-2.0
#include <emgnn/learn/metrics.h>

#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>

#include <emgnn/base/error.h>
#include <emgnn/base/threads.h>
#include <emgnn/learn/reliability.h>

namespace emgnn {

namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

double ratio(int64_t part, int64_t whole) {
  return static_cast<double>(part) / static_cast<double>(whole);
}

// The values are added up in the order in which they come; NaN without any.
struct Mean {
  void add(double v) {
    sum += v;
    ++n;
  }
  double value() const { return sum / n; }
  double sum = 0.0, n = 0.0;
};

// One class against the rest, or one label: TP, TP + FP, TP + FN and the number of known entries.
struct Counts {
  int64_t hit = 0, predicted = 0, actual = 0, known = 0;
};

// 2TP + FP + FN = predicted + actual
double f1(const Counts& counts) {
  const auto denominator = static_cast<double>(counts.predicted + counts.actual);
  return denominator > 0 ? 2.0 * static_cast<double>(counts.hit) / denominator : 0.0;
}

// Over the classes or labels with known entries; NaN without any.
double mean_f1(std::span<const Counts> counts) {
  Mean mean;
  for (const Counts& c : counts) {
    if (c.known > 0) mean.add(f1(c));
  }
  return mean.value();
}

class CalibrationError {
 public:
  void add(double confidence, bool hit) {
    // A confidence that is NaN makes the sum NaN.
    gap_[static_cast<size_t>(calibration_bin(confidence))] += (hit ? 1.0 : 0.0) - confidence;
    ++n_;
  }
  double value() const {
    double sum = 0.0;
    for (double gap : gap_) sum += std::abs(gap);
    return sum / n_;
  }

 private:
  std::array<double, kCalibrationBins> gap_{};  // Σ (hit − confidence)
  double n_ = 0.0;
};

// The mean over the columns [first, last) where they are defined.
void set_mean_rank_scores(Scores& out, int64_t first, int64_t last,
                          const std::function<RankedScores(size_t column)>& scores_of) {
  std::vector<std::optional<RankScores>> column(static_cast<size_t>(last));
  parallel_for(last - first, 1, [&](int64_t begin, int64_t end) {
    for (auto c = static_cast<size_t>(first + begin); c < static_cast<size_t>(first + end); ++c)
      column[c] = rank_scores(scores_of(c));
  });
  Mean roc_auc, average_precision;
  for (const std::optional<RankScores>& scores : column) {
    if (!scores) continue;
    roc_auc.add(scores->roc_auc);
    average_precision.add(scores->average_precision);
  }
  out.set("roc_auc", roc_auc.value());
  out.set("average_precision", average_precision.value());
}

double mean_recall(std::span<const Counts> counts) {
  Mean mean;
  for (const Counts& c : counts) {
    if (c.actual > 0) mean.add(ratio(c.hit, c.actual));
  }
  return mean.value();
}

size_t first_of_largest(std::span<const double> row) {
  size_t best = 0;
  for (size_t c = 1; c < row.size(); ++c) {
    if (row[c] > row[best]) best = c;
  }
  return best;
}

// Σ_c (p_c − y_c)²
double squared_distance(std::span<const double> log_prob, size_t cls) {
  double sum = 0.0;
  for (size_t c = 0; c < log_prob.size(); ++c) {
    const double d = std::exp(log_prob[c]) - (c == cls ? 1.0 : 0.0);
    sum += d * d;
  }
  return sum;
}

// What class_scores adds up over the rows.
struct ClassSums {
  std::vector<Counts> counts;
  int64_t correct = 0;
  Mean nll, brier;
  CalibrationError calibration;
};

ClassSums sum_classes(std::span<const double> log_prob, std::span<const int32_t> cls,
                      size_t width) {
  ClassSums sums{.counts = std::vector<Counts>(width, {.known = static_cast<int64_t>(cls.size())})};
  for (size_t i = 0; i < cls.size(); ++i) {
    EMGNN_DCHECK(cls[i] >= 0 && static_cast<size_t>(cls[i]) < width);
    const std::span<const double> row = log_prob.subspan(i * width, width);
    const auto y = static_cast<size_t>(cls[i]);
    const size_t best = first_of_largest(row);
    const bool hit = best == y;
    ++sums.counts[best].predicted;
    ++sums.counts[y].actual;
    sums.counts[y].hit += hit;
    sums.correct += hit;
    sums.nll.add(-row[y]);
    sums.brier.add(squared_distance(row, y));
    sums.calibration.add(std::exp(row[best]), hit);
  }
  return sums;
}

double binary_cross_entropy(double prob, bool label) {
  return -std::max(label ? std::log(prob) : std::log1p(-prob), -100.0);
}

// What label_scores adds up over the known entries.
struct LabelSums {
  explicit LabelSums(size_t num_labels) : counts(num_labels) {}

  // Whether the entry was predicted correctly.
  bool add(size_t k, double prob, double label) {
    const bool predicted = prob > 0.5, actual = label > 0.5;
    const bool hit = predicted == actual;
    for (Counts* c : {&counts[k], &total}) {
      c->hit += predicted && actual;
      c->predicted += predicted;
      c->actual += actual;
      ++c->known;
    }
    correct += hit;
    nll.add(binary_cross_entropy(prob, actual));
    brier.add((prob - label) * (prob - label));
    calibration.add(std::max(prob, 1.0 - prob), hit);
    return hit;
  }

  std::vector<Counts> counts;
  Counts total;
  int64_t correct = 0, full_rows = 0, exact_rows = 0;
  Mean nll, brier;
  CalibrationError calibration;
};

LabelSums sum_labels(std::span<const double> prob, std::span<const double> label, size_t width) {
  LabelSums sums(width);
  for (size_t i = 0; i < label.size(); i += width) {
    bool full = true, exact = true;
    for (size_t k = 0; k < width; ++k) {
      if (std::isnan(label[i + k]))
        full = false;
      else
        exact &= sums.add(k, prob[i + k], label[i + k]);
    }
    sums.full_rows += full;
    sums.exact_rows += full && exact;
  }
  return sums;
}

// The scores of classes and of labels differ in the fourth alone.
std::vector<ScoreInfo> probability_score_info(const char* fourth) {
  return {{"micro_f1", true, true}, {"macro_f1", true, true}, {"accuracy", true, true},
          {fourth, true, true},     {"roc_auc", true, true},  {"average_precision", true, true},
          {"nll", false, false},    {"brier", false, false},  {"ece", false, false}};
}

struct ErrorScores {
  double rmse = 0.0, mae = 0.0, r2 = 0.0;
};

// One target, all known, at least one row.
ErrorScores error_scores(std::span<const double> prediction, std::span<const double> target) {
  const auto n = static_cast<double>(target.size());
  double mean = 0.0, squares = 0.0, total = 0.0;
  for (double y : target) mean += y / n;
  ErrorScores scores;
  for (size_t i = 0; i < target.size(); ++i) {
    const double e = prediction[i] - target[i];
    squares += e * e;
    total += (target[i] - mean) * (target[i] - mean);
    scores.mae += std::abs(e) / n;
  }
  scores.rmse = std::sqrt(squares / n);
  scores.r2 = total > 0.0 ? 1.0 - squares / total : 0.0;
  return scores;
}

}  // namespace

Scores::Scores(std::initializer_list<Score> scores) {
  for (const Score& score : scores) set(score.name, score.value);
}

void Scores::set(std::string_view name, double value) {
  for (Score& score : all_) {
    if (score.name == name) {
      score.value = value;
      return;
    }
  }
  all_.push_back({std::string(name), value});
}

const double* Scores::find(std::string_view name) const {
  for (const Score& score : all_) {
    if (score.name == name) return &score.value;
  }
  return nullptr;
}

double Scores::at(std::string_view name) const {
  if (const double* value = find(name)) return *value;
  std::vector<std::string_view> names;
  for (const Score& score : all_) names.push_back(score.name);
  throw UsageError(
      fmt::format("no score is named \"{}\"; expected one of {}", name, fmt::join(names, ", ")));
}

Scores class_scores(std::span<const double> log_prob, std::span<const int32_t> cls,
                    int64_t num_classes, Ranks ranks) {
  const auto width = static_cast<size_t>(num_classes);
  EMGNN_DCHECK(num_classes > 0 && log_prob.size() == cls.size() * width);
  const ClassSums sums = sum_classes(log_prob, cls, width);
  const double accuracy = ratio(sums.correct, static_cast<int64_t>(cls.size()));
  Scores scores = {{"micro_f1", accuracy},
                   {"macro_f1", mean_f1(sums.counts)},
                   {"accuracy", accuracy},
                   {"balanced_accuracy", mean_recall(sums.counts)}};
  if (ranks == Ranks::kCompute) {
    // Of two classes the second alone: the precision of the first would be another question.
    set_mean_rank_scores(scores, num_classes == 2 ? 1 : 0, num_classes, [&](size_t c) {
      RankedScores column;
      for (size_t i = 0; i < cls.size(); ++i)
        column.add(log_prob[i * width + c], static_cast<size_t>(cls[i]) == c);
      return column;
    });
  }
  scores.set("nll", sums.nll.value());
  scores.set("brier", sums.brier.value());
  scores.set("ece", sums.calibration.value());
  return scores;
}

std::span<const ScoreInfo> class_score_info() {
  static const std::vector<ScoreInfo> info = probability_score_info("balanced_accuracy");
  return info;
}

Scores label_scores(std::span<const double> prob, std::span<const double> label, int64_t num_labels,
                    Ranks ranks) {
  const auto width = static_cast<size_t>(num_labels);
  EMGNN_DCHECK(num_labels > 0 && prob.size() == label.size() && label.size() % width == 0);
  const LabelSums sums = sum_labels(prob, label, width);
  Scores scores = {{"micro_f1", mean_f1({&sums.total, 1})},
                   {"macro_f1", mean_f1(sums.counts)},
                   {"accuracy", ratio(sums.correct, sums.total.known)},
                   {"exact_match", ratio(sums.exact_rows, sums.full_rows)}};
  if (ranks == Ranks::kCompute) {
    set_mean_rank_scores(scores, 0, num_labels, [&](size_t k) {
      RankedScores column;
      for (size_t i = k; i < label.size(); i += width) {
        if (!std::isnan(label[i])) column.add(prob[i], label[i] > 0.5);
      }
      return column;
    });
  }
  scores.set("nll", sums.nll.value());
  scores.set("brier", sums.brier.value());
  scores.set("ece", sums.calibration.value());
  return scores;
}

std::span<const ScoreInfo> label_score_info() {
  static const std::vector<ScoreInfo> info = probability_score_info("exact_match");
  return info;
}

Scores value_scores(std::span<const double> prediction, std::span<const double> target,
                    int64_t num_targets) {
  const auto width = static_cast<size_t>(num_targets);
  EMGNN_DCHECK(num_targets > 0 && prediction.size() == target.size() && target.size() % width == 0);
  Mean rmse, mae, r2;
  for (size_t k = 0; k < width; ++k) {
    std::vector<double> p, y;
    for (size_t i = k; i < target.size(); i += width) {
      if (std::isnan(target[i])) continue;
      p.push_back(prediction[i]);
      y.push_back(target[i]);
    }
    if (y.empty()) continue;
    const ErrorScores scores = error_scores(p, y);
    rmse.add(scores.rmse);
    mae.add(scores.mae);
    r2.add(scores.r2);
  }
  return {{"rmse", rmse.value()}, {"mae", mae.value()}, {"r2", r2.value()}};
}

std::span<const ScoreInfo> value_score_info() {
  static const std::array<ScoreInfo, 3> info = {
      {{"rmse", false, false}, {"mae", false, false}, {"r2", true, false}}};
  return info;
}

std::optional<RankScores> rank_scores(RankedScores scores) {
  std::vector<double>& positive = scores.positive;
  const std::vector<double>& negative = scores.negative;
  if (positive.empty() || negative.empty()) return std::nullopt;
  const auto not_a_number = [](double v) { return std::isnan(v); };
  if (std::any_of(positive.begin(), positive.end(), not_a_number) ||
      std::any_of(negative.begin(), negative.end(), not_a_number))
    return RankScores{kNan, kNan};

  // Only the positives are sorted; each negative finds its place among them.
  std::sort(positive.begin(), positive.end(), std::greater<>());
  std::vector<int64_t> above(positive.size() + 1), tied(positive.size() + 1);
  for (double v : negative) {
    const auto p = std::lower_bound(positive.begin(), positive.end(), v, std::greater<>());
    const auto place = static_cast<size_t>(p - positive.begin());
    ++(p != positive.end() && *p == v ? tied : above)[place];
  }
  const auto num_positive = static_cast<int64_t>(positive.size());
  const auto num_negative = static_cast<int64_t>(negative.size());
  int64_t false_positives = 0;
  int64_t twice_wins = 0;  // pairs (positive, negative) in order: 2, tied: 1
  double precision = 0.0;
  for (size_t i = 0, end; i < positive.size(); i = end) {
    for (end = i; end < positive.size() && positive[end] == positive[i];) ++end;
    const auto group = static_cast<int64_t>(end - i), hit = static_cast<int64_t>(end);
    false_positives += above[i] + tied[i];
    twice_wins += group * (2 * (num_negative - false_positives) + tied[i]);
    precision += ratio(group, num_positive) * ratio(hit, hit + false_positives);
  }
  const double pairs = static_cast<double>(num_positive) * static_cast<double>(num_negative);
  return RankScores{static_cast<double>(twice_wins) / 2.0 / pairs, precision};
}

}  // namespace emgnn
