// SPDX-License-Identifier: Apache-2.0
#include <emgnn/learn/noise_fit.h>

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <vector>

#include <emgnn/base/rng.h>

namespace emgnn {
namespace {

constexpr double kTiny = 1e-12;

struct Simulated {
  std::vector<double> error, variance;
};

// Errors of variance s² v + c², with v between 0.25 and 4.
Simulated simulate(size_t n, double s, double c, uint64_t step) {
  Rng rng(3, Stream::kTest, step);
  Simulated out;
  for (size_t i = 0; i < n; ++i) {
    const double root = rng.uniform(0.5, 2.0);
    out.variance.push_back(root * root);
    out.error.push_back(std::sqrt(s * s * out.variance.back() + c * c) * rng.normal());
  }
  return out;
}

double mean_of(const std::vector<double>& values) {
  double sum = 0.0;
  for (double v : values) sum += v;
  return sum / static_cast<double>(values.size());
}

double mean_nll(const Simulated& data, double s2, double c2) {
  double sum = 0.0;
  for (size_t i = 0; i < data.error.size(); ++i)
    sum += normal_nll(data.error[i], s2 * data.variance[i] + c2);
  return sum / static_cast<double>(data.error.size());
}

TEST(NormalNll, IsThatOfTheDensity) {
  const double density = std::exp(-0.5 * 9.0 / 4.0) / std::sqrt(2.0 * std::numbers::pi * 4.0);
  EXPECT_NEAR(normal_nll(-3.0, 4.0), -std::log(density), 1e-14);
}

// The likeliest a = s² and b = c² have the covariance of the inverse Fisher information
// I = Σ ½ (v, 1)(v, 1)ᵀ / V², here four standard errors; and the share of the spread lies on a grid
// of 0.01, half a step of which moves a by 0.005 V/mean(v) and b by 0.005 V.
TEST(FitNoise, FindsTheScaleAndTheNoiseThatErrorsWereDrawnWith) {
  const struct { double s, c; } cases[] = {{1.0, 0.5}, {2.0, 1.0}, {0.3, 1.0}, {0.7, 0.2}};
  uint64_t step = 0;
  for (const auto& [s, c] : cases) {
    const Simulated data = simulate(40000, s, c, step++);
    const NoiseFit fit = fit_noise(data.error, data.variance, kTiny);
    double vv = 0.0, v1 = 0.0, one = 0.0, total = 0.0;
    for (double v : data.variance) {
      const double whole = s * s * v + c * c;
      vv += 0.5 * v * v / (whole * whole);
      v1 += 0.5 * v / (whole * whole);
      one += 0.5 / (whole * whole);
      total += whole / static_cast<double>(data.variance.size());
    }
    const double determinant = vv * one - v1 * v1;
    const double grid = 0.005 * total;
    EXPECT_NEAR(fit.scale * fit.scale, s * s,
                4.0 * std::sqrt(one / determinant) + grid / mean_of(data.variance));
    EXPECT_NEAR(fit.noise * fit.noise, c * c, 4.0 * std::sqrt(vv / determinant) + grid);
  }
}

TEST(FitNoise, NoOtherScaleAndNoiseAreLikelier) {
  const Simulated data = simulate(60, 1.4, 0.6, 9);
  const NoiseFit fit = fit_noise(data.error, data.variance, kTiny);
  const double reached = mean_nll(data, fit.scale * fit.scale, fit.noise * fit.noise);
  // The nearest share of the grid is at most 0.005 away. The loss is flat at the best one; its
  // second derivative in the share, ½ mean((v/mean − 1)²/u²) ≤ ½ 3² / 0.2², bounds what is lost.
  const double lost = 0.5 * 0.5 * 9.0 / 0.04 * 0.005 * 0.005;
  for (double s2 = 0.05; s2 < 8.0; s2 *= 1.1)
    for (double c2 = 0.02; c2 < 8.0; c2 *= 1.1)
      EXPECT_GE(mean_nll(data, s2, c2), reached - lost) << s2 << " " << c2;
}

TEST(FitNoise, WithoutAnySpreadIsTheRootMeanSquareError) {
  const std::vector<double> error = {1.0, -2.0, 2.0}, none(3, 0.0);
  const NoiseFit fit = fit_noise(error, none, kTiny);
  EXPECT_EQ(fit.scale, 0.0);
  EXPECT_NEAR(fit.noise, std::sqrt(3.0), 1e-15);
}

TEST(FitNoise, OfErrorsThatAreAllZeroIsSmallAndNotZero) {
  const std::vector<double> error(3, 0.0), spread = {1.0, 2.0, 3.0};
  const NoiseFit fit = fit_noise(error, spread, 1e-12);
  EXPECT_GT(fit.noise, 0.0);
  EXPECT_LE(fit.noise, 1e-6);
}

// A row on which all graphs agree still has some noise: at least a hundredth of the variance.
TEST(FitNoise, AlwaysLeavesSomeNoise) {
  const Simulated data = simulate(5000, 1.0, 0.0, 4);
  const NoiseFit fit = fit_noise(data.error, data.variance, kTiny);
  EXPECT_GE(fit.noise * fit.noise, 0.01 * 0.9 * mean_of(data.variance));
}

}  // namespace
}  // namespace emgnn
