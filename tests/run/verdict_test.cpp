// SPDX-License-Identifier: Apache-2.0
#include <emgnn/run/verdict.h>

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include <emgnn/base/rng.h>
#include <emgnn/data/generators.h>
#include <emgnn/run/marginal.h>
#include <emgnn/space/rewire.h>
#include <emgnn/space/rewire_input.h>
#include <emgnn/space/simplex.h>

namespace emgnn {
namespace {

using Mass = std::function<double(const LambdaPoint&)>;

LambdaPoint point_of(const SimplexGrid& grid, int64_t id) {
  LambdaPoint out;
  for (int part : grid.parts(id)) out.push_back(static_cast<double>(part) / grid.total());
  return out;
}

Marginal share_prior(const SimplexGrid& grid) {
  Marginal out;
  for (int k = 0; k <= grid.total(); ++k)
    out[static_cast<double>(k) / grid.total()] = grid.share_with_part(k);
  return out;
}

GraphDistribution mixture(const SimplexGrid& grid, std::vector<WeightedPoint> points) {
  GraphDistribution out{.family = "mixture",
                        .num_shares = static_cast<size_t>(grid.num_parts()),
                        .points = std::move(points)};
  for (int c = 0; c < grid.num_parts(); ++c) {
    out.names.emplace_back(1, static_cast<char>('a' + c));
    out.prior.push_back(share_prior(grid));
  }
  return out;
}

// Every point of the grid with a mass proportional to `mass(λ)`.
GraphDistribution on_grid(const SimplexGrid& grid, const Mass& mass) {
  std::vector<WeightedPoint> points;
  double total = 0.0;
  for (int64_t id = 0; id < grid.size(); ++id) {
    points.push_back({point_of(grid, id), 0.0});
    total += points.back().p = mass(points.back().lambda);
  }
  for (WeightedPoint& point : points) point.p /= total;
  return mixture(grid, std::move(points));
}

double uniform(const LambdaPoint& /*lam*/) { return 1.0; }

using Lines = std::vector<std::string>;

Lines words_of(const GraphDistribution& graphs) { return in_words(graphs, std::nullopt); }

// A warning, and no claim beside it.
bool warns(const GraphDistribution& graphs) {
  const Lines words = words_of(graphs);
  return words.size() == 1 &&
         words[0].starts_with(
             "warning: the learned distribution is indistinguishable from the prior");
}

TEST(Verdict, TellsTheHeavierOfTwoTypesWithItsInterval) {
  const GraphDistribution graphs =
      mixture(SimplexGrid(2, 5), {{{0.2, 0.8}, 0.5}, {{0.4, 0.6}, 0.47}, {{0.8, 0.2}, 0.03}});
  const Verdict verdict = verdict_of(graphs);
  ASSERT_EQ(verdict.coordinates.size(), 2U);
  EXPECT_NEAR(verdict.coordinates[0].mean + verdict.coordinates[1].mean, 1.0, 1e-12);
  EXPECT_TRUE(verdict.informative());
  // Six values of a weight, each 1/6 under the prior: 0.5 and 0.47 instead, and 0.03 of one more.
  // kept: 1/6 + 1/6 + 0.03; nats: 0.5 log 3 + 0.47 log 2.82 + 0.03 log 0.18.
  EXPECT_NEAR(verdict.moved, 1.0 - 1.0 / 3.0 - 0.03, 1e-12);
  EXPECT_EQ(words_of(graphs),
            (Lines{"learned: 64 % of the prior probability of a moved (0.99 nats; 0.05 or more "
                   "counts)",
                   "b carries more weight than a: mean 0.69, 90 % interval 0.60 to 0.80"}));
}

TEST(Verdict, SaysWhatASingleGraphWouldChange) {
  const GraphDistribution graphs = mixture(SimplexGrid(2, 5), {{{0.2, 0.8}, 1.0}});
  const Lines words = in_words(graphs, 0.0314);
  ASSERT_EQ(words.size(), 3U);
  EXPECT_EQ(words[2],
            "one graph of this distribution, with one network, would on average change 3.1 % of "
            "the answers");
}

TEST(Verdict, NamesNoHeaviestViewWhereThatIsOpen) {
  // b has the larger mean, 0.55, and is the larger with probability 0.85 only.
  const GraphDistribution graphs =
      mixture(SimplexGrid(2, 5), {{{0.4, 0.6}, 0.85}, {{0.8, 0.2}, 0.15}});
  EXPECT_EQ(words_of(graphs)[1],
            "no view clearly carries the most weight; b has the largest mean: 0.54, 90 % interval "
            "0.20 to 0.60");
}

TEST(Verdict, OfManyTypesNamesTheHeaviest) {
  const std::string words = words_of(on_grid(
      SimplexGrid(3, 10), [](const LambdaPoint& lam) { return std::exp(8.0 * lam[1]); }))[1];
  // P(λ_b = 1 − j/10) ∝ (j + 1) r^j with r = e^{-0.8}: the mean of j is 2r / (1 − r) = 1.63.
  EXPECT_TRUE(words.starts_with("b carries the most weight of 3: mean 0.84, ")) << words;
}

// a, b and no graph, which has the weights and probabilities given; a has twice the weight of b.
Lines with_none(const std::vector<std::pair<double, double>>& none) {
  std::vector<WeightedPoint> points;
  for (const auto& [weight, p] : none)
    points.push_back({{(1.0 - weight) * 2 / 3, (1.0 - weight) / 3, weight}, p});
  GraphDistribution graphs = mixture(SimplexGrid(3, 10), std::move(points));
  graphs.names[2] = kNoGraph;
  return words_of(graphs);
}

TEST(Verdict, SaysWhetherTheGraphsHelp) {
  EXPECT_EQ(with_none({{0.1, 0.5}, {0.4, 0.5}})[1],
            "the graphs help: the node itself carries 0.25 of the weight, 90 % interval 0.10 to "
            "0.40; no graph at all has probability 0.00");
  EXPECT_EQ(with_none({{0.6, 0.7}, {1.0, 0.3}})[1],
            "the graphs hardly help: the node itself carries 0.72 of the weight, 90 % interval "
            "0.60 to 1.00; no graph at all has probability 0.30");
  EXPECT_EQ(with_none({{0.1, 0.8}, {0.8, 0.2}})[1],
            "how much the graphs help is open: the node itself carries 0.24 of the weight, 90 % "
            "interval 0.10 to 0.80; no graph at all has probability 0.00");
}

// The node itself is no view: it is not among those that are compared.
TEST(Verdict, ComparesTheViewsWithoutTheNodeItself) {
  EXPECT_EQ(with_none({{0.7, 1.0}})[2],
            "a carries more weight than b: mean 0.20, 90 % interval 0.20 to 0.20");
  GraphDistribution one =
      on_grid(SimplexGrid(2, 10), [](const LambdaPoint& lam) { return std::exp(8.0 * lam[0]); });
  one.names[1] = kNoGraph;
  EXPECT_EQ(words_of(one).size(), 2U);  // nothing to compare the only view with
}

TEST(Verdict, IsTheDivergenceFromThePriorWithTwoTypes) {
  const GraphDistribution graphs =
      on_grid(SimplexGrid(2, 20), [](const LambdaPoint& lam) { return std::exp(lam[0]); });
  double nats = 0.0;
  for (const WeightedPoint& point : graphs.points) nats += point.p * std::log(21.0 * point.p);
  EXPECT_NEAR(verdict_of(graphs).nats, nats, 1e-12);
}

TEST(Verdict, ThePriorIsNotInformativeForAnyNumberOfTypes) {
  for (int types : {2, 3, 4}) {
    const GraphDistribution graphs = on_grid(SimplexGrid(types, 10), uniform);
    EXPECT_NEAR(verdict_of(graphs).nats, 0.0, 1e-12) << types;
    EXPECT_TRUE(warns(graphs));
    EXPECT_EQ(words_of(graphs)[0],
              "warning: the learned distribution is indistinguishable from the prior (0.000 nats, "
              "0 % of the probability moved); it says nothing about what is mixed");
  }
}

TEST(Verdict, ASampleOfThePriorIsNotInformativeEither) {
  // Six types at step 0.05: 53,130 points, most of them never drawn.
  const SimplexGrid grid(6, 20);
  constexpr int kDraws = 2000;
  std::vector<WeightedPoint> points;
  Rng rng(5, Stream::kTest);
  for (int i = 0; i < kDraws; ++i) {
    const auto id = static_cast<int64_t>(rng.below(static_cast<uint64_t>(grid.size())));
    points.push_back({point_of(grid, id), 1.0 / kDraws});
  }
  // 21 values of a weight: the plug-in estimate is too large by about 20 / (2 · 2000) = 0.005.
  EXPECT_LT(verdict_of(mixture(grid, std::move(points))).nats, 0.02);
}

// As a family with a single edge type makes it: there is nothing to learn.
TEST(Verdict, IsEmptyForASinglePoint) {
  GraphDistribution graphs = mixture(SimplexGrid(1, 1), {{{1.0}, 1.0}});
  graphs.prior = {{{1.0, 1.0}}};
  EXPECT_TRUE(in_words(graphs, 0.0).empty());
}

GraphDistribution rewired(const Mass& mass) {
  const auto data = std::make_shared<const Dataset>(noisy_citations(
      {.num_nodes = 60, .num_words = 40, .train_per_class = 2, .validation_per_class = 2}, 0));
  const RewireOptions options{.grid = 5, .draws = 2};
  const auto family = RewireFamily::make(data, find_candidates(*data, options), options, 0);
  GraphDistribution out{.family = family->name(),
                        .names = family->coordinate_names(),
                        .num_shares = family->num_shares()};
  double total = 0.0;
  for (int64_t id : family->all_ids()) total += mass(family->point(id));
  for (int64_t id : family->all_ids())
    out.points.push_back({family->point(id), mass(family->point(id)) / total});
  for (size_t c = 0; c < out.names.size(); ++c) out.prior.push_back(family->prior_marginal(c));
  return out;
}

TEST(Verdict, OfRewiredGraphsThatEqualThePriorIsAWarning) {
  const GraphDistribution prior = rewired(uniform);
  EXPECT_NEAR(verdict_of(prior).nats, 0.0, 1e-12);
  EXPECT_TRUE(warns(prior));
  EXPECT_TRUE(words_of(prior)[0].ends_with("it says nothing about the graphs"));
}

TEST(Verdict, OfRewiredGraphsSaysWhereTheMassIs) {
  const GraphDistribution graphs =
      rewired([](const LambdaPoint& lam) { return lam[0] == 0.2 ? 1.0 : 0.0; });
  EXPECT_NEAR(verdict_of(graphs).nats, std::log(5.0), 1e-12);  // one of five values of `drop`
  EXPECT_EQ(
      words_of(graphs)[0],
      "learned: 80 % of the prior probability of drop moved (1.61 nats; 0.05 or more counts)");
  const std::string words = words_of(graphs)[1];
  EXPECT_TRUE(words.starts_with("drop mean 0.20, 90 % interval 0.20 to 0.20; add mean 0.10, "))
      << words;
}

GraphDistribution distances(const std::function<double(double)>& mass) {
  GraphDistribution out{.family = "distance", .names = {"radius"}};
  out.prior.emplace_back();
  double total = 0.0;
  for (int i = 0; i <= 180; ++i) total += mass(1.0 + 0.05 * i);
  for (int i = 0; i <= 180; ++i) {
    const double radius = 1.0 + 0.05 * i;
    out.points.push_back({{radius}, mass(radius) / total});
    // The same value by another way of computing it.
    out.prior[0][1.0 + i / 20.0] = 1.0 / 181.0;
  }
  return out;
}

TEST(Verdict, OfDistancesIsTheirMeanAndIntervalOrAWarning) {
  EXPECT_TRUE(warns(distances([](double) { return 1.0; })));
  EXPECT_TRUE(warns(distances([](double radius) { return 1.0 + 0.01 * radius; })));
  const GraphDistribution near =
      distances([](double radius) { return radius < 2.975 ? 1.0 : 0.0; });  // 1.00 to 2.95
  EXPECT_NEAR(verdict_of(near).nats, std::log(181.0 / 40.0), 1e-9);
  EXPECT_EQ(words_of(near)[1], "radius mean 1.98, 90 % interval 1.05 to 2.85");
}

// There is no prior to compare with, and nothing to call indistinguishable from it.
TEST(Verdict, OfGraphsWithoutLambdaIsWhatOneOfThemWouldChange) {
  const GraphDistribution graphs{.family = "block-model", .names = {}, .points = {{{}, 1.0}}};
  EXPECT_TRUE(in_words(graphs, std::nullopt).empty());
  EXPECT_EQ(
      in_words(graphs, 0.05),
      (Lines{"one graph of this distribution, with one network, would on average change 5.0 % "
             "of the answers"}));
  EXPECT_FALSE(verdict_of(graphs).informative());
}

TEST(Marginal, SumsTheMassOfEachValue) {
  const std::vector<WeightedPoint> points = {
      {{0.0, 1.0}, 0.25}, {{0.0, 2.0}, 0.5}, {{3.0, 1.0}, 0.25}};
  EXPECT_EQ(marginal(points, 0), (Marginal{{0.0, 0.75}, {3.0, 0.25}}));
  EXPECT_EQ(marginal(points, 1), (Marginal{{1.0, 0.5}, {2.0, 0.5}}));
  const MarginalSummary summary = summarise(marginal(points, 0));
  EXPECT_EQ(summary.mean, 0.75);
  EXPECT_EQ(summary.low, 0.0);
  EXPECT_EQ(summary.high, 3.0);
}

}  // namespace
}  // namespace emgnn
