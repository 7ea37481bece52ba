// SPDX-License-Identifier: Apache-2.0
#include <emgnn/learn/metrics.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "../base/with_threads.h"

#include <emgnn/base/error.h>
#include <emgnn/base/rng.h>

namespace emgnn {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kEps = std::numeric_limits<double>::epsilon();
// Values computed by hand: a few dozen roundings of numbers up to 10.
constexpr double kHand = 100 * kEps;

std::vector<double> logs(std::vector<double> prob) {
  for (double& p : prob) p = std::log(p);
  return prob;
}

struct ClassRows {
  std::vector<double> log_prob;
  std::vector<int32_t> cls;
};

// Weights of 1 to 4 before normalisation: many ties.
ClassRows random_rows(size_t n, size_t num_classes, uint64_t step) {
  Rng rng(1, Stream::kTest, step);
  ClassRows rows;
  for (size_t i = 0; i < n; ++i) {
    std::vector<double> weight(num_classes);
    for (double& w : weight) w = 1.0 + static_cast<double>(rng.below(4));
    const double sum = std::accumulate(weight.begin(), weight.end(), 0.0);
    for (double w : weight) rows.log_prob.push_back(std::log(w / sum));
    rows.cls.push_back(static_cast<int32_t>(rng.below(num_classes)));
  }
  return rows;
}

// At least one of each; few levels give many ties.
RankedScores random_ranking(size_t n, uint64_t levels, uint64_t step) {
  Rng rng(2, Stream::kTest, step);
  RankedScores scores{{0.3}, {0.1}};
  for (size_t i = 2; i < n; ++i) {
    if (rng.below(3) == 0)
      scores.positive.push_back(0.1 * static_cast<double>(rng.below(levels) + 2));
    else
      scores.negative.push_back(0.1 * static_cast<double>(rng.below(levels)));
  }
  return scores;
}

TEST(RankScores, EqualTheCountOfAllPairsAndOfAllThresholds) {
  for (uint64_t step = 0; step < 40; ++step) {
    const size_t n = 2 + 7 * step;
    const RankedScores scores = random_ranking(n, 1 + step, step);
    double wins = 0, precision = 0;
    for (double p : scores.positive) {
      double hit = 0, above = 0;
      for (double q : scores.positive) hit += q >= p;
      for (double q : scores.negative) {
        above += q >= p;
        wins += p > q ? 1.0 : p == q ? 0.5 : 0.0;
      }
      precision += hit / (hit + above);
    }
    const auto positives = static_cast<double>(scores.positive.size());
    const auto negatives = static_cast<double>(scores.negative.size());
    const auto found = rank_scores(scores);
    ASSERT_TRUE(found);
    EXPECT_EQ(found->roc_auc, wins / (positives * negatives));
    // Two sums of at most n terms whose total is at most 1.
    EXPECT_NEAR(found->average_precision, precision / positives,
                4.0 * static_cast<double>(n) * kEps);
  }
}

TEST(RankScores, DoNotDependOnTheOrderOfTheEntries) {
  RankedScores scores = random_ranking(300, 40, 99);
  const auto before = rank_scores(scores);
  Rng rng(3, Stream::kTest);
  for (std::vector<double>* part : {&scores.positive, &scores.negative}) {
    for (size_t i = part->size() - 1; i > 0; --i) std::swap((*part)[i], (*part)[rng.below(i + 1)]);
  }
  const auto after = rank_scores(scores);
  EXPECT_EQ(before->roc_auc, after->roc_auc);
  EXPECT_EQ(before->average_precision, after->average_precision);
}

TEST(RankScores, NeedPositivesAndNegativesAndNumbers) {
  EXPECT_FALSE(rank_scores({}));
  EXPECT_FALSE(rank_scores({.positive = {0.3, 0.2}, .negative = {}}));
  EXPECT_FALSE(rank_scores({.positive = {}, .negative = {0.3}}));
  for (const RankedScores& scores :
       {RankedScores{{0.3}, {kNan, 0.1}}, RankedScores{{0.3, kNan}, {0.1}}}) {
    const auto undefined = rank_scores(scores);
    ASSERT_TRUE(undefined);
    EXPECT_TRUE(std::isnan(undefined->roc_auc));
    EXPECT_TRUE(std::isnan(undefined->average_precision));
  }
  EXPECT_EQ(rank_scores({{-INFINITY}, {-INFINITY}})->roc_auc, 0.5);
}

TEST(ClassScores, AreThoseComputedByHand) {
  const std::vector<double> log_prob = logs({0.5, 0.3, 0.2,    //
                                             0.2, 0.65, 0.15,  //
                                             0.1, 0.7, 0.2,    //
                                             0.4, 0.4, 0.2});
  const std::vector<int32_t> cls = {0, 1, 2, 1};  // predicted: 0, 1, 1, 0
  const Scores s = class_scores(log_prob, cls, 3);
  EXPECT_EQ(s.at("accuracy"), 0.5);
  EXPECT_EQ(s.at("micro_f1"), 0.5);
  EXPECT_NEAR(s.at("macro_f1"), (2.0 / 3 + 2.0 / 4 + 0.0) / 3, kHand);
  EXPECT_NEAR(s.at("balanced_accuracy"), (1.0 + 0.5 + 0.0) / 3, kHand);
  EXPECT_NEAR(s.at("nll"), -std::log(0.5 * 0.65 * 0.2 * 0.4) / 4, kHand);
  EXPECT_NEAR(s.at("brier"), (0.38 + 0.185 + 1.14 + 0.56) / 4, kHand);
  EXPECT_NEAR(s.at("ece"), (0.5 + 0.35 + 0.7 + 0.4) / 4, kHand);
  EXPECT_NEAR(s.at("roc_auc"), (1.0 + 0.5 + 2.0 / 3) / 3, kHand);
  EXPECT_NEAR(s.at("average_precision"), (1.0 + 7.0 / 12 + 1.0 / 3) / 3, kHand);
}

TEST(ClassScores, ShareABinOfTheCalibrationErrorFromFourteenFifteenthsOn) {
  // 0.95 and 0.97 lie in the last bin, one right and one wrong; 0.92 lies in the bin before.
  const std::vector<double> log_prob = logs({0.95, 0.05, 0.03, 0.97, 0.92, 0.08});
  const Scores s = class_scores(log_prob, std::vector<int32_t>{0, 0, 0}, 2);
  EXPECT_NEAR(s.at("ece"), (std::abs(1 - 0.95 - 0.97) + 0.08) / 3, kHand);
}

TEST(ClassScores, AddUpTheLossRowByRow) {
  const ClassRows rows = random_rows(501, 4, 7);
  double loss = 0.0, correct = 0.0;
  std::vector<double> hit(4), predicted(4), actual(4);
  for (size_t i = 0; i < rows.cls.size(); ++i) {
    const double* row = &rows.log_prob[4 * i];
    const auto y = static_cast<size_t>(rows.cls[i]);
    const auto best = static_cast<size_t>(std::max_element(row, row + 4) - row);
    loss -= row[y];
    ++predicted[best];
    ++actual[y];
    if (best == y) {
      ++hit[best];
      ++correct;
    }
  }
  double macro = 0.0;
  for (size_t c = 0; c < 4; ++c) macro += 2.0 * hit[c] / (predicted[c] + actual[c]);
  const Scores s = class_scores(rows.log_prob, rows.cls, 4);
  EXPECT_EQ(s.at("nll"), loss / 501.0);
  EXPECT_EQ(s.at("accuracy"), correct / 501.0);
  EXPECT_EQ(s.at("macro_f1"), macro / 4.0);
}

TEST(ClassScores, DoNotDependOnTheOrderOfTheRowsOrOnThreads) {
  const size_t n = 200, width = 5;
  const ClassRows rows = random_rows(n, width, 3);
  ClassRows reversed;
  for (size_t i = n; i-- > 0;) {
    const auto row = rows.log_prob.begin() + static_cast<std::ptrdiff_t>(i * width);
    reversed.log_prob.insert(reversed.log_prob.end(), row, row + width);
    reversed.cls.push_back(rows.cls[i]);
  }
  const auto scores = [&] { return class_scores(rows.log_prob, rows.cls, width); };
  const Scores one = with_threads(1, scores), four = with_threads(4, scores);
  const Scores other = class_scores(reversed.log_prob, reversed.cls, width);
  for (const Score& score : one.all()) {
    EXPECT_EQ(score.value, four.at(score.name)) << score.name;
    // The sums have n terms below log 20 = 3.
    EXPECT_NEAR(score.value, other.at(score.name), 3.0 * n * kEps) << score.name;
  }
}

TEST(ClassScores, OfOneClassAreOneAgainstTheRest) {
  const ClassRows rows = random_rows(150, 3, 11);
  std::vector<double> label(rows.log_prob.size()), prob(rows.log_prob);
  for (size_t i = 0; i < rows.cls.size(); ++i)
    label[3 * i + static_cast<size_t>(rows.cls[i])] = 1.0;
  for (double& p : prob) p = std::exp(p);
  const Scores classes = class_scores(rows.log_prob, rows.cls, 3);
  const Scores labels = label_scores(prob, label, 3);
  EXPECT_EQ(classes.at("roc_auc"), labels.at("roc_auc"));
  EXPECT_EQ(classes.at("average_precision"), labels.at("average_precision"));
  EXPECT_NEAR(classes.at("brier"), 3.0 * labels.at("brier"), 150 * 3 * kEps);
}

TEST(ClassScores, OfTwoClassesAreThoseOfTheSecondAsALabel) {
  const ClassRows rows = random_rows(150, 2, 12);
  std::vector<double> prob, label(rows.cls.begin(), rows.cls.end());
  for (size_t i = 0; i < rows.cls.size(); ++i) prob.push_back(std::exp(rows.log_prob[2 * i + 1]));
  const Scores classes = class_scores(rows.log_prob, rows.cls, 2);
  const Scores labels = label_scores(prob, label, 1);
  for (const char* name : {"accuracy", "roc_auc", "average_precision"})
    EXPECT_EQ(classes.at(name), labels.at(name)) << name;
  EXPECT_NEAR(classes.at("nll"), labels.at("nll"), 150 * 3 * kEps);
  EXPECT_NEAR(classes.at("brier"), 2.0 * labels.at("brier"), 150 * 3 * kEps);
}

TEST(ClassScores, LeaveUndefinedClassesOutOfTheMeanButNotOutOfMacroF1) {
  // Class 2 is neither there nor predicted.
  const std::vector<double> log_prob = logs({0.6, 0.3, 0.1, 0.2, 0.7, 0.1});
  const Scores s = class_scores(log_prob, std::vector<int32_t>{0, 1}, 3);
  EXPECT_EQ(s.at("accuracy"), 1.0);
  EXPECT_EQ(s.at("macro_f1"), 2.0 / 3);
  EXPECT_EQ(s.at("balanced_accuracy"), 1.0);
  EXPECT_EQ(s.at("roc_auc"), 1.0);
  EXPECT_EQ(s.at("average_precision"), 1.0);
}

TEST(ClassScores, OfASingleRowHaveNoRanks) {
  const Scores s = class_scores(logs({0.25, 0.75}), std::vector<int32_t>{0}, 2);
  EXPECT_EQ(s.at("accuracy"), 0.0);
  EXPECT_NEAR(s.at("nll"), std::log(4.0), kHand);
  EXPECT_NEAR(s.at("ece"), 0.75, kHand);
  EXPECT_TRUE(std::isnan(s.at("roc_auc")));
  EXPECT_TRUE(std::isnan(s.at("average_precision")));
}

TEST(ClassScores, OfNoRowsAreAllUndefined) {
  for (const Scores& scores :
       {class_scores({}, {}, 3), label_scores({}, {}, 2), value_scores({}, {}, 2)}) {
    for (const Score& score : scores.all()) EXPECT_TRUE(std::isnan(score.value)) << score.name;
  }
}

TEST(ClassScores, OfPredictionsThatAreNotNumbersAreNotNumbers) {
  std::vector<double> log_prob = logs({0.5, 0.5, 0.25, 0.75, 0.9, 0.1});
  log_prob[2] = log_prob[3] = kNan;
  const Scores s = class_scores(log_prob, std::vector<int32_t>{0, 1, 0}, 2);
  for (const char* name : {"nll", "brier", "ece", "roc_auc", "average_precision"})
    EXPECT_TRUE(std::isnan(s.at(name))) << name;
  EXPECT_EQ(s.at("accuracy"), 2.0 / 3);
  const Scores labels = label_scores(std::vector<double>{0.2, kNan}, std::vector<double>{0, 1}, 1);
  for (const char* name : {"nll", "brier", "ece", "roc_auc", "average_precision"})
    EXPECT_TRUE(std::isnan(labels.at(name))) << name;
}

TEST(ClassScores, RefuseAClassOutOfRange) {
  EXPECT_THROW(class_scores(logs({0.5, 0.5}), std::vector<int32_t>{2}, 2), InternalError);
  EXPECT_THROW(class_scores(logs({0.5, 0.5}), std::vector<int32_t>{-1}, 2), InternalError);
}

TEST(LabelScores, AreThoseComputedByHand) {
  const std::vector<double> prob = {0.9, 0.2,  //
                                    0.8, 0.6,  //
                                    0.3, 0.1,  //
                                    0.1, 0.7};
  const std::vector<double> label = {1,    0,  //
                                     0,    1,  //
                                     kNan, 1,  //
                                     0,    1};
  const Scores s = label_scores(prob, label, 2);
  EXPECT_NEAR(s.at("micro_f1"), 6.0 / 8, kHand);
  EXPECT_NEAR(s.at("macro_f1"), (2.0 / 3 + 4.0 / 5) / 2, kHand);
  EXPECT_NEAR(s.at("accuracy"), 5.0 / 7, kHand);
  EXPECT_NEAR(s.at("exact_match"), 2.0 / 3, kHand);
  EXPECT_NEAR(s.at("roc_auc"), (1.0 + 2.0 / 3) / 2, kHand);
  EXPECT_NEAR(s.at("average_precision"), (1.0 + 11.0 / 12) / 2, kHand);
  EXPECT_NEAR(s.at("nll"), -std::log(0.9 * 0.2 * 0.9 * 0.8 * 0.6 * 0.1 * 0.7) / 7, kHand);
  EXPECT_NEAR(s.at("brier"), (0.01 + 0.64 + 0.01 + 0.04 + 0.16 + 0.81 + 0.09) / 7, kHand);
  EXPECT_NEAR(s.at("ece"), (0.7 + 0.6 + 0.4 + 0.3) / 7, kHand);
}

TEST(LabelScores, IgnoreALabelThatIsNowhereKnown) {
  const std::vector<double> one = {0.9, 0.3, 0.6}, known = {1, 0, 0};
  std::vector<double> two, partly;
  for (size_t i = 0; i < one.size(); ++i) {
    two.insert(two.end(), {one[i], 0.8});
    partly.insert(partly.end(), {known[i], kNan});
  }
  const Scores expected = label_scores(one, known, 1), found = label_scores(two, partly, 2);
  for (const Score& score : expected.all()) {
    if (score.name == "exact_match")
      EXPECT_TRUE(std::isnan(found.at(score.name)));  // no row is known in full
    else
      EXPECT_EQ(found.at(score.name), score.value) << score.name;
  }
}

TEST(LabelScores, BoundTheLossOfASaturatedMistake) {
  const Scores s = label_scores(std::vector<double>{0.0, 1.0}, std::vector<double>{1, 0}, 1);
  EXPECT_EQ(s.at("nll"), 100.0);
}

TEST(LabelScores, PredictOneAboveOneHalfOnly) {
  const Scores s = label_scores(std::vector<double>{0.5, 0.5}, std::vector<double>{0, 1}, 1);
  EXPECT_EQ(s.at("accuracy"), 0.5);
  EXPECT_EQ(s.at("micro_f1"), 0.0);
}

TEST(ValueScores, AreThoseComputedByHand) {
  const Scores s =
      value_scores(std::vector<double>{1, 2, 4, 8}, std::vector<double>{1, 3, 2, kNan}, 1);
  EXPECT_NEAR(s.at("rmse"), std::sqrt(5.0 / 3), kHand);
  EXPECT_NEAR(s.at("mae"), 1.0, kHand);
  EXPECT_NEAR(s.at("r2"), 1.0 - 5.0 / 2, kHand);
}

TEST(ValueScores, OfOneTargetAddUpRowByRow) {
  Rng rng(5, Stream::kTest);
  std::vector<double> p(313), y(313);
  double mean = 0.0, squares = 0.0, total = 0.0, mae = 0.0;
  for (size_t i = 0; i < y.size(); ++i) {
    y[i] = rng.normal();
    p[i] = y[i] + 0.3 * rng.normal();
    mean += y[i] / 313.0;
  }
  for (size_t i = 0; i < y.size(); ++i) {
    squares += (p[i] - y[i]) * (p[i] - y[i]);
    total += (y[i] - mean) * (y[i] - mean);
    mae += std::abs(p[i] - y[i]) / 313.0;
  }
  const Scores s = value_scores(p, y, 1);
  EXPECT_EQ(s.at("rmse"), std::sqrt(squares / 313.0));
  EXPECT_EQ(s.at("mae"), mae);
  EXPECT_EQ(s.at("r2"), 1.0 - squares / total);
}

TEST(ValueScores, OfSeveralTargetsAreTheMeanOfEach) {
  const std::vector<double> p = {1, 10, 0, 2, 20, 0, 4, 25, 0},
                            y = {1, 12, kNan, 3, 18, kNan, 2, kNan, kNan};
  const Scores first = value_scores(std::vector<double>{1, 2, 4}, std::vector<double>{1, 3, 2}, 1);
  const Scores second = value_scores(std::vector<double>{10, 20}, std::vector<double>{12, 18}, 1);
  const Scores both = value_scores(p, y, 3);
  for (const Score& score : both.all())
    EXPECT_DOUBLE_EQ(score.value, (first.at(score.name) + second.at(score.name)) / 2) << score.name;
}

TEST(ValueScores, ExplainNothingWhereAllTargetsAreEqual) {
  const Scores s = value_scores(std::vector<double>{1, 3}, std::vector<double>{2, 2}, 1);
  EXPECT_EQ(s.at("r2"), 0.0);
  EXPECT_EQ(s.at("rmse"), 1.0);
}

TEST(Scores, AreAnnouncedUnderTheirNamesInTheirOrder) {
  const std::pair<Scores, std::span<const ScoreInfo>> kinds[] = {
      {class_scores({}, {}, 2), class_score_info()},
      {label_scores({}, {}, 2), label_score_info()},
      {value_scores({}, {}, 2), value_score_info()}};
  for (const auto& [scores, info] : kinds) {
    ASSERT_EQ(scores.all().size(), info.size());
    for (size_t i = 0; i < info.size(); ++i) EXPECT_EQ(scores.all()[i].name, info[i].name);
  }
}

TEST(Scores, AreTheSameWithoutTheRanks) {
  const ClassRows rows = random_rows(60, 3, 13);
  std::vector<double> prob(180, 0.25), label(180, 1.0);
  const std::pair<Scores, Scores> kinds[] = {
      {class_scores(rows.log_prob, rows.cls, 3),
       class_scores(rows.log_prob, rows.cls, 3, Ranks::kSkip)},
      {label_scores(prob, label, 3), label_scores(prob, label, 3, Ranks::kSkip)}};
  for (const auto& [all, some] : kinds) {
    EXPECT_EQ(some.all().size() + 2, all.all().size());
    EXPECT_EQ(some.find("roc_auc"), nullptr);
    EXPECT_EQ(some.find("average_precision"), nullptr);
    for (const Score& score : some.all()) EXPECT_EQ(score.value, all.at(score.name)) << score.name;
  }
}

TEST(Scores, KeepTheirOrderAndSayWhatThereIs) {
  Scores scores = {{"b", 1.0}, {"a", 2.0}};
  scores.set("b", 3.0);
  scores.set("c", 4.0);
  ASSERT_EQ(scores.all().size(), 3u);
  EXPECT_EQ(scores.all()[0].name, "b");
  EXPECT_EQ(scores.at("b"), 3.0);
  EXPECT_EQ(*scores.find("c"), 4.0);
  EXPECT_EQ(scores.find("d"), nullptr);
  try {
    scores.at("d");
    FAIL() << "expected a UsageError";
  } catch (const UsageError& e) {
    EXPECT_STREQ(e.what(), "no score is named \"d\"; expected one of b, a, c");
  }
}

}  // namespace
}  // namespace emgnn
