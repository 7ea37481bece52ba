// SPDX-License-Identifier: Apache-2.0
#include <emgnn/learn/agreement.h>

#include <cmath>

#include "../models/gradient_check.h"

namespace emgnn {
namespace {

constexpr int64_t kGraphs = 3, kRows = 4, kClasses = 5;

at::Tensor logits(uint64_t step) { return random_tensor({kGraphs, kRows, kClasses}, step, -2, 2); }

// As it is written down.
double slow_disagreement(const at::Tensor& z, const AgreementOptions& options) {
  const at::Tensor prob = at::softmax(z.to(at::kDouble), 2);
  const auto p = prob.accessor<double, 3>();
  double mean[kRows][kClasses] = {}, frequency[kClasses] = {}, total = 0.0;
  for (int64_t i = 0; i < kRows; ++i) {
    for (int64_t c = 0; c < kClasses; ++c) {
      for (int64_t g = 0; g < kGraphs; ++g) mean[i][c] += p[g][i][c] / kGraphs;
      frequency[c] += mean[i][c] / kRows;
    }
  }
  for (int64_t i = 0; i < kRows; ++i) {
    double answer[kClasses], sum = 0.0;
    for (int64_t c = 0; c < kClasses; ++c) {
      answer[c] =
          std::pow(mean[i][c] / std::pow(frequency[c], options.balance), 1 / options.temperature);
      sum += answer[c];
    }
    for (int64_t g = 0; g < kGraphs; ++g) {
      for (int64_t c = 0; c < kClasses; ++c)
        total += std::pow(p[g][i][c] - answer[c] / sum, 2) / (kGraphs * kRows);
    }
  }
  return total;
}

TEST(Disagreement, IsTheMeanDistanceFromTheSharpenedBalancedMean) {
  for (const double temperature : {0.2, 0.5, 1.0}) {
    for (const double balance : {0.0, 0.5, 1.0}) {
      const AgreementOptions options{.temperature = temperature, .balance = balance};
      EXPECT_NEAR(disagreement(logits(1), options).item<double>(),
                  slow_disagreement(logits(1), options), 1e-12);
    }
  }
}

TEST(Disagreement, IsZeroWhenEqualGraphsNeedNoSharpening) {
  const at::Tensor same = logits(2).slice(0, 0, 1).expand({kGraphs, kRows, kClasses});
  EXPECT_NEAR(disagreement(same, {.temperature = 1.0}).item<double>(), 0.0, 1e-15);
  EXPECT_GT(disagreement(same, {.temperature = 0.5}).item<double>(), 1e-3);
}

TEST(Disagreement, BalanceLiftsRareClasses) {
  // One class is first everywhere, by little: with balance the answer is no longer that class.
  at::Tensor z = at::zeros({kGraphs, kRows, 2});
  z.select(2, 0).fill_(2.0);
  z.select(1, 0).select(1, 0).fill_(1.5);  // row 0 is the least sure
  const at::Tensor prob = at::softmax(z.to(at::kDouble), 2);
  const auto pull = [&](double balance) {
    at::Tensor x = z.clone().set_requires_grad(true);
    disagreement(x, {.temperature = 0.2, .balance = balance}).backward();
    return x.grad()[0][0][0].item<double>();
  };
  EXPECT_LT(pull(0.0), 0.0);  // descent makes row 0 surer of class 0
  EXPECT_GT(pull(1.0), 0.0);  // descent makes it less sure
}

// The answer is a constant to the gradient. Differences see it as one where every row has a class
// so far ahead that the sharpened answer is that class, nearby too.
TEST(Disagreement, GradientMatchesDifferences) {
  at::Tensor z = logits(3);
  for (int64_t i = 0; i < kRows; ++i) z.select(1, i).select(1, i).fill_(2.5);
  const auto f = [](const at::Tensor& x) {
    return disagreement(x, {.temperature = 0.01}).reshape({1});
  };
  // The second derivative's share h² / 6 is below 2e-5, rounding of the logits below 1e-7 / h.
  expect_gradient_matches(f, z, 1e-2, 5e-5);
}

TEST(Disagreement, SurvivesSureGraphs) {
  at::Tensor z = at::zeros({kGraphs, kRows, 2}).set_requires_grad(true);
  at::Tensor far = z * 1.0;
  far.select(2, 0).add_(5000.0);
  const at::Tensor loss = disagreement(far, {.temperature = 0.1, .balance = 0.5});
  loss.backward();
  EXPECT_TRUE(std::isfinite(loss.item<double>()));
  EXPECT_TRUE(at::isfinite(z.grad()).all().item<bool>());
}

}  // namespace
}  // namespace emgnn
