// SPDX-License-Identifier: Apache-2.0
#include <emgnn/em/stack.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include <emgnn/base/error.h>
#include <emgnn/base/rng.h>

namespace emgnn {
namespace {

// Likelihoods [graphs][rows], and what is minimised, from its definition.
struct Case {
  std::vector<std::vector<double>> q;
  double kappa = 0.0;

  size_t graphs() const { return q.size(); }
  double rows() const { return static_cast<double>(q.front().size()); }

  std::vector<double> log_likelihood() const {
    std::vector<double> out;
    for (const auto& graph : q)
      for (double v : graph) out.push_back(std::log(v));
    return out;
  }

  double mean(const std::vector<double>& p, size_t row) const {
    double sum = 0.0;
    for (size_t g = 0; g < graphs(); ++g) sum += p[g] * q[g][row];
    return sum;
  }

  double value(const std::vector<double>& p) const {
    double sum = 0.0;
    for (size_t i = 0; i < q.front().size(); ++i) sum -= std::log(mean(p, i));
    for (double w : p)
      if (w > 0.0) sum += kappa * w * std::log(w * static_cast<double>(graphs()));
    return sum / rows();
  }

  std::vector<double> gradient(const std::vector<double>& p) const {
    std::vector<double> out(graphs());
    for (size_t g = 0; g < graphs(); ++g) {
      for (size_t i = 0; i < q.front().size(); ++i) out[g] -= q[g][i] / mean(p, i) / rows();
      if (kappa > 0.0)
        out[g] += kappa / rows() * (std::log(p[g] * static_cast<double>(graphs())) + 1.0);
    }
    return out;
  }

  // F is convex: no weights are better by more than Σ p ∂F/∂p − min ∂F/∂p.
  double gap(const std::vector<double>& p) const {
    const std::vector<double> d = gradient(p);
    return std::inner_product(p.begin(), p.end(), d.begin(), 0.0) -
           *std::min_element(d.begin(), d.end());
  }

