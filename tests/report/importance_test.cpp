// SPDX-License-Identifier: Apache-2.0
#include <emgnn/report/importance.h>

#include <gtest/gtest.h>

#include <cmath>

#include <emgnn/base/rng.h>
#include <emgnn/space/simplex.h>

namespace emgnn {
namespace {

// Every point of the grid with a mass proportional to `mass(λ)`.
template <class Mass>
std::vector<WeightedPoint> on_grid(int num_types, int parts, Mass&& mass) {
  const SimplexGrid grid(num_types, parts);
  std::vector<WeightedPoint> out;
  double total = 0.0;
  for (int64_t id = 0; id < grid.size(); ++id) {
    WeightedPoint point;
    for (int part : grid.parts(id)) point.lambda.push_back(static_cast<double>(part) / parts);
    total += point.p = mass(point.lambda);
    out.push_back(std::move(point));
  }
  for (WeightedPoint& point : out) point.p /= total;
  return out;
}

TEST(Importance, TellsTheHeavierOfTwoTypesWithItsInterval) {
  const Importance importance =
      importance_of({"MD", "MA"}, {{{0.2, 0.8}, 0.5}, {{0.4, 0.6}, 0.47}, {{0.8, 0.2}, 0.03}}, 0.2);
  ASSERT_EQ(importance.weights.size(), 2U);
  EXPECT_NEAR(importance.weights[0].mean + importance.weights[1].mean, 1.0, 1e-12);
  EXPECT_TRUE(importance.informative());
  EXPECT_EQ(in_words(importance),
            "MA carries more weight than MD: mean 0.69, 90 % interval 0.60 to 0.80");
}

TEST(Importance, OfManyTypesNamesTheHeaviest) {
  const auto posterior =
      on_grid(3, 10, [](const LambdaPoint& lam) { return std::exp(8.0 * lam[1]); });
  const std::string words = in_words(importance_of({"a", "b", "c"}, posterior, 0.1));
  // P(λ_b = 1 − j/10) ∝ (j + 1) r^j with r = e^{-0.8}: the mean of j is 2r / (1 − r) = 1.63.
  EXPECT_TRUE(words.starts_with("b carries the most weight of 3: mean 0.84, ")) << words;
}

TEST(Importance, IsTheDivergenceFromThePriorWithTwoTypes) {
  const auto posterior = on_grid(2, 20, [](const LambdaPoint& lam) { return std::exp(lam[0]); });
  double nats = 0.0;
  for (const WeightedPoint& point : posterior) nats += point.p * std::log(21.0 * point.p);
  EXPECT_NEAR(importance_of({"a", "b"}, posterior, 0.05).nats, nats, 1e-12);
}

TEST(Importance, ThePriorIsNotInformativeForAnyNumberOfTypes) {
  for (int types : {2, 3, 4}) {
    const std::vector<std::string> names(static_cast<size_t>(types), "t");
    const Importance importance =
        importance_of(names, on_grid(types, 10, [](const LambdaPoint&) { return 1.0; }), 0.1);
    EXPECT_NEAR(importance.nats, 0.0, 1e-12) << types;
    EXPECT_FALSE(importance.informative());
    EXPECT_TRUE(
        in_words(importance).starts_with("warning: the learned distribution cannot be told"));
  }
}

TEST(Importance, ASampleOfThePriorIsNotInformativeEither) {
  // Six types at step 0.05: 53,130 points, most of them never drawn.
  const SimplexGrid grid(6, 20);
  constexpr int kDraws = 2000;
  std::vector<WeightedPoint> posterior;
  Rng rng(5, Stream::kTest);
  for (int i = 0; i < kDraws; ++i) {
    WeightedPoint point{{}, 1.0 / kDraws};
    const auto id = static_cast<int64_t>(rng.below(static_cast<uint64_t>(grid.size())));
    for (int part : grid.parts(id)) point.lambda.push_back(part / 20.0);
    posterior.push_back(std::move(point));
  }
  // 21 values of a weight: the plug-in estimate is too large by about 20 / (2 · 2000) = 0.005.
  EXPECT_LT(importance_of({"a", "b", "c", "d", "e", "f"}, posterior, 0.05).nats, 0.02);
}

TEST(Importance, IsEmptyWithoutAMixture) {
  for (const Importance& importance : {importance_of({"a", "b"}, {{{1.0, 1.0}, 1.0}}, 0.05),
                                       importance_of({"a"}, {{{1.0}, 1.0}}, 0.05)}) {
    EXPECT_TRUE(importance.weights.empty());
    EXPECT_EQ(in_words(importance), "");
  }
}

}  // namespace
}  // namespace emgnn
