// SPDX-License-Identifier: Apache-2.0
// Layer by layer in tiles of rows, and with receptive fields: the same outputs.
#include <emgnn/learn/layerwise.h>

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "../base/with_threads.h"
#include "../models/networks.h"
#include "../space/rewire_graph.h"

#include <emgnn/base/error.h>
#include <emgnn/space/mixture.h>
#include <emgnn/space/no_graph.h>
#include <emgnn/space/views.h>

namespace emgnn {
namespace {

constexpr int32_t kNodes = 2600, kWords = 6;  // three tiles of the least size
constexpr int64_t kOutputs = 3;

std::shared_ptr<const GraphFamily> family_named(const std::string& name) {
  const auto normalisation =
      name.ends_with("symmetric") ? Normalisation::kSymmetric : Normalisation::kRow;
  const bool shares = name.find("shares") != std::string::npos;
  const auto data = data_of(small_graph(kNodes, 3, kNodes, 5), kWords);
  if (name == "no_graph") return std::make_shared<NoGraphFamily>(data);
  if (name == "observed") return MixtureFamily::observed_only(data, {});
  if (name == "reliable") {
    const auto one = data_of(small_graph(kNodes, 1, kNodes, 5), kWords);
    return MixtureFamily::make(one, {.mixing = Mixing::kShares, .step = 0.5},
                               std::make_shared<const ViewSet>(make_views(*one, "reliable")));
  }
  if (name.starts_with("mixture"))
    return MixtureFamily::make(data, {.normalisation = normalisation,
                                      .mixing = shares ? Mixing::kShares : Mixing::kDegree,
                                      .step = 0.5,
                                      .total = shares ? 1.0 : 3.0});
  return rewire_family(random_rewire_graph(kNodes, kNodes, kNodes, 5),
                       {.normalisation = normalisation, .grid = 3, .max_drop = 0.5}, 7, kWords);
}

at::Tensor by_fields(const Network& network, const GraphFamily& family,
                     std::span<const int32_t> rows, std::span<const int64_t> lams) {
  const at::NoGradGuard no_grad;
  std::vector<at::Tensor> parts;
  family.view(rows, network.needs())
      ->evaluate(
          {.lam_ids = lams},
          [&](const GraphBatch& batch) {
            return network.forward(batch, network.embed(batch.input, {}), {});
          },
          [&](size_t, const at::Tensor& out) { parts.push_back(out); }, {});
  return at::cat(parts);
}

at::Tensor by_layers(const Network& network, const GraphFamily& family,
                     std::span<const int32_t> rows, std::span<const int64_t> lams,
                     const SizeLimits& limits = {}) {
  const Features features = random_features(kNodes, kWords, 11);
  std::vector<at::Tensor> parts;
  int64_t taken = 0;
  Layerwise(network, family, features, limits)
      .evaluate(rows, {.lam_ids = lams},
                [&](size_t first, const at::Tensor& out) {
                  EXPECT_EQ(static_cast<int64_t>(first), taken);
                  taken += out.size(0);
                  parts.push_back(out);
                },
                {});
  return at::cat(parts);
}

using Case = std::tuple<const char*, const char*, int>;  // network, family, layers

std::string case_name(const ::testing::TestParamInfo<Case>& info) {
  std::string name = std::string(std::get<0>(info.param)) + "_on_" + std::get<1>(info.param) + "_" +
                     std::to_string(std::get<2>(info.param));
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

class LayerwiseTest : public ::testing::TestWithParam<Case> {
 protected:
  const std::shared_ptr<const GraphFamily> family_ = family_named(std::get<1>(GetParam()));
  const std::shared_ptr<Network> network_ =
      make_network(std::get<0>(GetParam()),
                   {.layers = std::get<2>(GetParam()),
                    .hidden = 5,
                    .activation = kernels::Activation::kElu,
                    .dropout = 0.3,
                    .init = Init::kUniformOut},
                   {.num_nodes = kNodes, .num_features = kWords, .num_outputs = kOutputs});
  std::vector<int64_t> lams() const {
    const int64_t n = family_->size();
    if (n == 1) return {0};
    return {n / 2, 0, n - 1};
  }
};

// The same sums in another order. In each of up to three layers a row adds at most 64 products, each
// with a rounding of 6e-8; sums over neighbours are means times a degree below 16.
constexpr double kClose = 3 * 64 * 16 * 6e-8;

TEST_P(LayerwiseTest, EqualsReceptiveFields) {
  ASSERT_GT(network_->num_stages(), 0);
  const std::vector<int32_t> all = all_rows(kNodes), some = {2000, 3, 77, 1500};
  const at::Tensor want = by_fields(*network_, *family_, all, lams());
  const double scale = want.abs().max().item<double>();
  ASSERT_GT(scale, 1e-3);
  const at::Tensor got = by_layers(*network_, *family_, all, lams());
  ASSERT_EQ(got.sizes(), want.sizes());
  EXPECT_LE((got - want).abs().max().item<double>(), kClose * scale);
  // Of some rows, in their order; in the smallest tiles, and one graph at a time.
  EXPECT_TRUE(by_layers(*network_, *family_, some, lams(), {.state_floats = 1, .tile_floats = 1})
                  .allclose(got.index_select(2, at::tensor(some)), 0.0, kClose * scale));
}

TEST_P(LayerwiseTest, BitsDoNotDependOnThreads) {
  const std::vector<int32_t> all = all_rows(kNodes);
  const auto run = [&] { return by_layers(*network_, *family_, all, lams()); };
  EXPECT_TRUE(with_threads(1, run).equal(with_threads(3, run)));
}

INSTANTIATE_TEST_SUITE_P(
    Networks, LayerwiseTest,
    ::testing::Combine(::testing::Values("gcn", "gcn-separate", "acm", "gat-weighted", "sgc"),
                       ::testing::Values("mixture", "mixture_shares"), ::testing::Values(2)),
    case_name);
INSTANTIATE_TEST_SUITE_P(Families, LayerwiseTest,
                         ::testing::Combine(::testing::Values("gcn"),
                                            ::testing::Values("mixture_symmetric",
                                                              "mixture_shares_symmetric",
                                                              "observed", "reliable", "rewire",
                                                              "rewire_symmetric", "no_graph"),
                                            ::testing::Values(1, 3)),
                         case_name);

TEST(Layerwise, FollowsNormsAndResidualConnections) {
  const auto family = family_named("mixture");
  const std::vector<int32_t> all = all_rows(kNodes);
  const std::vector<int64_t> lams = {0, family->size() - 1};
  for (const Norm norm : {Norm::kNone, Norm::kLayer, Norm::kBatch}) {
    for (const bool residual : {false, true}) {
      const auto network =
          make_network("gcn", {.layers = 3, .hidden = 5, .norm = norm, .residual = residual},
                       {.num_nodes = kNodes, .num_features = kWords, .num_outputs = kOutputs});
      const at::Tensor want = by_fields(*network, *family, all, lams);
      EXPECT_TRUE(by_layers(*network, *family, all, lams)
                      .allclose(want, 0.0, kClose * want.abs().max().item<double>()));
    }
  }
}

// Rows of few features may become wide ones.
TEST(Layerwise, EmbedsInTilesOfWhatFeaturesBecome) {
  constexpr int kFew = 2, kWide = 64;
  constexpr int64_t kRows = 1024, kTiles = (kNodes + kRows - 1) / kRows;
  static_assert(kTiles > 1);
  const auto family = family_named("mixture");
  const auto network =
      make_network("gcn", {.layers = 2, .hidden = kWide},
                   {.num_nodes = kNodes, .num_features = kFew, .num_outputs = kOutputs});
  const std::vector<int32_t> all = all_rows(kNodes);
  const std::vector<int64_t> lams = {0};
  int64_t polls = 0;
  Layerwise(*network, *family, random_features(kNodes, kFew, 11), {.tile_floats = kRows * kWide})
      .evaluate(
          all, {.lam_ids = lams}, [](size_t, const at::Tensor&) {}, [&] { ++polls; });
  EXPECT_EQ(polls, kTiles * (1 + network->num_stages()));
}

TEST(Layerwise, CanBeInterrupted) {
  const auto family = family_named("mixture");
  const auto network =
      make_network("gcn", {.layers = 2, .hidden = 5},
                   {.num_nodes = kNodes, .num_features = kWords, .num_outputs = 2});
  const Features features = random_features(kNodes, kWords, 11);
  const std::vector<int32_t> all = all_rows(kNodes);
  const std::vector<int64_t> lams = family->all_ids();
  int polls = 0;
  const Poll poll = [&] {
    if (++polls == 4) throw Interrupted("enough");
  };
  EXPECT_THROW(Layerwise(*network, *family, features, {.tile_floats = 1})
                   .evaluate(
                       all, {.lam_ids = lams}, [](size_t, const at::Tensor&) {}, poll),
               Interrupted);
}

}  // namespace
}  // namespace emgnn
