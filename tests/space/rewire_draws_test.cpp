// SPDX-License-Identifier: Apache-2.0
#include <emgnn/space/rewire_draws.h>

#include <gtest/gtest.h>

#include <cmath>

#include "../base/with_threads.h"
#include "rewire_graph.h"

#include <emgnn/base/error.h>

namespace emgnn {
namespace {

constexpr size_t kEdges = 6000, kCandidates = 4000;

RewireGraph large() { return random_rewire_graph(1500, kEdges, kCandidates, 1); }

// A sum of independent indicators with this mean strays further than 5 standard deviations about
// once in two million.
void expect_count(double count, double mean) { EXPECT_NEAR(count, mean, 5 * std::sqrt(mean) + 1); }

struct Counts {
  double dropped = 0, added = 0;
};

Counts count(const RewireDraws& draws, int64_t id) {
  Counts out;
  for (int64_t p = 0; p < static_cast<int64_t>(draws.pairs().size()); ++p) {
    const bool held = draws.holds(id, p);
    if (p < draws.num_edges() && !held) ++out.dropped;
    if (p >= draws.num_edges() && held) ++out.added;
  }
  return out;
}

TEST(RewireDraws, DropAndAddAtTheirRates) {
  const RewireDraws draws(large(), {}, 3);
  ASSERT_EQ(draws.grid().size(), 441);
  for (int64_t k : {0, 1, 7, 20}) {
    const Counts got = count(draws, draws.grid().id({0, k, 20 - k}));
    expect_count(got.dropped, 0.01 * static_cast<double>(k) * kEdges);
    expect_count(got.added, 0.01 * static_cast<double>(20 - k) * kCandidates);
  }
  EXPECT_EQ(count(draws, 0).dropped + count(draws, 0).added, 0);
}

TEST(RewireDraws, AreNestedInBothRates) {
  const RewireDraws draws(large(), {}, 4);
  for (int64_t p = 0; p < static_cast<int64_t>(draws.pairs().size()); ++p) {
    bool dropped = false, added = false;
    for (int64_t k = 0; k < 21; ++k) {
      const bool held = draws.holds(draws.grid().id({0, k, k}), p);
      if (p < draws.num_edges()) {
        EXPECT_FALSE(dropped && held);
        dropped = !held;
      } else {
        EXPECT_FALSE(added && !held);
        added = held;
      }
      // The other rate does not matter.
      EXPECT_EQ(held, draws.holds(
                          draws.grid().id(p < draws.num_edges() ? RewireGrid::Place{0, k, 20 - k}
                                                                : RewireGrid::Place{0, 20 - k, k}),
                          p));
    }
  }
}

TEST(RewireDraws, SeveralDrawsAreIndependent) {
  const RewireDraws draws(large(), {.draws = 3}, 5);
  ASSERT_EQ(draws.grid().size(), 3 * 441);
  double both = 0;
  for (int64_t p = 0; p < draws.num_edges(); ++p) {
    if (!draws.holds(draws.grid().id({0, 20, 0}), p) &&
        !draws.holds(draws.grid().id({2, 20, 0}), p))
      ++both;
  }
  expect_count(both, 0.2 * 0.2 * kEdges);
}

TEST(RewireDraws, APairKeepsItsFateWhenOthersGo) {
  RewireGraph graph = large();
  const RewireDraws all(graph, {}, 6);
  const NodePair last = graph.candidates.back();
  graph.candidates = {last};
  const RewireDraws one(graph, {}, 6);
  EXPECT_EQ(one.level(0, static_cast<int64_t>(kEdges)),
            all.level(0, static_cast<int64_t>(kEdges + kCandidates - 1)));
}

TEST(RewireDraws, PriorsShiftTheRatesAndKeepTheMean) {
  RewireGraph graph = large();
  // A third of the edges certain, a third at 1/2, a third at 0: 1 - c has the mean 1/2.
  for (size_t e = 0; e < kEdges; ++e) graph.confidence.push_back(static_cast<float>(e % 3) / 2);
  for (size_t c = 0; c < kCandidates; ++c) graph.affinity.push_back(c % 2 == 0 ? 0.9F : 0.1F);
  const RewireDraws draws(graph, {}, 7);
  const int64_t id = draws.grid().id({0, 15, 20});
  double dropped[3] = {}, added[2] = {};
  for (int64_t e = 0; e < draws.num_edges(); ++e) dropped[e % 3] += draws.holds(id, e) ? 0 : 1;
  for (int64_t c = 0; c < static_cast<int64_t>(kCandidates); ++c)
    added[c % 2] += draws.holds(id, draws.num_edges() + c) ? 1 : 0;
  expect_count(dropped[0], 0.15 * 2 * kEdges / 3);
  expect_count(dropped[1], 0.15 * kEdges / 3);
  EXPECT_EQ(dropped[2], 0);
  expect_count(added[0], 0.2 * 1.8 * kCandidates / 2);
  expect_count(added[1], 0.2 * 0.2 * kCandidates / 2);
  EXPECT_NEAR(draws.rate(15, 0), 0.7, 1e-12);
  EXPECT_NEAR(draws.rate(20, draws.num_edges()), 0.36, 1e-6);
}

TEST(RewireDraws, CertainEdgesAreNeverDropped) {
  RewireGraph graph = random_rewire_graph(40, 60, 0, 1);
  graph.confidence.assign(60, 1.0F);
  const RewireDraws draws(graph, {.max_drop = 1.0}, 8);
  EXPECT_EQ(count(draws, draws.grid().size() - 1).dropped, 0);
}

TEST(RewireDraws, ByTheAuthorsRuleAnEdgeVanishesWithBothDirections) {
  const RewireDraws draws(large(), {.drawing = Drawing::kAuthors}, 9);
  double total = 0;
  for (int64_t k = 0; k < 21; ++k) total += count(draws, draws.grid().id({0, 20, k})).dropped;
  expect_count(total, 21 * 0.2 * 0.2 * kEdges);
  EXPECT_NEAR(draws.rate(20, 0), 0.96, 1e-12);
  EXPECT_EQ(count(draws, 0).dropped, 0);
}

TEST(RewireDraws, ByTheAuthorsRuleTheNumberAddedIsExactAndAllCandidatesAreAlike) {
  constexpr int64_t kFew = 221;  // ⌊0.2 · 221⌋ = 44
  const RewireDraws draws(random_rewire_graph(200, 300, kFew, 2),
                          {.draws = 20, .drawing = Drawing::kAuthors}, 10);
  std::vector<double> times(kFew);
  for (int64_t draw = 0; draw < 20; ++draw) {
    for (int64_t k = 0; k < 21; ++k) {
      EXPECT_EQ(count(draws, draws.grid().id({draw, 3, k})).added,
                std::floor(0.01 * static_cast<double>(k) * kFew + 1e-9));
      const int64_t id = draws.grid().id({draw, k, 20});
      for (int64_t c = 0; c < kFew; ++c) times[c] += draws.holds(id, draws.num_edges() + c) ? 1 : 0;
    }
  }
  for (double t : times) expect_count(t, 420 * 44.0 / kFew);
}

TEST(RewireDraws, ByTheAuthorsRuleGraphsAreIndependent) {
  const RewireDraws draws(large(), {.drawing = Drawing::kAuthors}, 11);
  double both = 0;  // added in two graphs with the same λ₂
  for (int64_t p = draws.num_edges(); p < static_cast<int64_t>(draws.pairs().size()); ++p) {
    if (draws.holds(draws.grid().id({0, 0, 20}), p) && draws.holds(draws.grid().id({0, 1, 20}), p))
      ++both;
  }
  expect_count(both, 0.2 * 0.2 * kCandidates);
}

TEST(RewireDraws, ExpectationsAreSumsOverTheGraphs) {
  RewireGraph graph = random_rewire_graph(40, 60, 30, 3);
  for (Drawing drawing : {Drawing::kCoupled, Drawing::kAuthors}) {
    const RewireDraws draws(graph, {.grid = 4, .draws = 2, .drawing = drawing}, 13);
    Rng rng(1, Stream::kTest);
    std::vector<int64_t> ids;
    std::vector<double> p;
    for (int64_t id = 0; id < draws.grid().size(); id += 1 + id % 2) {
      ids.push_back(id);
      p.push_back(rng.uniform());
    }
    const RewireDraws::Expected got = draws.expected(ids, p);
    for (int64_t pair = 0; pair < 90; ++pair) {
      double held = 0, rate = 0;
      for (size_t i = 0; i < ids.size(); ++i) {
        const RewireGrid::Place place = draws.grid().place(ids[i]);
        held += draws.holds(ids[i], pair) ? p[i] : 0.0;
        rate += p[i] * draws.rate(pair < 60 ? place.drop : place.add, pair);
      }
      EXPECT_NEAR(got.held[static_cast<size_t>(pair)], held, 1e-12);
      EXPECT_NEAR(got.rate[static_cast<size_t>(pair)], rate, 1e-12);
    }
  }
}

TEST(RewireDraws, DoNotDependOnThreads) {
  for (Drawing drawing : {Drawing::kCoupled, Drawing::kAuthors}) {
    const auto draw = [&] { return RewireDraws(large(), {.drawing = drawing}, 12); };
    const RewireDraws one = with_threads(1, draw), five = with_threads(5, draw);
    for (int64_t p = 0; p < static_cast<int64_t>(one.pairs().size()); ++p)
      ASSERT_EQ(one.holds(440, p), five.holds(440, p));
  }
}

TEST(RewireDraws, RefuseWhatIsNoUndirectedGraphWithOtherCandidates) {
  const RewireGraph good = random_rewire_graph(30, 40, 10, 1);
  const auto refused = [&](auto spoil, RewireOptions options = {}) {
    RewireGraph graph = good;
    spoil(graph);
    EXPECT_THROW(RewireDraws(graph, options, 1), UsageError);
  };
  refused([](RewireGraph& g) {
    g.adjacency.val.assign(g.adjacency.col.size(), 1.0F);
    g.adjacency.val[0] = 2.0F;
  });
  refused([](RewireGraph& g) { g.adjacency = add_diagonal(g.adjacency, 1.0F); });
  refused([](RewireGraph& g) { g.candidates = undirected_edges(g.adjacency); });
  refused([](RewireGraph& g) { g.candidates.push_back(g.candidates.back()); });
  refused([](RewireGraph& g) { g.candidates = {{5, 5}}; });
  refused([](RewireGraph& g) { g.candidates = {{5, 30}}; });
  refused([](RewireGraph& g) { g.confidence.assign(40, 1.5F); });
  refused([](RewireGraph& g) { g.confidence.assign(39, 0.5F); });
  refused([](RewireGraph& g) { g.affinity.assign(10, -0.1F); });
  refused([](RewireGraph& g) { g.affinity.assign(10, 0.5F); }, {.drawing = Drawing::kAuthors});
  refused([](RewireGraph&) {}, {.grid = 1001, .draws = 100});
}

}  // namespace
}  // namespace emgnn
