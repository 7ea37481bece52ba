// SPDX-License-Identifier: Apache-2.0
// How good predictions are: pure functions of plain float64 arrays, all row-major.
//
// A score that is not defined is NaN; without rows all of them are. So is every score that a row of
// NaN predictions enters by its size (nll, brier, ece, roc_auc, average_precision, rmse, mae).
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace emgnn {

// What is known of a score before it is computed.
struct ScoreInfo {
  std::string name;
  bool higher_is_better = true;
  bool percent = false;  // a share in [0, 1] that tables show in percent
};

struct Score {
  std::string name;
  double value = 0.0;
};

// Named values in the order in which they were first set.
class Scores {
 public:
  Scores() = default;
  Scores(std::initializer_list<Score> scores);

  void set(std::string_view name, double value);       // replaces the value of a known name
  const double* find(std::string_view name) const;     // null where there is none
  double at(std::string_view name) const;              // UsageError that lists what there is
  std::span<const Score> all() const { return all_; }  // valid until the next set

 private:
  std::vector<Score> all_;
};

// kSkip leaves out roc_auc and average_precision: sorting takes several times as long as all the
// rest, which is too much for a validation after every step.
enum class Ranks { kCompute, kSkip };

// One class per row: log_prob [n, num_classes], cls [n] in [0, num_classes). The predicted class is
// the first of the largest.
//   accuracy, micro_f1  share of correct rows (one class per row: the two are equal)
//   macro_f1            mean over all classes of 2TP/(2TP+FP+FN), 0 where undefined
//   balanced_accuracy   mean recall of the classes that occur
//   roc_auc             two classes: of class 1; more: mean of one class against the rest, over the
//   average_precision   classes with both positives and negatives. Rows are ranked by log_prob.
//   nll                 mean −log p of the true class
//   brier               mean Σ_c (p_c − y_c)², so 2 at worst
//   ece                 see below, of the largest probability of each row
Scores class_scores(std::span<const double> log_prob, std::span<const int32_t> cls,
                    int64_t num_classes, Ranks ranks = Ranks::kCompute);
std::span<const ScoreInfo> class_score_info();  // the names in the order of the result

// Several labels per row: prob [n, num_labels], label [n, num_labels] of 0, 1 or NaN (not known).
// An entry is predicted to be 1 where prob > 0.5. Entries that are not known count nowhere.
//   micro_f1            2TP/(2TP+FP+FN) of all entries together, 0 where undefined
//   macro_f1            mean of the same over the labels that have known entries
//   accuracy            share of correct entries
//   exact_match         share of rows without a wrong entry, among those known in full
//   roc_auc, average_precision   mean over the labels with both positives and negatives
//   nll                 mean binary cross-entropy; log p is cut off at −100, so that a saturated
//                       wrong probability costs 100 and not infinity
//   brier               mean (p − y)², so 1 at worst
//   ece                 see below, of max(p, 1 − p) of each entry
Scores label_scores(std::span<const double> prob, std::span<const double> label, int64_t num_labels,
                    Ranks ranks = Ranks::kCompute);
std::span<const ScoreInfo> label_score_info();

// Values: prediction [n, num_targets], target [n, num_targets] with NaN where not known. Several
// targets: the mean over the targets that have known entries of each one's score.
//   rmse, mae           in the unit of the target
//   r2                  1 − Σ(ŷ − y)² / Σ(y − ȳ)²; 0 where all y are equal
Scores value_scores(std::span<const double> prediction, std::span<const double> target,
                    int64_t num_targets);
std::span<const ScoreInfo> value_score_info();

// The expected calibration error (Guo et al. 2017): 15 bins ((b − 1)/15, b/15] of the confidence;
// Σ_b n_b/n |share of correct predictions in b − mean confidence in b|.
inline constexpr int kCalibrationBins = 15;

// What a ranking gave to the positives and to the negatives, each in any order.
struct RankedScores {
  void add(double score, bool is_positive) { (is_positive ? positive : negative).push_back(score); }
  std::vector<double> positive, negative;
};

struct RankScores {
  // P(score of a positive > score of a negative), ties counted half.
  double roc_auc = 0.0;
  // Σ_k (R_k − R_{k−1}) P_k over the distinct scores, from the largest; ties enter together.
  double average_precision = 0.0;
};

// O(n log n), and the same bits for any order of the entries. Nothing where there are no positives
// or no negatives; NaN where a score is NaN.
std::optional<RankScores> rank_scores(RankedScores scores);

}  // namespace emgnn
