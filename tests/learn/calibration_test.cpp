// SPDX-License-Identifier: Apache-2.0
#include <emgnn/learn/calibration.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include <emgnn/base/rng.h>

namespace emgnn {
namespace {

constexpr double kEps = std::numeric_limits<double>::epsilon();

struct ClassRows {
  std::vector<double> log_prob;
  std::vector<int32_t> cls;

  double nll(int64_t num_classes, double t) const {
    return tempered_nll(log_prob, cls, num_classes, t);
  }
  double fit(int64_t num_classes) const { return fit_temperature(log_prob, cls, num_classes); }
};

// Classes drawn from softmax(z), predictions log softmax(s z): the right temperature is s.
ClassRows draw(size_t n, size_t num_classes, double s, uint64_t step) {
  Rng rng(4, Stream::kTest, step);
  ClassRows rows;
  for (size_t i = 0; i < n; ++i) {
    std::vector<double> z(num_classes);
    double sum = 0.0, sharp = 0.0;
    for (double& v : z) {
      v = 1.5 * rng.normal();
      sum += std::exp(v);
      sharp += std::exp(s * v);
    }
    for (double v : z) rows.log_prob.push_back(s * v - std::log(sharp));
    double u = rng.uniform() * sum;
    size_t cls = 0;
    while (cls + 1 < num_classes && (u -= std::exp(z[cls])) > 0.0) ++cls;
    rows.cls.push_back(static_cast<int32_t>(cls));
  }
  return rows;
}

// −∂²/∂β² of one row's log-likelihood at β = 1/T: the variance of log_prob under softmax(β log_prob).
double information(const ClassRows& rows, size_t num_classes, double t) {
  double total = 0.0;
  for (size_t i = 0; i < rows.cls.size(); ++i) {
    double norm = 0.0, mean = 0.0, square = 0.0;
    for (size_t c = 0; c < num_classes; ++c) {
      const double v = rows.log_prob[i * num_classes + c], w = std::exp(v / t);
      norm += w;
      mean += w * v;
      square += w * v * v;
    }
    total += square / norm - (mean / norm) * (mean / norm);
  }
  return total;
}

TEST(Temperature, RecoversAPlantedOneFromExactShares) {
  // Each pattern of two classes comes in exactly the shares that softmax(z) gives them.
  for (double s : {0.1, 0.5, 1.7, 4.0, 15.0}) {
    ClassRows rows;
    for (int ones : {1, 2, 3, 4}) {  // of 5
      const double z = std::log(ones / (5.0 - ones));
      const double log_one = -std::log1p(std::exp(-s * z)), log_zero = log_one - s * z;
      for (int i = 0; i < 5; ++i) {
        rows.log_prob.insert(rows.log_prob.end(), {log_zero, log_one});
        rows.cls.push_back(i < ones);
      }
    }
    // nll(T) ≈ nll(s) + (log T − log s)² f''/2, f'' = information / (n s²). Values that differ by
    // less than their rounding error, 20 additions of at most |log 0.05|, look the same.
    const double curvature = information(rows, 2, s) / (20.0 * s * s);
    const double tolerance = 2.0 * std::sqrt(2.0 * 20 * 3.0 * kEps / curvature);
    ASSERT_LT(tolerance, 1e-5);
    EXPECT_NEAR(std::log(rows.fit(2)), std::log(s), tolerance) << s;
  }
}

TEST(Temperature, RecoversAPlantedOneFromDraws) {
  for (double s : {0.4, 1.0, 2.5}) {
    const ClassRows rows = draw(20000, 4, s, 1);
    // 1/T is a maximum-likelihood estimate: its standard error is information^(-1/2).
    const double error = 1.0 / std::sqrt(information(rows, 4, s));
    EXPECT_NEAR(1.0 / rows.fit(4), 1.0 / s, 4.5 * error) << s;
  }
}

TEST(Temperature, IsTheBestOfAFineGrid) {
  const ClassRows rows = draw(200, 3, 3.0, 2);
  const double best = rows.nll(3, rows.fit(3));
  for (int i = 0; i <= 600; ++i) {
    const double t = kMinTemperature * std::pow(kMaxTemperature / kMinTemperature, i / 600.0);
    EXPECT_LE(best, rows.nll(3, t) + 200 * kEps);
  }
}

TEST(Temperature, NeverMakesTheLossWorse) {
  for (uint64_t step = 0; step < 200; ++step) {
    Rng rng(6, Stream::kTest, step);
    const size_t n = 1 + step % 7;
    const ClassRows rows = draw(n, 2 + step % 4, std::exp(rng.normal()), 100 + step);
    const auto width = static_cast<int64_t>(2 + step % 4);
    EXPECT_LE(rows.nll(width, rows.fit(width)), rows.nll(width, 1.0));
  }
}

TEST(Temperature, StaysWithinItsBounds) {
  const ClassRows right{{-0.1, -2.3, -0.2, -1.7}, {0, 0}}, wrong{{-0.1, -2.3, -0.2, -1.7}, {1, 1}};
  // The search ends within its last interval, 5e-9 wide, of the bound.
  EXPECT_NEAR(std::log(right.fit(2)), std::log(kMinTemperature), 1e-8);
  EXPECT_NEAR(std::log(wrong.fit(2)), std::log(kMaxTemperature), 1e-8);
}

TEST(Temperature, IsOneWhereThereIsNothingToLearn) {
  EXPECT_EQ(fit_temperature({}, {}, 3), 1.0);
  const double third = std::log(1.0 / 3.0), nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ((ClassRows{{third, third, third, third, third, third}, {0, 2}}.fit(3)), 1.0);
  EXPECT_EQ((ClassRows{{0.0, 0.0}, {0, 0}}.fit(1)), 1.0);
  EXPECT_EQ((ClassRows{{0.0, -INFINITY}, {1}}.fit(2)), 1.0);
  EXPECT_EQ((ClassRows{{nan, nan}, {1}}.fit(2)), 1.0);
}

TEST(Temperature, GivesProbabilitiesInTheSameOrder) {
  const ClassRows rows = draw(50, 4, 2.0, 3);
  std::vector<double> tempered = rows.log_prob;
  apply_temperature(tempered, 4, 2.0);
  double loss = 0.0;
  for (size_t i = 0; i < rows.cls.size(); ++i) {
    double sum = 0.0;
    for (size_t c = 0; c < 4; ++c) sum += std::exp(tempered[4 * i + c]);
    EXPECT_NEAR(sum, 1.0, 32 * kEps);
    const auto row = rows.log_prob.begin() + static_cast<std::ptrdiff_t>(4 * i);
    const auto out = tempered.begin() + static_cast<std::ptrdiff_t>(4 * i);
    EXPECT_EQ(std::max_element(row, row + 4) - row, std::max_element(out, out + 4) - out);
    loss -= tempered[4 * i + static_cast<size_t>(rows.cls[i])];
  }
  EXPECT_DOUBLE_EQ(loss / 50.0, rows.nll(4, 2.0));
}

TEST(Temperature, OfOneChangesNoBit) {
  const ClassRows rows = draw(20, 3, 2.0, 4);
  std::vector<double> same = rows.log_prob;
  apply_temperature(same, 3, 1.0);
  EXPECT_EQ(same, rows.log_prob);
}

}  // namespace
}  // namespace emgnn
