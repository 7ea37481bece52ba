// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "../base/with_threads.h"
#include "expect_error.h"

#include <emgnn/base/error.h>
#include <emgnn/data/generators.h>
#include <emgnn/data/registry.h>

namespace emgnn {
namespace {

using testing::expect_error;

TEST(PowerLaw, IsAValidDatasetOfTheSizeAskedFor) {
  const PowerLawOptions options{.num_nodes = 5000,
                                .num_edges = 40'000,
                                .num_relations = 2,
                                .num_features = 7,
                                .labelled = 0.2};
  const Dataset data = power_law(options, 0);
  check(data);
  EXPECT_EQ(data.graph.num_nodes, 5000);
  EXPECT_EQ(data.features.num_cols, 7);
  ASSERT_EQ(data.graph.relations.size(), 2U);
  int64_t edges = 0;
  for (const Relation& relation : data.graph.relations) {
    EXPECT_TRUE(is_symmetric(relation.adjacency));
    edges += relation.adjacency.num_entries() / 2;
  }
  EXPECT_LE(edges, 40'000);
  EXPECT_GT(edges, 30'000);  // hubs repeat some
  const double n = 5000, p = 0.2;
  const Split& split = data.split;
  const size_t labelled = split.train.size() + split.validation.size() + split.test.size();
  EXPECT_NEAR(static_cast<double>(labelled), n * p, 5 * std::sqrt(n * p * (1 - p)));
  EXPECT_NEAR(static_cast<double>(split.train.size()), n * p / 2, 5 * std::sqrt(n * p / 2));
}

TEST(PowerLaw, DegreesFollowAPowerLaw) {
  const Dataset data =
      power_law({.num_nodes = 50'000, .num_edges = 400'000, .num_relations = 1}, 0);
  const std::vector<double> degree = row_sums(data.graph.relations[0].adjacency);
  // P(degree > d) falls as d^-2: four times as large a degree is 16 times as rare, up to what small
  // counts and left out repetitions change.
  const auto above = [&](double d) {
    return static_cast<double>(
        std::count_if(degree.begin(), degree.end(), [&](double x) { return x > d; }));
  };
  EXPECT_NEAR(std::log(above(25) / above(100)) / std::log(4.0), 2.0, 0.3);
  EXPECT_GT(above(500), 5);
}

// Edges in a class: of the first relation as many as asked for, of the last as if by chance.
TEST(PowerLaw, RelationsAreLessAndLessHomophilous) {
  const Dataset data =
      power_law({.num_nodes = 20'000, .num_edges = 90'000, .labelled = 1.0, .homophily = 0.8}, 3);
  const double want[] = {0.8, 0.5, 0.2};
  for (size_t r = 0; r < 3; ++r) {
    const Csr& a = data.graph.relations[r].adjacency;
    double same = 0;
    for (int32_t i = 0; i < a.num_rows; ++i)
      for (const int32_t j : a.row(i).col)
        same += data.labels.cls[size_t(i)] == data.labels.cls[size_t(j)] ? 1 : 0;
    const auto m = static_cast<double>(a.num_entries());
    // 30000 edges: five standard errors are 0.014; repetitions are likelier in a class.
    EXPECT_NEAR(same / m, want[r], 0.03) << r;
  }
}

TEST(PowerLaw, IsTheSameForAnyNumberOfThreads) {
  const PowerLawOptions options{.num_nodes = 40'000, .num_edges = 200'000};
  const Dataset one = with_threads(1, [&] { return power_law(options, 5); });
  const Dataset three = with_threads(3, [&] { return power_law(options, 5); });
  EXPECT_EQ(one.features.dense, three.features.dense);
  EXPECT_EQ(one.labels.cls, three.labels.cls);
  EXPECT_EQ(one.split.train, three.split.train);
  for (size_t r = 0; r < 3; ++r) {
    EXPECT_EQ(one.graph.relations[r].adjacency.rowptr, three.graph.relations[r].adjacency.rowptr);
    EXPECT_EQ(one.graph.relations[r].adjacency.col, three.graph.relations[r].adjacency.col);
  }
  EXPECT_NE(power_law(options, 6).labels.cls, one.labels.cls);
}

TEST(PowerLaw, TakesItsOptionsFromItsName) {
  const PowerLawOptions o =
      parse_power_law("power-law:nodes=2e5,edges=1e6,features=64,labelled=0.01,seed=3");
  EXPECT_EQ(o.num_nodes, 200'000);
  EXPECT_EQ(o.num_edges, 1'000'000);
  EXPECT_EQ(o.num_features, 64);
  EXPECT_EQ(o.num_relations, 3);
  EXPECT_EQ(o.labelled, 0.01);
  EXPECT_EQ(o.seed, 3U);
  for (const char* wrong : {"power-law:node=3", "power-law:nodes", "power-law:nodes=x",
                            "power-law:nodes=1.5", "power-law:nodes=1e12", "power-law:labelled=2",
                            "power-law:", "power-law:nodes=100,,edges=5"})
    expect_error<UsageError>([&] { parse_power_law(wrong); }, {"power-law"});
  const Dataset data = load_dataset({.name = "power-law:nodes=1000,edges=3000,relations=1"});
  EXPECT_EQ(data.graph.num_nodes, 1000);
  EXPECT_EQ(data.graph.relations.size(), 1U);
  EXPECT_FALSE(is_large_graph("power-law:nodes=1000,edges=3000"));
  EXPECT_TRUE(is_large_graph("power-law:nodes=200000,edges=1e6"));
}

}  // namespace
}  // namespace emgnn
