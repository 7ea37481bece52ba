// SPDX-License-Identifier: Apache-2.0
#include <emgnn/learn/conformal.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include <emgnn/base/rng.h>

namespace emgnn {
namespace {

TEST(ConformalQuantile, IsTheRankThatCountsTheNewRowToo) {
  const std::vector<double> nine = {1, 2, 3, 4, 5, 6, 7, 8, 9};
  EXPECT_EQ(conformal_quantile(nine, 0.9), 9.0);  // ⌈10 · 0.9⌉ = 9
  EXPECT_EQ(conformal_quantile(nine, 0.5), 5.0);
  EXPECT_EQ(conformal_quantile(nine, 0.51), 6.0);
  EXPECT_EQ(conformal_quantile(nine, 0.7), 7.0);  // not 8, though 10 · 0.7 is above 7 in float64
  EXPECT_EQ(conformal_quantile(nine, 0.001), 1.0);
  EXPECT_EQ(conformal_quantile(nine, 0.91), std::numeric_limits<double>::infinity());
  EXPECT_EQ(conformal_quantile({}, 0.5), std::numeric_limits<double>::infinity());
}

TEST(ConformalQuantile, SaysHowManyRowsALevelNeeds) {
  EXPECT_EQ(rows_for_level(0.5), 1);
  EXPECT_EQ(rows_for_level(0.9), 9);
  EXPECT_EQ(rows_for_level(0.95), 19);
  EXPECT_EQ(rows_for_level(0.99), 99);
  for (double level : {0.5, 0.8, 0.9, 0.95, 0.99}) {
    const auto n = static_cast<size_t>(rows_for_level(level));
    EXPECT_TRUE(std::isfinite(conformal_quantile(std::vector<double>(n, 1.0), level))) << level;
    EXPECT_FALSE(std::isfinite(conformal_quantile(std::vector<double>(n - 1, 1.0), level)));
  }
}

TEST(Aps, AddsTheLikelierClassesAndAShareOfItsOwn) {
  const std::vector<double> prob = {0.25, 0.625, 0.125, 0.5, 0.0, 0.5};
  const std::vector<double> u = {0.5, 0.25};
  // Row 0: 0.625 + 0.125; 0.3125; 0.875 + 0.0625. Row 1: the first of equals counts as likelier.
  EXPECT_EQ(aps_scores(prob, u, 3), (std::vector<double>{0.75, 0.3125, 0.9375, 0.125, 1.0, 0.625}));
}

TEST(Daps, MixesTheMeanOfTheNeighbours) {
  const std::vector<double> scores = {0.0, 1.0, 0.5, 0.25, 1.0, 0.75};  // three rows, two classes
  const Neighbours path{.rowptr = {0, 1, 3, 3}, .col = {1, 0, 2}};      // the last has none
  EXPECT_EQ(diffused_scores(scores, path, 2, 0.5),
            (std::vector<double>{0.25, 0.625, 0.5, 0.5625, 1.0, 0.75}));
  EXPECT_EQ(diffused_scores(scores, path, 2, 0.0), scores);
}

// Rows of known distributions: class c of row i with probability prob[i][c]. `sharpness` makes the
// predictor surer than it is right, which conformal prediction must mend.
struct Rows {
  Rows(size_t count, uint64_t seed, double sharpness) {
    Rng rng(seed, Stream::kTest);
    for (size_t i = 0; i < count; ++i) {
      double truth[4], predicted[4], total = 0.0, sharp = 0.0;
      for (double& p : truth) total += p = -std::log(1.0 - rng.uniform());
      for (int c = 0; c < 4; ++c) sharp += predicted[c] = std::pow(truth[c] / total, sharpness);
      double left = rng.uniform();
      int y = 0;
      while (y < 3 && (left -= truth[y] / total) >= 0.0) ++y;
      cls.push_back(y);
      u.push_back(rng.uniform());
      for (double p : predicted) prob.push_back(p / sharp);
    }
  }
  // The score of the right class of each row.
  std::vector<double> right() const {
    const std::vector<double> all = aps_scores(prob, u, 4);
    std::vector<double> out;
    for (size_t i = 0; i < cls.size(); ++i) out.push_back(all[4 * i + static_cast<size_t>(cls[i])]);
    return out;
  }
  std::vector<double> prob, u;
  std::vector<int> cls;
};

// With n calibration and m test rows and no ties the number of covered test rows is beta-binomial:
// Beta(k, n + 1 − k) with k = ⌈(n + 1) level⌉, of mean μ = k / (n + 1) and variance
// μ (1 − μ) / m · (1 + (m − 1) / (n + 2)). The mean of D independent draws is within five deviations.
TEST(Conformal, CoversAsPromisedHoweverWrongTheProbabilities) {
  constexpr size_t kDraws = 200, n = 120, m = 200;
  for (double sharpness : {1.0, 4.0, 0.2}) {
    for (double level : {0.8, 0.9}) {
      double mean = 0.0;
      for (size_t draw = 0; draw < kDraws; ++draw) {
        std::vector<double> calibration = Rows(n, 2 * draw, sharpness).right();
        std::sort(calibration.begin(), calibration.end());
        const double most = conformal_quantile(calibration, level);
        const std::vector<double> test = Rows(m, 2 * draw + 1, sharpness).right();
        mean += static_cast<double>(
                    std::count_if(test.begin(), test.end(), [&](double s) { return s <= most; })) /
                static_cast<double>(m * kDraws);
      }
      const double mu = std::ceil((n + 1) * level) / (n + 1);
      const double variance = mu * (1.0 - mu) / m * (1.0 + (m - 1.0) / (n + 2.0));
      EXPECT_NEAR(mean, mu, 5.0 * std::sqrt(variance / kDraws)) << sharpness << " " << level;
    }
  }
}

}  // namespace
}  // namespace emgnn