  // F(p) − F* ≥ (κ/n) KL(p ‖ p*) ≥ (κ/n) |p − p*|²/2 with the sum of absolute differences.
  double reach(double gap) const { return std::sqrt(2.0 * rows() * std::max(gap, 0.0) / kappa); }
};

struct Stacked {
  std::vector<double> p;
  double residual;
};

Stacked stacked(const Case& c) {
  const StackResult result = stack(c.log_likelihood(), static_cast<int64_t>(c.graphs()), c.kappa);
  Stacked out{.p = {}, .residual = result.residual};
  for (double lp : result.log_prob) out.p.push_back(std::exp(lp));
  return out;
}

Case random_case(size_t graphs, size_t rows, double kappa, double sharpness, uint64_t seed) {
  Case out{.q = {}, .kappa = kappa};
  Rng rng(seed, Stream::kTest);
  for (size_t g = 0; g < graphs; ++g) {
    out.q.emplace_back();
    for (size_t i = 0; i < rows; ++i)
      out.q.back().push_back(1.0 / (1.0 + std::exp(sharpness * rng.normal())));
  }
  return out;
}

double distance(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0.0;
  for (size_t i = 0; i < a.size(); ++i) sum += std::abs(a[i] - b[i]);
  return sum;
}

// The residual is √(w (1−w)) |F'(w)| of the first graph's weight w, and F'' ≥ `curvature`.
double weight_tolerance(const Stacked& s, double curvature) {
  return s.residual / (std::sqrt(s.p[0] * s.p[1]) * curvature);
}

TEST(Stack, OfTwoGraphsHasItsClosedForm) {
  // `a` rows have likelihoods (1, r), b rows (r, 1): w = (a − b r) / ((a + b)(1 − r)).
  for (double r : {0.05, 0.3, 0.6}) {
    for (size_t a : {4U, 5U, 6U}) {
      const size_t b = 10 - a;
      Case c;
      c.q = {std::vector<double>(10, r), std::vector<double>(10, 1.0)};
      for (size_t i = 0; i < a; ++i) std::swap(c.q[0][i], c.q[1][i]);
      const double w = (static_cast<double>(a) - static_cast<double>(b) * r) / (10.0 * (1.0 - r));
      ASSERT_GT(w, 0.0);
      ASSERT_LT(w, 1.0);
      const Stacked s = stacked(c);
      // F'' = (1 − r)² times the mean of 1/mean² ≥ 1.
      EXPECT_LT(s.residual, 1e-7);
      EXPECT_NEAR(s.p[0], w, weight_tolerance(s, (1 - r) * (1 - r)) + 1e-15) << r << " " << a;
    }
  }
}

TEST(Stack, OfTwoGraphsIsWhereABisectionEnds) {
  for (uint64_t seed = 0; seed < 20; ++seed) {
    for (double kappa : {0.5, 2.0, 20.0}) {
      const Case c = random_case(2, 15, kappa, 1.5, seed);
      double low = 0.0, high = 1.0;
      for (int k = 0; k < 100; ++k) {
        const double w = (low + high) / 2.0;
        const std::vector<double> d = c.gradient({w, 1.0 - w});
        (d[0] < d[1] ? low : high) = w;
      }
      const Stacked s = stacked(c);
      // The second derivative of the divergence is κ/n (1/w + 1/(1−w)) ≥ 4 κ/n.
      EXPECT_NEAR(s.p[0], low, weight_tolerance(s, 4.0 * kappa / c.rows()) + 1e-15);
    }
  }
}

// Expectation–maximisation for the weights of a mixture: it never gets worse.
std::vector<double> by_em(const Case& c, int steps) {
  std::vector<double> p(c.graphs(), 1.0 / static_cast<double>(c.graphs()));
  for (int k = 0; k < steps; ++k) {
    const std::vector<double> d = c.gradient(p);
    for (size_t g = 0; g < p.size(); ++g) p[g] *= -d[g];
  }
  return p;
}

// Very many small steps, downhill at a rate that is below the inverse of every slope.
std::vector<double> by_small_steps(const Case& c, int steps) {
  std::vector<double> p(c.graphs(), 1.0 / static_cast<double>(c.graphs()));
  const double rate = 0.1 / (1.0 + c.kappa / c.rows());
  for (int k = 0; k < steps; ++k) {
    const std::vector<double> d = c.gradient(p);
    double sum = 0.0;
    for (size_t g = 0; g < p.size(); ++g) sum += p[g] *= std::exp(-rate * d[g]);
    for (double& w : p) w /= sum;
  }
  return p;
}

// Weights off by δ make F larger by no more than the gap that they leave.
TEST(Stack, IsAsGoodAsExpectationMaximisation) {
  for (uint64_t seed = 0; seed < 10; ++seed) {
    for (size_t graphs : {2U, 3U, 7U, 30U}) {
      const Case c = random_case(graphs, 12, 0.0, 2.0, seed);
      const std::vector<double> slow = by_em(c, 20000);
      const Stacked s = stacked(c);
      EXPECT_LE(c.value(s.p), c.value(slow) + 1e-9) << graphs << " " << seed;
      EXPECT_GE(c.value(s.p), c.value(slow) - c.gap(slow) - 1e-14) << graphs << " " << seed;
      // A graph of weight w is off by residual/√w at most; one of no weight should get none.
      EXPECT_LT(s.residual, 1e-6);
      EXPECT_LE(c.gap(s.p), s.residual / std::sqrt(1e-4) + 1e-13) << graphs << " " << seed;
    }
  }
}

TEST(Stack, IsWhereManySmallStepsEnd) {
  for (uint64_t seed = 0; seed < 5; ++seed) {
    for (double kappa : {0.3, 2.0, 10.0}) {
      const Case c = random_case(5, 10, kappa, 2.0, seed);
      const std::vector<double> slow = by_small_steps(c, 20000);
      ASSERT_LT(c.gap(slow), 1e-9);
      const Stacked s = stacked(c);
      EXPECT_LE(distance(s.p, slow), c.reach(c.gap(s.p)) + c.reach(c.gap(slow)) + 1e-14);
      EXPECT_LT(c.reach(c.gap(s.p)), 1e-2);
    }
  }
}

TEST(Stack, MeetsTheConditionsOfAnOptimum) {
  for (uint64_t seed = 0; seed < 10; ++seed) {
    for (double kappa : {0.0, 0.1, 2.0}) {
      for (double sharpness : {0.1, 1.0, 6.0}) {
        const Case c = random_case(25, 40, kappa, sharpness, seed);
        const Stacked s = stacked(c);
        // A step may be long where F is flat: logarithms of 1e4 and more are rounded before they
        // are normalised.
        EXPECT_NEAR(std::accumulate(s.p.begin(), s.p.end(), 0.0), 1.0, 1e-11);
        const std::vector<double> d = c.gradient(s.p);
        const double mean = std::inner_product(s.p.begin(), s.p.end(), d.begin(), 0.0);
        double square = 0.0;
        for (size_t g = 0; g < d.size(); ++g) square += s.p[g] * (d[g] - mean) * (d[g] - mean);
        // The derivatives are rounded at ε |d|, about 1e-15 here, and so is their spread.
        EXPECT_NEAR(s.residual, std::sqrt(square), 1e-13);
        EXPECT_LT(s.residual, 1e-6);
        // The same derivative for every graph that has a weight, no smaller one for the others.
        for (size_t g = 0; g < d.size(); ++g) {
          const double allowed = s.residual / std::sqrt(std::max(s.p[g], 1e-3)) + 1e-13;
          EXPECT_GE(d[g], mean - allowed) << g;
          EXPECT_TRUE(s.p[g] < 1e-3 || d[g] <= mean + allowed) << g;
        }
      }
    }
  }
}

TEST(Stack, HeldStronglyToThePriorIsThePrior) {
  const double kappa = 1e9;
  const Case c = random_case(6, 10, kappa, 3.0, 1);
  // At the optimum log(6 p) differs between graphs by Σ_i q/mean ≤ 60, over κ.
  for (double w : stacked(c).p) EXPECT_NEAR(w, 1.0 / 6, 60.0 / kappa);
}

TEST(Stack, OfGraphsThatAreAlikeIsThePrior) {
  Case c = random_case(1, 10, 2.0, 1.0, 1);
  for (int k = 0; k < 3; ++k) c.q.push_back(c.q.front());
  for (double w : stacked(c).p) EXPECT_NEAR(w, 0.25, 1e-15);
  EXPECT_EQ(stacked(random_case(1, 4, 2.0, 1.0, 1)).p, (std::vector<double>{1.0}));
}

TEST(Stack, RewardsGraphsThatErrDifferently) {
  // Two are right on one half of the rows each, the third is middling on all: alone it is the best.
  Case c;
  for (double v : {0.9, 0.1, 0.4}) c.q.push_back(std::vector<double>(8, v));
  for (size_t i = 0; i < 4; ++i) std::swap(c.q[0][i], c.q[1][i]);
  const std::vector<std::vector<double>> alone = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  EXPECT_LT(c.value(alone[2]), c.value(alone[0]));
  EXPECT_LT(c.value(alone[2]), c.value(alone[1]));
  const Stacked s = stacked(c);
  // ∂F is −1, −1 and −0.8 at (½, ½, 0): all weight on the third costs 0.2 of it, the gap bounds it.
  EXPECT_LE(0.2 * s.p[2], c.gap({0.5, 0.5, 0.0}) + c.gap(s.p) + 1e-14);
  EXPECT_LT(s.p[2], 1e-5);
  EXPECT_NEAR(s.p[0], 0.5, s.p[2] + 1e-6);
  EXPECT_NEAR(s.p[1], 0.5, s.p[2] + 1e-6);
  c.kappa = 2.0;
  const Stacked held = stacked(c);
  EXPECT_GT(held.p[0], held.p[2]);
  EXPECT_GT(held.p[1], held.p[2]);
}

TEST(Stack, PermutedGraphsHavePermutedWeights) {
  for (uint64_t seed = 0; seed < 10; ++seed) {
    const Case c = random_case(6, 10, 1.0, 2.0, seed);
    Case turned = c;
    std::rotate(turned.q.begin(), turned.q.begin() + 2, turned.q.end());
    std::vector<double> want = stacked(c).p;
    const double near = c.reach(c.gap(want));
    std::rotate(want.begin(), want.begin() + 2, want.end());
    const std::vector<double> got = stacked(turned).p;
    EXPECT_LE(distance(got, want), near + turned.reach(turned.gap(got)) + 1e-14);
  }
}

TEST(Stack, ScaleOfARowDoesNotMatter) {
  const Case c = random_case(5, 9, 1.0, 2.0, 3);
  std::vector<double> shifted = c.log_likelihood();
  for (size_t i = 0; i < shifted.size(); ++i) shifted[i] -= 800.0 * static_cast<double>(i % 9);
  const StackResult result = stack(shifted, 5, 1.0);
  std::vector<double> p;
  for (double lp : result.log_prob) p.push_back(std::exp(lp));
  // A shift of at most 6400 leaves 6400 ε = 1.5e-12 of each logarithm behind: so much moves the
  // derivatives, of which the gap has two.
  const std::vector<double> want = stacked(c).p;
  EXPECT_LE(distance(p, want), c.reach(c.gap(p)) + c.reach(c.gap(want)) + c.reach(1e-11));
}

TEST(Stack, OfVeryUnlikelyLabelsIsFinite) {
  // One graph is nearly certain that half of the labels are wrong, the other of the other half.
  std::vector<double> ll(20, -1e-3);
  for (size_t i = 0; i < 5; ++i) ll[i] = ll[15 + i] = -2000.0;
  const StackResult s = stack(ll, 2, 0.0);
  EXPECT_NEAR(std::exp(s.log_prob[0]), 0.5, 1e-7);
  ll.assign(20, -1e-3);
  for (size_t i = 0; i < 10; ++i) ll[i] = -2000.0;
  const StackResult one = stack(ll, 2, 0.0);
  EXPECT_TRUE(std::isfinite(one.residual));
  EXPECT_NEAR(std::exp(one.log_prob[1]), 1.0, 1e-6);
}

TEST(Stack, RefusesWhatIsNotFinite) {
  constexpr double kInf = std::numeric_limits<double>::infinity();
  for (double bad : {std::nan(""), kInf, -kInf})
    EXPECT_THROW(stack(std::vector<double>{-1.0, -2.0, bad, -1.0}, 2, 1.0), Error);
}

}  // namespace
}  // namespace emgnn
