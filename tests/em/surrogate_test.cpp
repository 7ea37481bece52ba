// SPDX-License-Identifier: Apache-2.0
// Posteriors from few losses against the exact ones.
#include <emgnn/em/surrogate.h>

#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "../base/with_threads.h"

#include <emgnn/space/simplex.h>

namespace emgnn {
namespace {

// The grid of step 1/20 on the simplex of three weights: 231 points.
class Simplex : public ParameterSpace {
 public:
  int64_t size() const override { return grid_.size(); }
  LambdaPoint point(int64_t id) const override { return grid_.point(id); }
  std::vector<std::string> coordinate_names() const override { return {"a", "b", "c"}; }
  Marginal prior_marginal(size_t /*coordinate*/) const override { return grid_.prior_marginal(); }
  int64_t propose_local(int64_t id, Rng& rng) const override {
    return grid_.propose_local(id, rng);
  }

 private:
  SimplexGrid grid_{3, 20};
};

// Not a polynomial: a share counts by what it has of a weighted sum, as neighbours do.
double rational(const LambdaPoint& x) {
  const double share = x[0] / (0.2 + x[0] + 3.0 * x[1] + 0.5 * x[2]);
  return 0.6 - 0.5 * std::sqrt(share + 0.01) + 0.4 * x[1] * x[1];
}
double quadratic(const LambdaPoint& x) {
  return 0.3 + 0.4 * x[0] * x[0] - 0.7 * x[0] * x[1] - x[2];
}

using Loss = double (*)(const LambdaPoint&);

LossFunction losses_of(const Simplex& space, Loss loss) {
  return [&space, loss](std::span<const int64_t> ids) {
    std::vector<double> out;
    for (int64_t id : ids) out.push_back(loss(space.point(id)));
    return out;
  };
}

Posterior exact(const Simplex& space, Loss loss, double eta) {
  return Posterior::gibbs(space.all_ids(), losses_of(space, loss)(space.all_ids()), {}, eta);
}

SurrogateSample sample(Loss loss, double eta, uint64_t round, int64_t points = 120) {
  const Simplex space;
  LossCache cache(losses_of(space, loss));
  return sample_by_surrogate(space, cache, eta, {.steps = 15000, .chains = 4, .burn_in = 500},
                             points, 7, round);
}

LambdaPoint mean(const Simplex& space, const Posterior& p) {
  LambdaPoint out(3, 0.0);
  for (size_t i = 0; i < p.lam_ids().size(); ++i)
    for (size_t c = 0; c < 3; ++c)
      out[c] += std::exp(p.log_probs()[i]) * space.point(p.lam_ids()[i])[c];
  return out;
}

TEST(Surrogate, IsExactOnAQuadraticAndKnowsItsErrorElsewhere) {
  const Simplex space;
  std::vector<int64_t> ids, others;
  for (int64_t id = 0; id < space.size(); ++id) (id % 4 == 1 ? ids : others).push_back(id);
  const auto error = [&](Loss loss, double* claimed) {
    const Surrogate fit(space, ids, losses_of(space, loss)(ids));
    *claimed = fit.held_out_error();
    double squares = 0.0;
    for (int64_t id : others)
      squares += std::pow(fit.at(space.point(id)) - loss(space.point(id)), 2);
    return std::sqrt(squares / static_cast<double>(others.size()));
  };
  double claimed = 0.0;
  EXPECT_LT(error(quadratic, &claimed), 1e-5);
  EXPECT_LT(claimed, 1e-4);
  // Of 58 points the root mean square is known to a factor of about 1 ± 1/√(2 · 58), more where single
  // points at the border have most of it: a factor of 3 either way.
  const double real = error(rational, &claimed);
  EXPECT_GT(real, 1e-4);
  EXPECT_LT(real, 3.0 * claimed);
  EXPECT_GT(real, claimed / 3.0);
}

// The mean of each weight over 60 independent samples is compared with the exact posterior's, at 4.5
// standard errors taken from the spread between the samples: 12 comparisons, a correct sampler fails
// once in about 12,000 seeds. The bias of a ratio of n = 30 weighted draws is about Var(w) sd / n,
// Var(w) = 1/corrected − 1.
TEST(Surrogate, SamplesTheExactPosterior) {
  constexpr int kSamples = 60;
  const Simplex space;
  for (Loss loss : {quadratic, rational}) {
    for (double eta : {4.0, 25.0}) {
      const LambdaPoint want = mean(space, exact(space, loss, eta));
      LambdaPoint sum(3, 0.0), square(3, 0.0);
      double corrected = 1.0;
      for (int s = 0; s < kSamples; ++s) {
        const SurrogateSample got = sample(loss, eta, static_cast<uint64_t>(s + 1));
        corrected = std::min(corrected, got.summary.corrected);
        const LambdaPoint m = mean(space, got.posterior);
        for (size_t c = 0; c < 3; ++c) {
          sum[c] += m[c] / kSamples;
          square[c] += m[c] * m[c] / kSamples;
        }
      }
      EXPECT_GT(corrected, 0.5);
      for (size_t c = 0; c < 3; ++c) {
        const double variance = (square[c] - sum[c] * sum[c]) * kSamples / (kSamples - 1);
        const double bias = (1.0 / corrected - 1.0) * 0.3 / 30.0;
        EXPECT_NEAR(sum[c], want[c], 4.5 * std::sqrt(variance / kSamples) + bias)
            << "weight " << c << ", eta " << eta;
        EXPECT_LT(std::sqrt(variance), 0.05);  // and one sample alone is close
      }
    }
  }
}

TEST(Surrogate, TakesNoMoreLossesThanAskedForAndTheSameForAnyThreads) {
  std::multiset<int64_t> asked;
  const Simplex space;
  LossCache cache([&](std::span<const int64_t> ids) {
    asked.insert(ids.begin(), ids.end());
    return losses_of(space, rational)(ids);
  });
  const SurrogateSample got = sample_by_surrogate(
      space, cache, 4.0, {.steps = 4000, .chains = 2, .burn_in = 100}, 80, 3, 1);
  EXPECT_LE(asked.size(), 80U);
  EXPECT_EQ(got.summary.evaluated, static_cast<int64_t>(asked.size()));
  EXPECT_GE(got.prior_losses.size(), 40U);
  EXPECT_TRUE(got.summary.fitted());
  const auto run = [] { return sample(rational, 4.0, 3).posterior.log_probs(); };
  EXPECT_EQ(with_threads(1, run), with_threads(4, run));
}

// A loss that no fit can follow is still sampled, and said not to be.
TEST(Surrogate, SaysWhenTheLossCannotBeFitted) {
  const SurrogateSample got =
      sample([](const LambdaPoint& x) { return std::sin(1e4 * x[0] + 3e4 * x[1]); }, 4.0, 1);
  EXPECT_GT(got.summary.fit_error, 1.0);
  EXPECT_FALSE(got.summary.converged());
}

}  // namespace
}  // namespace emgnn
