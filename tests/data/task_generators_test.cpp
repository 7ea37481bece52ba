// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>

#include <emgnn/data/generators.h>
#include <emgnn/data/registry.h>

namespace emgnn {
namespace {

template <class F>
double mean_over_links(const Csr& a, const F& f) {
  double sum = 0;
  for (int32_t r = 0; r < a.num_rows; ++r) {
    for (int32_t k = a.rowptr[static_cast<size_t>(r)]; k < a.rowptr[static_cast<size_t>(r) + 1];
         ++k)
      sum += f(r, a.col[static_cast<size_t>(k)]);
  }
  return sum / static_cast<double>(a.num_entries());
}

TEST(TaskGenerators, AreNamedDatasetsWithASplitAndNames) {
  for (const char* name : {"noisy-labels", "noisy-values"}) {
    SCOPED_TRACE(name);
    const Dataset d = load_dataset({.name = name});  // everything is checked
    EXPECT_EQ(d.name, name);
    EXPECT_EQ(d.graph.num_nodes, 800);
    EXPECT_EQ(d.graph.relations.size(), 2U);
    EXPECT_EQ(d.split.train.size(), 200U);
    EXPECT_EQ(d.split.test.size(), 400U);
    EXPECT_EQ(d.features.names.size(), static_cast<size_t>(d.features.num_cols));
    EXPECT_EQ(dataset_info(name).kind, "generated");
  }
}

TEST(TaskGenerators, AreFunctionsOfTheSeed) {
  EXPECT_EQ(noisy_labels({}, 1).labels.value, noisy_labels({}, 1).labels.value);
  EXPECT_NE(noisy_labels({}, 1).labels.value, noisy_labels({}, 2).labels.value);
  EXPECT_EQ(noisy_values({}, 1).features.dense, noisy_values({}, 1).features.dense);
  EXPECT_NE(noisy_values({}, 1).labels.value, noisy_values({}, 2).labels.value);
}

// Two texts share a topic by chance with a probability that the misleading links show.
TEST(TaskGenerators, InformativeLinksShareATopicMoreOften) {
  const Dataset d = noisy_labels({}, 3);
  const Labels& y = d.labels;
  EXPECT_EQ(y.kind, LabelKind::kLabels);
  for (int64_t v = 0; v < y.num_rows; ++v) {
    double topics = 0;
    for (int32_t k = 0; k < y.num_names(); ++k) topics += y.at(v, k);
    EXPECT_TRUE(topics >= 1 && topics <= 3);
  }
  const auto share = [&](int32_t a, int32_t b) {
    double common = 0;
    for (int32_t k = 0; k < y.num_names(); ++k) common += y.at(a, k) * y.at(b, k);
    return common > 0 ? 1.0 : 0.0;
  };
  const double informative = mean_over_links(d.graph.relations[0].adjacency, share);
  EXPECT_GE(informative, 0.9);  // 0.9 by drawing, more by chance
  EXPECT_LE(mean_over_links(d.graph.relations[1].adjacency, share), informative - 0.15);
}

// E|q - q'| of independent normals is 2/√π ≈ 1.13; the nearest of twenty is far closer.
TEST(TaskGenerators, NearStationsMeasureAlike) {
  const Dataset d = noisy_values({}, 3);
  const Labels& y = d.labels;
  EXPECT_EQ(y.kind, LabelKind::kValues);
  const auto apart = [&](int32_t a, int32_t b) { return std::abs(y.at(a, 0) - y.at(b, 0)); };
  EXPECT_LE(mean_over_links(d.graph.relations[0].adjacency, apart), 0.3);
  EXPECT_NEAR(mean_over_links(d.graph.relations[1].adjacency, apart), 2 / std::sqrt(M_PI), 0.15);
  // The mean reading has deviation √(1 + 4/8) and covariance 1 with q: r = 1/√1.5 ≈ 0.82.
  double xy = 0, xx = 0, yy = 0;
  for (int64_t v = 0; v < y.num_rows; ++v) {
    double x = 0;
    for (int64_t k = 0; k < 8; ++k) x += d.features.dense[static_cast<size_t>(v * 8 + k)] / 8;
    xy += x * y.at(v, 0);
    xx += x * x;
    yy += y.at(v, 0) * y.at(v, 0);
  }
  EXPECT_NEAR(xy / std::sqrt(xx * yy), 1 / std::sqrt(1.5), 0.05);
}

}  // namespace
}  // namespace emgnn
