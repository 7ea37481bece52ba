// SPDX-License-Identifier: Apache-2.0
#include <emgnn/learn/bootstrap.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include <emgnn/base/context.h>
#include <emgnn/base/error.h>
#include <emgnn/base/rng.h>

namespace emgnn {
namespace {

const double kNan = std::numeric_limits<double>::quiet_NaN();

std::vector<double> some_numbers(size_t count) {
  Rng rng(3, Stream::kTest);
  std::vector<double> out;
  for (size_t i = 0; i < count; ++i) out.push_back(rng.normal());
  return out;
}

ScorePlaces mean_of(const std::vector<double>& values) {
  return [&values](std::span<const size_t> places) {
    double sum = 0.0;
    for (size_t place : places) sum += values[place];
    return std::vector<Score>{{"mean", sum / static_cast<double>(places.size())}};
  };
}

TEST(Quantile, IsLinearBetweenTwoNumbers) {
  const std::vector<double> four = {1.0, 2.0, 4.0, 8.0};
  EXPECT_EQ(quantile(four, 0.0), 1.0);
  EXPECT_EQ(quantile(four, 1.0), 8.0);
  EXPECT_EQ(quantile(four, 0.5), 3.0);
  EXPECT_DOUBLE_EQ(quantile(four, 0.25), 1.75);
  EXPECT_DOUBLE_EQ(quantile(four, 0.9), 6.8);
  EXPECT_EQ(quantile(std::vector<double>{5.0}, 0.3), 5.0);
}

// Slow and obvious: all resamples one after the other, all of them sorted.
TEST(Bootstrap, IsTheMiddleOfTheScoresOfAllResamples) {
  const std::vector<double> values = some_numbers(37);
  const BootstrapOptions options{.resamples = 200, .confidence = 0.9, .seed = 11};
  std::vector<double> means;
  for (uint64_t r = 0; r < 200; ++r) {
    Rng rng(11, Stream::kRowSample, r, 1);
    double sum = 0.0;
    for (size_t i = 0; i < values.size(); ++i) sum += values[rng.below(values.size())];
    means.push_back(sum / static_cast<double>(values.size()));
  }
  std::sort(means.begin(), means.end());
  const auto got = bootstrap(values.size(), options, mean_of(values));
  ASSERT_EQ(got.size(), 1U);
  EXPECT_EQ(got[0].name, "mean");
  // 0.05 · 199 = 9.95 and 0.95 · 199 = 189.05
  EXPECT_DOUBLE_EQ(got[0].lower, means[9] + 0.95 * (means[10] - means[9]));
  EXPECT_NEAR(got[0].upper, means[189] + 0.05 * (means[190] - means[189]), 1e-12);
}

// The percentiles of the mean of n draws are those of a normal distribution with the deviation s/√n
// of the values, for large n. The end of an interval is a sample quantile: its own deviation with R
// resamples is √(q (1 − q) / R) / φ(z) = 0.0845 at z = 1.96 and R = 1000, in units of s/√n. Five of
// them, and 0.1 for the skewness of 400 values.
TEST(Bootstrap, OfAMeanIsTheNormalInterval) {
  const std::vector<double> values = some_numbers(400);
  double mean = 0.0, square = 0.0;
  for (double v : values) mean += v / 400.0;
  for (double v : values) square += (v - mean) * (v - mean) / 400.0;
  const auto got = bootstrap(values.size(), {.seed = 1}, mean_of(values)).front();
  const double unit = std::sqrt(square / 400.0);
  EXPECT_NEAR((got.lower - mean) / unit, -1.96, 5 * 0.0845 + 0.1);
  EXPECT_NEAR((got.upper - mean) / unit, 1.96, 5 * 0.0845 + 0.1);
}

TEST(Bootstrap, IsTheSameForAnyNumberOfThreadsAndAnotherForAnotherSeed) {
  const std::vector<double> values = some_numbers(50);
  const auto with = [&](int threads, uint64_t seed) {
    const Context::Scope scope{Context(threads)};
    const auto one = bootstrap(values.size(), {.resamples = 64, .seed = seed}, mean_of(values));
    return std::pair(one.front().lower, one.front().upper);
  };
  EXPECT_EQ(with(1, 0), with(4, 0));
  EXPECT_NE(with(1, 0), with(1, 1));
}

TEST(Bootstrap, ResamplesWithoutAScoreDoNotCountForIt) {
  const ScorePlaces first_place = [](std::span<const size_t> places) {
    std::vector<Score> out = {{"never", kNan}};
    if (places[0] != 0) out.push_back({"sometimes", static_cast<double>(places[0])});
    return out;
  };
  const auto got = bootstrap(3, {.resamples = 100}, first_place);
  ASSERT_EQ(got.size(), 2U);
  EXPECT_TRUE(std::isnan(got[0].lower) && std::isnan(got[0].upper));
  EXPECT_EQ(got[1].name, "sometimes");
  EXPECT_EQ(got[1].lower, 1.0);
  EXPECT_EQ(got[1].upper, 2.0);
}

TEST(Bootstrap, OfNothingIsNothing) {
  EXPECT_TRUE(bootstrap(0, {}, mean_of({})).empty());
  const std::vector<double> one = {1.0};
  EXPECT_TRUE(bootstrap(1, {.resamples = 0}, mean_of(one)).empty());
}

TEST(Bootstrap, StopsWhenAsked) {
  const Context::Scope scope{Context(2, Device{}, [] { return true; })};
  const std::vector<double> values = some_numbers(10);
  EXPECT_THROW(bootstrap(values.size(), {}, mean_of(values)), Interrupted);
}

}  // namespace
}  // namespace emgnn
