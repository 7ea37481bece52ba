// SPDX-License-Identifier: Apache-2.0
#include <emgnn/space/edge_trust.h>

#include <gtest/gtest.h>

#include <cmath>

#include "small_graph.h"

#include <emgnn/base/error.h>

namespace emgnn {
namespace {

double sigma(double x) { return 1.0 / (1.0 + std::exp(-x)); }

TEST(TrustPoint, NumbersTheGridFromEdgesAsGoodAsCertain) {
  for (int id = 0; id < TrustPoint::kCount; ++id) EXPECT_EQ(TrustPoint::of(id).id(), id);
  const TrustPoint first = TrustPoint::of(0), last = TrustPoint::of(TrustPoint::kCount - 1);
  EXPECT_EQ(first.value(0), 5.0);
  EXPECT_EQ(first.value(1), 0.0);
  EXPECT_EQ(first.value(2), 0.0);
  EXPECT_EQ(last.value(0), 0.0);
  EXPECT_EQ(last.value(1), 2.0);
  EXPECT_EQ(last.value(2), 4.0);
}

// 0 - 1 (twice as strong), 1 - 2; node 3 alone.
Csr path() {
  return csr_from_coo(4, 4, {.row = {0, 1, 1, 2}, .col = {1, 0, 2, 1}, .val = {2, 2, 1, 1}},
                      Duplicates::kSum);
}

TEST(EdgeTrust, WeighsEdgesByWhatIsKnownOfThem) {
  const EdgeTrust trust(path(), {0.5F, 0.5F, -1.0F, -1.0F}, {});
  const std::vector<double> prob = {0.9, 0.1, 0.8, 0.2, 0.0, 1.0, 0.5, 0.5};
  const std::vector<float> agreement = trust.agreement(prob, 2);
  const double same01 = 2.0 * (0.9 * 0.8 + 0.1 * 0.2) - 1.0, same12 = 2.0 * 0.2 - 1.0;
  ASSERT_EQ(agreement.size(), 4U);
  EXPECT_NEAR(agreement[0], same01, 1e-6);
  EXPECT_NEAR(agreement[1], same01, 1e-6);
  EXPECT_NEAR(agreement[2], same12, 1e-6);
  for (int id = 0; id < TrustPoint::kCount; ++id) {
    const TrustPoint point = TrustPoint::of(id);
    const double a = point.value(0), b = point.value(1), c = point.value(2);
    const std::vector<float> p = trust.probability(point, agreement);
    EXPECT_NEAR(p[0], sigma(a + 0.5 * b + c * same01), 1e-6);
    EXPECT_NEAR(p[3], sigma(a - b + c * same12), 1e-6);
    EXPECT_NEAR(trust.probability(point, {})[3], sigma(a - b), 1e-6);
  }
}

TEST(EdgeTrust, IsNormalisedWithTheNodeItselfAsASureNeighbour) {
  const EdgeTrust trust(path(), {0.5F, 0.5F, -1.0F, -1.0F}, {});
  const TrustPoint point = {{1, 1, 0}};
  const double w01 = 2.0 * sigma(2.5), w12 = sigma(1.0);
  const double d0 = 1 + w01, d1 = 1 + w01 + w12, d2 = 1 + w12;
  const std::vector<float> row = trust.normalised(point, {}, Normalisation::kRow);
  ASSERT_EQ(row.size(), 8U);  // entries, then the diagonal
  const double want_row[] = {w01 / d0, w01 / d1, w12 / d1, w12 / d2, 1 / d0, 1 / d1, 1 / d2, 1};
  const std::vector<float> symmetric = trust.normalised(point, {}, Normalisation::kSymmetric);
  const double s01 = w01 / std::sqrt(d0 * d1), s12 = w12 / std::sqrt(d1 * d2);
  const double want_symmetric[] = {s01, s01, s12, s12, 1 / d0, 1 / d1, 1 / d2, 1};
  for (size_t k = 0; k < 8; ++k) {
    EXPECT_NEAR(row[k], want_row[k], 1e-6) << k;
    EXPECT_NEAR(symmetric[k], want_symmetric[k], 1e-6) << k;
  }
}

// Confidence adds its log-odds and is no strength.
TEST(EdgeTrust, TakesAUsersConfidenceForAProbability) {
  TypedGraph graph{.num_nodes = 4, .relations = {{"a", path()}}};
  for (float& w : graph.relations[0].adjacency.val) w = w == 2.0F ? 0.75F : 0.0F;
  const auto data = data_of(graph);
  const Csr& view = data->graph.relations[0].adjacency;
  const auto trust = distrust(*data, view, view, Confidence::kWeight);
  const std::vector<float> p = trust->probability({{2, 0, 0}}, {});
  EXPECT_NEAR(p[0], 0.75, 1e-6);
  EXPECT_NEAR(p[2], 0.001, 1e-6);  // nobody is surer than that
  const std::vector<float> s = trust->normalised({{2, 0, 0}}, {}, Normalisation::kRow);
  EXPECT_NEAR(s[0], 0.75 / 1.75, 1e-6);
}

TEST(EdgeTrust, RefusesWeightsThatAreNoProbabilities) {
  const auto data = data_of({.num_nodes = 4, .relations = {{"a", path()}}});
  const Csr& view = data->graph.relations[0].adjacency;
  try {
    distrust(*data, view, view, Confidence::kWeight);
    FAIL();
  } catch (const DataError& e) {
    EXPECT_STREQ(
        e.what(),
        "dataset small: the edge 0 - 1 has weight 2; space.confidence=weight expects 0 to 1");
  }
  EXPECT_NO_THROW(distrust(*data, view, view, Confidence::kNone));
}

}  // namespace
}  // namespace emgnn
