// SPDX-License-Identifier: Apache-2.0
#include <emgnn/learn/stopping.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include <emgnn/base/error.h>
#include <emgnn/base/rng.h>

namespace emgnn {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

const std::vector<ScoreInfo>& scores_of_task() {
  static const std::vector<ScoreInfo> scores = {
      {.name = "accuracy"}, {.name = "roc_auc"}, {.name = "rmse", .higher_is_better = false}};
  return scores;
}

StopRule rule(const std::string& name) { return parse_stop_rule(name, scores_of_task()); }

// One validation: the loss and the score that the rule reads.
struct Point {
  double loss, score;
};

// Feeds a sequence to a rule.
class Judge {
 public:
  Judge(const std::string& name, int64_t patience) : rule_(rule(name)), patience_(patience) {}
  StopVerdict operator()(double loss, double score) {
    Scores scores;
    if (!rule_.score.empty()) scores.set(rule_.score, score);
    return judge(rule_, patience_, state_, loss, scores);
  }
  int64_t waited() const { return state_.waited; }

 private:
  StopRule rule_;
  int64_t patience_;
  StopState state_;
};

// The rules again, from the whole past each time.
struct Expected {
  bool keep, improved;
};
Expected look_back(const std::string& name, const std::vector<Point>& past, Point now) {
  if (name == "never" || past.empty()) return {true, true};
  double lowest_loss = past[0].loss, highest = past[0].score, lowest = past[0].score;
  for (const Point& p : past) {
    lowest_loss = std::min(lowest_loss, p.loss);
    highest = std::max(highest, p.score);
    lowest = std::min(lowest, p.score);
  }
  if (name == "loss") return {now.loss < lowest_loss, now.loss < lowest_loss};
  if (name == "rmse") return {now.score < lowest, now.score < lowest};
  if (name == "loss-and-accuracy")
    return {now.loss <= lowest_loss && now.score >= highest,
            now.loss <= lowest_loss || now.score >= highest};
  // The lowest loss among the validations of the highest score.
  double tie = std::numeric_limits<double>::infinity();
  for (const Point& p : past) {
    if (p.score == highest) tie = std::min(tie, p.loss);
  }
  const bool better = now.score > highest || (now.score == highest && now.loss < tie);
  return {better, better};
}

TEST(Stopping, EveryRuleAgreesWithALookAtTheWholePast) {
  int64_t kept = 0, stopped = 0, ties = 0;
  for (const char* name : {"loss", "never", "loss-and-accuracy", "accuracy", "roc_auc", "rmse"}) {
    for (uint64_t step = 0; step < 100; ++step) {
      Rng rng(7, Stream::kTest, step);
      const int64_t patience = 1 + static_cast<int64_t>(step % 4);
      Judge judge_next(name, patience);
      std::vector<Point> past;
      int64_t waited = 0;
      for (int i = 0; i < 30; ++i) {
        // Few levels: ties are common. Both drift towards the better.
        const Point now{0.1 * static_cast<double>(40 - i / 2 + static_cast<int>(rng.below(8))),
                        0.1 * static_cast<double>(i / 4 + static_cast<int>(rng.below(4)))};
        const Expected expected = look_back(name, past, now);
        waited = expected.improved ? 0 : waited + 1;
        const StopVerdict verdict = judge_next(now.loss, now.score);
        ASSERT_EQ(verdict.keep, expected.keep) << name << " " << step << " " << i;
        ASSERT_EQ(verdict.stop, std::string(name) != "never" && waited >= patience) << name;
        ASSERT_EQ(judge_next.waited(), waited);
        past.push_back(now);
        kept += verdict.keep;
        stopped += verdict.stop;
        ties += expected.keep && i > 0 && now.score == past[past.size() - 2].score;
      }
    }
  }
  EXPECT_GT(kept, 1000);  // the sequences exercise what they should
  EXPECT_GT(stopped, 1000);
  EXPECT_GT(ties, 100);
}

TEST(Stopping, LossAndAccuracyKeepsOnlyWhatIsBestInBoth) {
  Judge next("loss-and-accuracy", 2);
  EXPECT_TRUE(next(1.0, 0.5).keep);
  EXPECT_FALSE(next(0.9, 0.4).keep);  // better loss, worse accuracy: neither kept nor waited
  EXPECT_EQ(next.waited(), 0);
  EXPECT_FALSE(next(0.95, 0.6).keep);  // the best loss is now 0.9
  EXPECT_TRUE(next(0.9, 0.6).keep);
  EXPECT_FALSE(next(1.1, 0.5).stop);
  EXPECT_TRUE(next(1.1, 0.5).stop);
}

TEST(Stopping, AScoreBreaksTiesByTheLossOfTheKeptWeights) {
  for (const char* name : {"accuracy", "roc_auc"}) {
    Judge next(name, 3);
    EXPECT_TRUE(next(1.0, 0.5).keep);
    EXPECT_FALSE(next(0.2, 0.4).keep);
    EXPECT_TRUE(next(0.9, 0.5).keep);
    EXPECT_FALSE(next(0.9, 0.5).keep);
    EXPECT_TRUE(next(2.0, 0.6).keep);
    EXPECT_TRUE(next(1.9, 0.6).keep);
  }
}

TEST(Stopping, LossStopsAfterItsPatienceAndNeverDoesNot) {
  Judge loss("loss", 2), never("never", 1);
  EXPECT_TRUE(loss(1.0, 0.5).keep);
  EXPECT_FALSE(loss(1.0, 0.9).stop);
  EXPECT_TRUE(loss(1.1, 0.9).stop);
  for (int i = 0; i < 5; ++i) {
    const StopVerdict verdict = never(1.0 + i, 0.5);
    EXPECT_TRUE(verdict.keep);
    EXPECT_FALSE(verdict.stop);
  }
}

TEST(Stopping, AScoreThatShouldBeLowIsJudgedLikeALoss) {
  Judge next("rmse", 2);
  EXPECT_TRUE(next(1.0, 2.0).keep);
  EXPECT_TRUE(next(1.1, 1.9).keep);
  EXPECT_FALSE(next(0.1, 1.9).keep);
  EXPECT_TRUE(next(0.1, 3.0).stop);
}

TEST(Stopping, AScoreMayBeNegative) {
  const std::vector<ScoreInfo> scores = {{.name = "r2"}};
  const StopRule by_r2 = parse_stop_rule("r2", scores);
  StopState state;
  EXPECT_TRUE(judge(by_r2, 2, state, 1.0, {{"r2", -7.0}}).keep);
  EXPECT_TRUE(judge(by_r2, 2, state, 1.0, {{"r2", -3.0}}).keep);
  EXPECT_FALSE(judge(by_r2, 2, state, 1.0, {{"r2", -5.0}}).keep);
}

TEST(Stopping, WhatIsNotANumberIsNotKept) {
  for (const char* name : {"loss", "accuracy", "rmse"}) {
    Judge next(name, 2);
    EXPECT_FALSE(next(kNan, kNan).keep) << name;
    EXPECT_TRUE(next(1.0, 0.5).keep) << name;  // it left no trace in the bests
    EXPECT_FALSE(next(kNan, kNan).keep) << name;
    EXPECT_TRUE(next(kNan, kNan).stop) << name;
  }
  Judge both("loss-and-accuracy", 1);
  EXPECT_TRUE(both(1.0, 0.5).keep);
  EXPECT_FALSE(both(kNan, 0.6).keep);
}

TEST(Stopping, AnUnknownRuleIsAnsweredWithTheValidOnes) {
  try {
    rule("f1");
    FAIL() << "expected a UsageError";
  } catch (const UsageError& e) {
    EXPECT_STREQ(e.what(),
                 "stop.rule: expected one of loss, never, loss-and-accuracy, accuracy, roc_auc, "
                 "rmse, score, got \"f1\"");
  }
}

TEST(Stopping, RulesOfAnotherTaskAreRefused) {
  const std::span<const ScoreInfo> classes = class_score_info(), values = value_score_info();
  EXPECT_THROW(parse_stop_rule("accuracy", values), UsageError);
  EXPECT_THROW(parse_stop_rule("loss-and-accuracy", values), UsageError);
  EXPECT_THROW(parse_stop_rule("rmse", classes), UsageError);
  for (const auto& scores : {classes, values}) {
    for (const char* name : {"loss", "never"})
      EXPECT_EQ(parse_stop_rule(name, scores).score, "") << name;
    for (const ScoreInfo& info : scores) {
      const StopRule found = parse_stop_rule(info.name, scores);
      EXPECT_EQ(found.score, info.name);
      EXPECT_EQ(found.higher_is_better, info.higher_is_better);
    }
  }
}

TEST(Stopping, AMissingScoreIsNamed) {
  StopState state;
  EXPECT_THROW(judge(rule("accuracy"), 2, state, 1.0, {{"rmse", 1.0}}), UsageError);
}

}  // namespace
}  // namespace emgnn
