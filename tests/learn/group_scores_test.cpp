// SPDX-License-Identifier: Apache-2.0
#include <emgnn/learn/group_scores.h>

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace emgnn {
namespace {

const double kUnknown = std::numeric_limits<double>::quiet_NaN();

// Rows whose answers are 0, 0, 1, 1, 0 with these probabilities of it.
struct Answers {
  std::vector<double> log_prob;
  std::vector<int32_t> cls = {0, 1, 1, 1, 2};

  Answers() {
    const double answer[] = {0, 0, 1, 1, 0}, sure[] = {0.5, 0.9, 0.6, 0.6, 0.9};
    for (int i = 0; i < 5; ++i)
      for (int c = 0; c < 4; ++c)
        log_prob.push_back(std::log(c == answer[i] ? sure[i] : (1.0 - sure[i]) / 3.0));
  }
};

TEST(GroupScores, OfClassesAreCountedByHand) {
  const Answers a;
  const auto got = class_group_scores(a.log_prob, a.cls, 4);
  ASSERT_EQ(got.size(), 4U);
  EXPECT_EQ(got[0].support, 1);
  EXPECT_DOUBLE_EQ(got[0].scores.at("precision"), 1.0 / 3.0);
  EXPECT_DOUBLE_EQ(got[0].scores.at("recall"), 1.0);
  EXPECT_DOUBLE_EQ(got[0].scores.at("f1"), 0.5);
  EXPECT_EQ(got[1].support, 3);
  EXPECT_DOUBLE_EQ(got[1].scores.at("precision"), 1.0);
  EXPECT_DOUBLE_EQ(got[1].scores.at("recall"), 2.0 / 3.0);
  EXPECT_DOUBLE_EQ(got[1].scores.at("f1"), 0.8);
  EXPECT_EQ(got[2].support, 1);  // never answered
  EXPECT_TRUE(std::isnan(got[2].scores.at("precision")));
  EXPECT_EQ(got[2].scores.at("recall"), 0.0);
  EXPECT_EQ(got[2].scores.at("f1"), 0.0);
  EXPECT_EQ(got[3].support, 0);  // not there
  EXPECT_TRUE(std::isnan(got[3].scores.at("recall")));
}

TEST(GroupScores, OfClassesHaveTheMacroF1AsTheirMean) {
  const Answers a;
  double mean = 0.0;
  for (const GroupScores& group : class_group_scores(a.log_prob, a.cls, 4))
    mean += group.scores.at("f1") / 4.0;
  EXPECT_DOUBLE_EQ(mean, class_scores(a.log_prob, a.cls, 4).at("macro_f1"));
}

TEST(GroupScores, OfLabelsLeaveOutWhatIsNotKnown) {
  const std::vector<double> prob = {0.9, 0.1, 0.6, 0.8, 0.2, 0.7};
  const std::vector<double> label = {1, 0, 0, kUnknown, 1, 1};
  const auto got = label_group_scores(prob, label, 2);
  EXPECT_EQ(got[0].support, 2);
  EXPECT_DOUBLE_EQ(got[0].scores.at("precision"), 0.5);
  EXPECT_DOUBLE_EQ(got[0].scores.at("recall"), 0.5);
  EXPECT_DOUBLE_EQ(got[0].scores.at("f1"), 0.5);
  EXPECT_EQ(got[1].support, 1);
  EXPECT_DOUBLE_EQ(got[1].scores.at("f1"), 1.0);
}

TEST(GroupScores, OfValuesAreThoseOfEachTarget) {
  const std::vector<double> value = {1, 10, 2, 20}, target = {2, kUnknown, 4, 26};
  const auto got = value_group_scores(value, target, 2);
  EXPECT_EQ(got[0].support, 2);
  EXPECT_DOUBLE_EQ(got[0].scores.at("mae"), 1.5);
  EXPECT_DOUBLE_EQ(got[0].scores.at("rmse"), std::sqrt(2.5));
  EXPECT_EQ(got[1].support, 1);
  EXPECT_DOUBLE_EQ(got[1].scores.at("rmse"), 6.0);
}

TEST(Reliability, GivesTheCalibrationErrorOfTheScores) {
  const Answers a;
  const auto bins = class_reliability(a.log_prob, a.cls, 4);
  ASSERT_EQ(bins.size(), 3U);
  EXPECT_DOUBLE_EQ(bins[0].confidence, 0.5);
  EXPECT_EQ(bins[0].correct, 1.0);
  EXPECT_EQ(bins[0].rows, 1);
  EXPECT_EQ(bins[1].correct, 1.0);
  EXPECT_EQ(bins[1].rows, 2);
  EXPECT_EQ(bins[2].correct, 0.0);
  double ece = 0.0;
  for (const ReliabilityBin& bin : bins)
    ece += static_cast<double>(bin.rows) / 5.0 * std::abs(bin.correct - bin.confidence);
  EXPECT_NEAR(ece, class_scores(a.log_prob, a.cls, 4).at("ece"), 1e-15);
  const std::vector<double> prob = {0.9, 0.3, 0.8}, label = {1, 1, kUnknown};
  const auto of_labels = label_reliability(prob, label);
  ASSERT_EQ(of_labels.size(), 2U);
  EXPECT_DOUBLE_EQ(of_labels[0].confidence, 0.7);
  EXPECT_EQ(of_labels[0].correct, 0.0);
  EXPECT_EQ(of_labels[1].correct, 1.0);
}

TEST(Reliability, BinsAreClosedAbove) {
  EXPECT_EQ(calibration_bin(0.0), 0);
  EXPECT_EQ(calibration_bin(1.0 / 15.0), 0);
  EXPECT_EQ(calibration_bin(std::nextafter(1.0 / 15.0, 1.0)), 1);
  EXPECT_EQ(calibration_bin(1.0), kCalibrationBins - 1);
  EXPECT_EQ(calibration_bin(kUnknown), 0);
}

TEST(Reliability, OfValuesCountsTargetsBelowTheQuantiles) {
  // z = 0 and z = 10: at or below the median, and below none of the levels.
  const std::vector<double> mean = {1, 1, 1}, std = {2, 2, 2}, target = {1, 21, kUnknown};
  const PredictedNormals normals{.mean = mean, .std = std, .target = target};
  const auto levels = value_reliability(normals);
  ASSERT_EQ(levels.size(), 19U);
  EXPECT_EQ(levels[8].correct, 0.0);  // 0.45
  EXPECT_EQ(levels[9].correct, 0.5);  // 0.50
  EXPECT_EQ(levels[18].correct, 0.5);
  EXPECT_EQ(levels[18].rows, 2);
  double distance = 0.0;
  for (const ReliabilityBin& level : levels)
    distance += std::abs(level.correct - level.confidence) / 19.0;
  Scores scores;
  add_spread_scores(scores, normals, Ranks::kSkip);
  EXPECT_NEAR(distance, scores.at("calibration_error"), 1e-15);
  const std::vector<double> none = {0, 1, 1};
  EXPECT_TRUE(value_reliability({.mean = mean, .std = none, .target = target}).empty());
}

}  // namespace
}  // namespace emgnn
