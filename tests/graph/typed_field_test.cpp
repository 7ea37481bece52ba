// SPDX-License-Identifier: Apache-2.0
#include <emgnn/graph/typed_field.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "../base/with_threads.h"

#include <emgnn/base/error.h>
#include <emgnn/base/rng.h>

namespace emgnn {
namespace {

// Directed and weighted; relation r has about num_edges >> r edges, node 0 is in many of them.
TypedGraph random_graph(int32_t num_nodes, int num_relations, int num_edges, uint64_t seed) {
  TypedGraph out{.num_nodes = num_nodes, .relations = {}};
  Rng rng(seed, Stream::kTest);
  const auto node = [&] { return static_cast<int32_t>(rng.below(uint64_t(num_nodes))); };
  for (int r = 0; r < num_relations; ++r) {
    Coo coo;
    for (int e = 0; e < num_edges >> r; ++e) {
      const int32_t i = e % 4 == 0 ? 0 : node(), j = node();
      if (i == j) continue;
      coo.row.push_back(i);
      coo.col.push_back(j);
      coo.val.push_back(static_cast<float>(1 + rng.below(3)));
    }
    out.relations.push_back(
        {"r" + std::to_string(r), csr_from_coo(num_nodes, num_nodes, coo, Duplicates::kKeepFirst)});
  }
  return out;
}

// (relation, from, to) -> weight, by node ids.
using EntryMap = std::map<std::tuple<size_t, int32_t, int32_t>, float>;

EntryMap entries_of(const TypedHop& hop) {
  EntryMap out;
  for (int32_t i = 0; i < hop.hop.pattern.num_rows; ++i)
    for (const auto [e, j] : hop.hop.pattern.row(i))
      for (size_t t = 0; t < hop.weight.size(); ++t)
        if (hop.weight[t][size_t(e)] != 0.0F)
          out[{t, hop.hop.output_rows[size_t(i)], hop.hop.input_rows[size_t(j)]}] =
              hop.weight[t][size_t(e)];
  return out;
}

TEST(TypedField, EqualsTheFieldOfTheUnionOfAllRelations) {
  for (const int relations : {1, 3}) {
    const TypedGraph graph = random_graph(90, relations, 120, 5);
    const UnionPattern all = union_pattern(graph);
    const std::vector<int32_t> targets = {17, 3, 80};
    for (const int num_hops : {0, 1, 2, 3, kWholeGraph}) {
      const std::vector<Hop> want = receptive_field(all.pattern, targets, num_hops);
      const std::vector<TypedHop> got = typed_field(graph, targets, num_hops);
      ASSERT_EQ(got.size(), want.size());
      for (size_t k = 0; k < want.size(); ++k) {
        EXPECT_EQ(got[k].hop.input_rows, want[k].input_rows);
        EXPECT_EQ(got[k].hop.output_rows, want[k].output_rows);
        EXPECT_EQ(got[k].hop.self, want[k].self);
        EXPECT_EQ(got[k].hop.pattern.rowptr, want[k].pattern.rowptr);
        EXPECT_EQ(got[k].hop.pattern.col, want[k].pattern.col);
        EXPECT_EQ(got[k].hop.pattern.num_cols, want[k].pattern.num_cols);
        for (size_t t = 0; t < graph.relations.size(); ++t)
          for (size_t e = 0; e < want[k].entry.size(); ++e)
            ASSERT_EQ(got[k].weight[t][e], all.weight[t][size_t(want[k].entry[e])]);
      }
    }
  }
}

TEST(TypedField, CountsTheEntriesOfAField) {
  const TypedGraph graph = random_graph(90, 2, 120, 6);
  const std::vector<int32_t> targets = {1, 40, 41};
  int64_t want = 0;
  for (const TypedHop& hop : typed_field(graph, targets, 2)) {
    for (const int32_t row : hop.hop.output_rows) {
      ++want;  // itself
      for (const Relation& relation : graph.relations)
        want += static_cast<int64_t>(relation.adjacency.row(row).col.size());
    }
  }
  EXPECT_EQ(typed_field_entries(graph, targets, 2, 1'000'000), want);
  EXPECT_GT(typed_field_entries(graph, targets, 2, want - 1), want - 1);
  EXPECT_GT(typed_field_entries(graph, targets, 2, 5), 5);
}

// Every row has all of its few neighbours, or exactly as many as were asked for, each an edge of the
// graph that weighs d / k as much.
TEST(TypedField, ASampleHasSomeOfTheNeighboursOfEachRelation) {
  const TypedGraph graph = random_graph(90, 3, 400, 7);
  const std::vector<int32_t> targets = {0, 5, 60};
  const FieldSample sample{.fanout = {9, 6}, .seed = 3, .step = 11};
  const std::vector<TypedHop> hops = typed_field(graph, targets, 3, &sample);
  ASSERT_EQ(hops.size(), 3U);
  bool some_left_out = false;
  for (size_t k = 0; k < hops.size(); ++k) {
    const size_t limit = k == 2 ? 3 : 2;  // of each of three relations; the last hop is the nearest
    if (k + 1 < hops.size()) {
      EXPECT_EQ(hops[k].hop.output_rows, hops[k + 1].hop.input_rows);
    }
    std::map<std::pair<size_t, int32_t>, size_t> count;
    for (const auto& [at, weight] : entries_of(hops[k])) {
      const auto& [t, i, j] = at;
      const Csr& a = graph.relations[t].adjacency;
      const CsrRow row = a.row(i);
      const auto found = std::lower_bound(row.col.begin(), row.col.end(), j);
      ASSERT_TRUE(found != row.col.end() && *found == j);
      const size_t d = row.col.size(), drawn = std::min(d, limit);
      const float value = a.value(row.begin_entry + (found - row.col.begin()));
      EXPECT_FLOAT_EQ(weight, value * static_cast<float>(d) / static_cast<float>(drawn));
      ++count[{t, i}];
      some_left_out = some_left_out || d > limit;
    }
    for (size_t t = 0; t < graph.relations.size(); ++t)
      for (const int32_t i : hops[k].hop.output_rows)
        EXPECT_EQ((count[{t, i}]), std::min(limit, graph.relations[t].adjacency.row(i).col.size()));
    for (size_t i = 0; i < hops[k].hop.output_rows.size(); ++i)
      EXPECT_EQ(hops[k].hop.input_rows[size_t(hops[k].hop.self[i])], hops[k].hop.output_rows[i]);
  }
  EXPECT_TRUE(some_left_out);
}

// The mean of Σ_j w_ij x_j over many samples. Of d values y, k drawn without replacement and scaled by
// d / k, the sum has the variance d² (1 − k/d) s² / k with s² the variance of y over d − 1.
TEST(TypedField, SumsOverASampleAreRightOnAverage) {
  const TypedGraph graph = random_graph(60, 2, 600, 8);
  const auto x = [](int32_t node) { return std::sin(0.7 * node) + 0.1 * node; };
  const std::vector<int32_t> targets = {0, 7, 33};
  constexpr int kSamples = 4000, kFanout = 8, kOfEach = kFanout / 2;
  std::map<std::pair<size_t, int32_t>, double> sum;
  for (int step = 0; step < kSamples; ++step) {
    const FieldSample sample{.fanout = {kFanout}, .seed = 1, .step = uint64_t(step)};
    for (const auto& [at, weight] : entries_of(typed_field(graph, targets, 1, &sample).front())) {
      const auto& [t, i, j] = at;
      sum[{t, i}] += weight * x(j) / kSamples;
    }
  }
  for (size_t t = 0; t < 2; ++t) {
    const Csr& a = graph.relations[t].adjacency;
    for (const int32_t i : targets) {
      double total = 0.0, square = 0.0;
      const auto d = static_cast<double>(a.row(i).col.size());
      for (const auto [e, j] : a.row(i)) total += a.value(e) * x(j);
      for (const auto [e, j] : a.row(i)) square += std::pow(a.value(e) * x(j) - total / d, 2);
      const double k = std::min<double>(kOfEach, d);
      const double variance = d > k ? d * d * (1.0 - k / d) * square / (d - 1.0) / k : 0.0;
      // Six sums, each within five standard errors: one in 300000 runs would fail.
      EXPECT_NEAR((sum[{t, i}]), total, 5.0 * std::sqrt(variance / kSamples) + 1e-5 * d);
    }
  }
}

TEST(TypedField, EveryNeighbourIsDrawnAsOften) {
  const TypedGraph graph = random_graph(60, 1, 400, 9);
  const size_t d = graph.relations[0].adjacency.row(0).col.size();
  for (const int64_t fanout : {4, 70}) {  // by either way to draw
    if (size_t(fanout) >= d) continue;
    std::map<int32_t, int> count;
    constexpr int kSamples = 3000;
    for (int step = 0; step < kSamples; ++step) {
      const FieldSample sample{.fanout = {fanout}, .seed = 2, .step = uint64_t(step)};
      for (const auto& [at, weight] : entries_of(typed_field(graph, {{0}}, 1, &sample).front()))
        ++count[std::get<2>(at)];
    }
    const double p = static_cast<double>(fanout) / static_cast<double>(d);
    ASSERT_EQ(count.size(), d);
    for (const auto& [node, times] : count)
      EXPECT_NEAR(times, kSamples * p, 5.0 * std::sqrt(kSamples * p * (1 - p))) << node;
  }
}

TEST(TypedField, ASampleDependsOnSeedAndStepAlone) {
  const TypedGraph graph = random_graph(500, 3, 6000, 10);
  std::vector<int32_t> targets;
  for (int32_t i = 0; i < 400; ++i) targets.push_back(i);
  const auto draw = [&](uint64_t seed, uint64_t step, int threads) {
    const FieldSample sample{.fanout = {6, 3}, .seed = seed, .step = step};
    return with_threads(threads, [&] {
      std::vector<EntryMap> out;
      for (const TypedHop& hop : typed_field(graph, targets, 2, &sample))
        out.push_back(entries_of(hop));
      return out;
    });
  };
  const std::vector<EntryMap> one = draw(1, 2, 1);
  EXPECT_EQ(draw(1, 2, 1), one);
  EXPECT_EQ(draw(1, 2, 3), one);
  EXPECT_NE(draw(1, 3, 1), one);
  EXPECT_NE(draw(2, 2, 1), one);
}

TEST(TypedField, RefusesTargetsThatAreNone) {
  const TypedGraph graph = random_graph(10, 1, 20, 1);
  EXPECT_THROW(typed_field(graph, {{10}}, 1), UsageError);
  EXPECT_THROW(typed_field(graph, {{3, 3}}, 1), UsageError);
  EXPECT_EQ(typed_field(graph, {{3}}, 1).size(), 1U);  // and works after a refusal
}

}  // namespace
}  // namespace emgnn
