// SPDX-License-Identifier: Apache-2.0
#include <emgnn/learn/running_answer.h>

#include <gtest/gtest.h>

#include <cmath>

#include <emgnn/base/rng.h>
#include <emgnn/learn/task.h>

namespace emgnn {
namespace {

// What one network says of four rows.
Prediction answer(uint64_t number) {
  Prediction out{.rows = {0, 1, 2, 3}, .width = 3, .value = {}, .graph_part = {0, 0, 0, 0}};
  Rng rng(1, Stream::kTest, number);
  for (int row = 0; row < 4; ++row) {
    std::vector<double> weight;
    double sum = 0.0;
    size_t most = 0;
    for (size_t c = 0; c < 3; ++c) {
      weight.push_back(rng.uniform() + 0.01);
      sum += weight.back();
      if (weight[c] > weight[most]) most = c;
    }
    for (size_t c = 0; c < 3; ++c) {
      out.value.push_back(std::log(weight[c] / sum));
      out.votes.push_back(c == most ? 1.0 : 0.0);
    }
  }
  return out;
}

void expect_near(const std::vector<double>& a, const std::vector<double>& b) {
  ASSERT_EQ(a.size(), b.size());
  for (size_t i = 0; i < a.size(); ++i) EXPECT_NEAR(a[i], b[i], 1e-14);
}

TEST(RunningAnswer, IsTheAverageOfTheAnswers) {
  const Labels labels{
      .kind = LabelKind::kClasses, .num_rows = 4, .names = {"a", "b", "c"}, .cls = {0, 1, 2, 0}};
  RunningAnswer running;
  std::vector<Prediction> each;
  EXPECT_TRUE(running.empty());
  for (uint64_t k = 0; k < 5; ++k) {
    each.push_back(answer(k));
    running.add(each.back());
    const Prediction want = make_task(labels, {}, {})->average(each);
    const std::vector<int32_t> rows = {0, 1, 2, 3};
    const Prediction got = running.of(rows);
    expect_near(got.value, want.value);
    expect_near(got.graph_part, want.graph_part);
    expect_near(got.votes, want.votes);
  }
}

TEST(RunningAnswer, AnswersForAnyRowsInAnyOrder) {
  RunningAnswer running;
  running.add(answer(0));
  running.add(answer(1));
  const std::vector<int32_t> all = {0, 1, 2, 3}, some = {3, 1};
  const Prediction whole = running.of(all), part = running.of(some);
  EXPECT_EQ(part.rows, some);
  EXPECT_EQ(part.width, 3);
  for (size_t c = 0; c < 3; ++c) {
    EXPECT_EQ(part.value[c], whole.value[9 + c]);
    EXPECT_EQ(part.votes[3 + c], whole.votes[3 + c]);
  }
  EXPECT_EQ(part.graph_part, (std::vector<double>{whole.graph_part[3], whole.graph_part[1]}));
}

}  // namespace
}  // namespace emgnn
