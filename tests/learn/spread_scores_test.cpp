// SPDX-License-Identifier: Apache-2.0
#include <emgnn/learn/spread_scores.h>

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>
#include <vector>

#include <emgnn/base/rng.h>

namespace emgnn {
namespace {

constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

Scores scores(const std::vector<double>& mean, const std::vector<double>& std,
              const std::vector<double>& target, int64_t targets = 1,
              Ranks ranks = Ranks::kCompute) {
  Scores out;
  add_spread_scores(out, {.mean = mean, .std = std, .target = target, .num_targets = targets},
                    ranks);
  return out;
}

double nll_by_hand(double mean, double std, double y) {
  return std::log(std * std::sqrt(2.0 * std::numbers::pi)) +
         (y - mean) * (y - mean) / (2.0 * std * std);
}

// y of normal distributions; what is claimed of their deviation is `claim` times the truth.
struct Simulated {
  Simulated(size_t n, double claim) {
    Rng rng(5, Stream::kTest, 1);
    for (size_t i = 0; i < n; ++i) {
      const double sigma = rng.uniform(0.1, 3.0);
      mean.push_back(rng.uniform(-5.0, 5.0));
      std.push_back(claim * sigma);
      target.push_back(mean.back() + sigma * rng.normal());
    }
  }
  std::vector<double> mean, std, target;
};

constexpr size_t kRows = 20000;

double standard_error(double share) {
  return std::sqrt(share * (1.0 - share) / static_cast<double>(kRows));
}

// Shares of 20000 draws, within four standard errors of a binomial. A calibration error is a mean of
// 19 of their distances.
TEST(SpreadScores, OfTheTrueDistributionAreThoseOfCalibratedOnes) {
  const Simulated data(kRows, 1.0);
  const Scores got = scores(data.mean, data.std, data.target);
  EXPECT_NEAR(got.at("coverage_90"), 0.9, 4.0 * standard_error(0.9));
  EXPECT_LT(got.at("calibration_error"), 4.0 * standard_error(0.5));
  EXPECT_GT(got.at("calibration_error"), 0.0);
  double nll = 0.0;
  for (size_t i = 0; i < kRows; ++i)
    nll += nll_by_hand(data.mean[i], data.std[i], data.target[i]) / double(kRows);
  EXPECT_NEAR(got.at("nll"), nll, 1e-12);
  EXPECT_GT(got.at("spread_error_correlation"), 0.3);
}

// Half of the true deviation: the middle 90 % of the claim are |z| < 1.645 / 2, and the share of
// targets at or below the quantile q is Φ(Φ⁻¹(q) / 2).
TEST(SpreadScores, OfDistributionsThatAreTooNarrowSaySo) {
  const Simulated data(kRows, 0.5);
  const Scores got = scores(data.mean, data.std, data.target);
  const double covered = std::erf(1.6448536269514722 / 2.0 / std::numbers::sqrt2);
  EXPECT_NEAR(got.at("coverage_90"), covered, 4.0 * standard_error(covered));
  const std::vector<double> quantile = {
      1.6448536269514722,  1.2815515655446004, 1.0364333894937898,
      0.8416212335729143,  0.6744897501960817, 0.5244005127080409,
      0.38532046640756773, 0.2533471031357997, 0.12566134685507402};  // of 0.95, 0.90, …, 0.55
  double distance = 0.0;
  for (size_t k = 0; k < quantile.size(); ++k) {
    const double level = 0.95 - 0.05 * static_cast<double>(k);
    const double reached = 0.5 * std::erfc(-quantile[k] / 2.0 / std::numbers::sqrt2);
    distance += 2.0 * std::abs(level - reached) / 19.0;  // and its mirror image; 0.5 is reached
  }
  EXPECT_NEAR(got.at("calibration_error"), distance, 4.0 * standard_error(0.5));
}

TEST(SpreadScores, AFewRowsByHand) {
  // z = 0, 1 and −2: at quantiles 0.5, 0.841 and 0.023.
  const Scores got = scores({1.0, 0.0, 3.0}, {1.0, 2.0, 0.5}, {1.0, 2.0, 2.0});
  double error = 0.0;
  for (int k = 1; k < 20; ++k) {
    const double below = (1.0 + (k >= 10 ? 1.0 : 0.0) + (k >= 17 ? 1.0 : 0.0)) / 3.0;
    error += std::abs(below - 0.05 * k) / 19.0;
  }
  EXPECT_NEAR(got.at("calibration_error"), error, 1e-14);
  EXPECT_NEAR(got.at("coverage_90"), 2.0 / 3.0, 1e-15);
  EXPECT_NEAR(got.at("nll"),
              (nll_by_hand(1, 1, 1) + nll_by_hand(0, 2, 2) + nll_by_hand(3, 0.5, 2)) / 3.0, 1e-14);
  // Errors 0, 2, 1 and deviations 1, 2, 0.5 have the ranks 1, 3, 2 and 2, 3, 1: ρ = 1 − 6·2/24.
  EXPECT_NEAR(got.at("spread_error_correlation"), 0.5, 1e-15);
}

TEST(SpreadScores, AreTheMeanOverTargetsOfTheirKnownEntries) {
  const std::vector<double> mean = {0, 5, 1, 5, 2, 5}, std = {1, 3, 2, 1, 3, 2};
  const std::vector<double> target = {1, kUnknown, 3, 6, 2, 4};
  const Scores both = scores(mean, std, target, 2);
  const Scores first = scores({0, 1, 2}, {1, 2, 3}, {1, 3, 2});
  const Scores second = scores({5, 5}, {1, 2}, {6, 4});
  for (const char* name : {"nll", "calibration_error", "coverage_90"})
    EXPECT_NEAR(both.at(name), (first.at(name) + second.at(name)) / 2.0, 1e-15) << name;
  // The errors of the second are alike: there is no order to compare.
  EXPECT_NE(first.find("spread_error_correlation"), nullptr);
  EXPECT_EQ(both.find("spread_error_correlation"), nullptr);
  // A target of which nothing is known counts nowhere.
  EXPECT_EQ(scores({0, 0}, {1, 1}, {2, kUnknown}, 2).at("nll"), scores({0}, {1}, {2}).at("nll"));
}

TEST(SpreadScores, AreLeftOutWhereTheyAreNotDefined) {
  EXPECT_TRUE(scores({}, {}, {}).all().empty());
  EXPECT_TRUE(scores({1}, {1}, {kUnknown}).all().empty());
  EXPECT_TRUE(scores({1, 2}, {1, 0}, {1, 2}).all().empty());
  EXPECT_TRUE(scores({1, 2}, {1, kUnknown}, {1, 2}).all().empty());
  EXPECT_EQ(scores({1, 2}, {1, 1}, {1, 3}).find("spread_error_correlation"), nullptr);
  EXPECT_EQ(scores({1, 2}, {1, 2}, {1, 3}, 1, Ranks::kSkip).find("spread_error_correlation"),
            nullptr);
}

TEST(SpreadScores, ComeInTheOrderOfTheirInfo) {
  const Scores got = scores({1, 2}, {1, 2}, {1, 3});
  ASSERT_EQ(got.all().size(), spread_score_info().size());
  for (size_t i = 0; i < got.all().size(); ++i)
    EXPECT_EQ(got.all()[i].name, spread_score_info()[i].name);
}

}  // namespace
}  // namespace emgnn
