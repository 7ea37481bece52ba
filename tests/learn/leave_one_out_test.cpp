// SPDX-License-Identifier: Apache-2.0
#include <emgnn/learn/leave_one_out.h>

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "../models/gradient_check.h"

#include <emgnn/base/error.h>

namespace emgnn {
namespace {

at::Tensor random_features(int64_t graphs, int64_t rows, int64_t width, uint64_t seed) {
  return random_tensor({graphs, rows, width}, seed, -1.0, 1.0) + 0.7;  // not centred
}

at::Tensor random_target(int64_t rows, int64_t outputs) {
  return random_tensor({rows, outputs}, 9, -1.0, 2.0).to(at::kDouble);
}

// The mean squared length of a centred row, to which σ is relative.
double scale_of(const at::Tensor& features) {
  const at::Tensor h = features.to(at::kDouble);
  return (h - h.mean(0)).square().sum(1).mean().item<double>();
}

// Row `left_out` by a head that is fitted to all others: the minimum of Σ |y − b − Wᵀh|² + σ |W|²
// by its normal equations, the intercept without a penalty.
at::Tensor refitted(const at::Tensor& features, const at::Tensor& target, double sigma,
                    int64_t left_out) {
  const int64_t rows = features.size(0), width = features.size(1);
  const at::Tensor h = at::cat({features.to(at::kDouble), at::ones({rows, 1}, at::kDouble)}, 1);
  std::vector<int64_t> others;
  for (int64_t i = 0; i < rows; ++i)
    if (i != left_out) others.push_back(i);
  const at::Tensor x = h.index_select(0, at::tensor(others));
  const at::Tensor y = target.index_select(0, at::tensor(others));
  at::Tensor penalty = at::eye(width + 1, at::kDouble) * sigma;
  penalty[width][width] = 0.0;
  return h[left_out].matmul(at::linalg_solve(x.t().matmul(x) + penalty, x.t().matmul(y)));
}

at::Tensor by_refitting(const at::Tensor& features, const at::Tensor& target, double sigma) {
  std::vector<at::Tensor> out;
  for (int64_t i = 0; i < target.size(0); ++i)
    out.push_back(refitted(features, target, sigma * scale_of(features), i));
  return at::stack(out);
}

double largest_difference(const at::Tensor& a, const at::Tensor& b) {
  EXPECT_EQ(a.sizes(), b.sizes());
  return (a - b).abs().max().item<double>();
}

// The condition of both systems is below rows · width / σ < 1e6, of which 1e-16 are lost.
constexpr double kClose = 1e-9;

TEST(LeaveOneOut, IsTheHeadThatWasFittedWithoutTheRow) {
  const at::Tensor target = random_target(17, 3);
  for (int64_t width : {1, 5, 16, 17, 40}) {
    const at::Tensor features = random_features(3, 17, width, 4);
    for (double sigma : {1e-3, 0.3, 20.0}) {
      const at::Tensor got = leave_one_out(features, target, sigma);
      for (int64_t g = 0; g < 3; ++g)
        EXPECT_LT(largest_difference(got[g], by_refitting(features[g], target, sigma)), kClose)
            << width << " " << sigma;
    }
  }
}

// Columns of zeros change no head, but the rows become fewer than the columns.
TEST(LeaveOneOut, BothFormsAgree) {
  const at::Tensor target = random_target(30, 4), narrow = random_features(2, 30, 6, 5);
  const at::Tensor wide = at::cat({narrow, at::zeros({2, 30, 60})}, 2);
  EXPECT_LT(largest_difference(leave_one_out(narrow, target), leave_one_out(wide, target)), kClose);
}

TEST(LeaveOneOut, ChoosesTheSigmaOfTheSmallestErrorOfEachGraph) {
  const at::Tensor features = random_features(2, 24, 8, 6);
  // Of the first graph the target is linear; the second knows nothing of it.
  const at::Tensor target =
      features[0].to(at::kDouble).matmul(random_tensor({8, 2}, 7, -1.0, 1.0).to(at::kDouble));
  const at::Tensor got = leave_one_out(features, target);
  const auto error = [&](const at::Tensor& predicted) {
    return (predicted - target).square().mean().item<double>();
  };
  for (int64_t g = 0; g < 2; ++g) {
    double smallest = std::numeric_limits<double>::infinity();
    for (double sigma : {1e-3, 1e-2, 1e-1, 1.0, 1e1, 1e2})
      smallest = std::min(smallest, error(by_refitting(features[g], target, sigma)));
    EXPECT_NEAR(error(got[g]), smallest, kClose);
  }
  EXPECT_LT(error(got[0]), 0.01 * error(got[1]));
}

TEST(LeaveOneOut, KnowsNothingOfTheTargetOfTheRow) {
  const at::Tensor features = random_features(1, 12, 20, 3), target = random_target(12, 1);
  at::Tensor other = target.clone();
  other[4] += 100.0;
  const at::Tensor before = leave_one_out(features, target, 0.1);
  const at::Tensor after = leave_one_out(features, other, 0.1);
  // 100 comes and goes: its rounding, times the condition of the fit.
  EXPECT_NEAR(before[0][4].item<double>(), after[0][4].item<double>(), 1e-8);
  EXPECT_GT(largest_difference(before[0][5], after[0][5]), 0.1);
}

TEST(LeaveOneOut, OfRowsThatAreAlikeIsTheMeanOfTheOthers) {
  const at::Tensor target = random_target(5, 2);
  for (int64_t width : {2, 9}) {
    const at::Tensor got = leave_one_out(at::ones({1, 5, width}), target);
    const at::Tensor want = (target.sum(0) - target) / 4.0;
    EXPECT_LT(largest_difference(got[0], want), 1e-14);
  }
}

TEST(LeaveOneOut, RefusesOneRowAndFeaturesThatAreNotFinite) {
  EXPECT_THROW(leave_one_out(at::ones({1, 1, 3}), random_target(1, 2)), UsageError);
  at::Tensor features = random_features(2, 6, 3, 1);
  features[1][2][0] = std::numeric_limits<float>::quiet_NaN();
  EXPECT_THROW(leave_one_out(features, random_target(6, 2)), Error);
}

}  // namespace
}  // namespace emgnn
