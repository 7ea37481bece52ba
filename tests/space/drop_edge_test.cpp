// SPDX-License-Identifier: Apache-2.0
#include <emgnn/space/drop_edge.h>

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <cmath>

#include "../base/with_threads.h"
#include "../models/gradient_check.h"
#include "dense_propagation.h"
#include "small_graph.h"

#include <emgnn/space/mixture.h>

namespace emgnn {
namespace {

constexpr int32_t kNodes = 23;

std::shared_ptr<const DropEdgeFamily> family_of(const std::shared_ptr<const Dataset>& data,
                                                const DropEdgeOptions& options) {
  return std::make_shared<const DropEdgeFamily>(data, options);
}

// S of the first hop, from what it makes of the unit vectors.
at::Tensor matrix_of(const GraphBatch& batch) {
  const int64_t inputs = batch.hop(0).num_inputs();
  return batch.hop(0).apply(at::eye(inputs, at::kFloat))[0];
}

// Two edge types that overlap and carry weights.
class DropEdgeTest : public testing::TestWithParam<Normalisation> {
 protected:
  std::shared_ptr<const FamilyView> view(double rate) const {
    return family_of(data_, {.normalisation = GetParam(), .rate = rate})->view(rows_, {});
  }

  const std::shared_ptr<const Dataset> data_ = data_of(small_graph(kNodes, 2, 60, 3));
  const std::vector<int32_t> rows_ = all_rows(kNodes);
};

TEST_P(DropEdgeTest, AStepSeesTheNormalisedGraphOfTheEdgesThatItKeeps) {
  const at::Tensor given = dense_adjacency(data_->graph, {1.0, 1.0});
  const auto some = view(0.4);
  for (uint64_t step = 0; step < 20; ++step) {
    const at::Tensor got = matrix_of(some->batch({.seed = 7, .step = step}));
    const at::Tensor kept = (got != 0).to(at::kDouble);
    EXPECT_TRUE(kept.equal(kept.t())) << "both directions together";
    EXPECT_EQ(kept.diagonal().sum().item<double>(), kNodes);
    const at::Tensor edges = given * kept;
    EXPECT_GT((given - edges).sum().item<double>(), 0.0);
    // Row sums of at most 23 terms, a root and two products.
    EXPECT_TRUE(at::allclose(got.to(at::kDouble), dense_propagation(edges, GetParam()),
                             8 * kUnitRounding, 0.0));
  }
}

TEST_P(DropEdgeTest, ItIsTheGraphAsGivenWhereNothingIsDropped) {
  const auto given =
      MixtureFamily::observed_only(data_, {.normalisation = GetParam()})->view(rows_, {});
  const at::Tensor want = matrix_of(given->batch({}));
  EXPECT_TRUE(matrix_of(view(0.0)->batch({.seed = 7, .step = 3})).equal(want));
  const int64_t one[] = {0};
  view(0.9)->evaluate(
      {.lam_ids = one},
      [&](const GraphBatch& batch) {
        EXPECT_TRUE(matrix_of(batch).equal(want)) << "evaluation";
        return matrix_of(batch).unsqueeze(0);
      },
      [](size_t, const at::Tensor&) {}, {});
}

TEST_P(DropEdgeTest, EverythingCanBeDropped) {
  EXPECT_TRUE(matrix_of(view(1.0)->batch({.seed = 7, .step = 3})).equal(at::eye(kNodes)));
}

TEST_P(DropEdgeTest, AGraphDependsOnSeedAndStepAlone) {
  const auto some = view(0.5);
  const auto at_step = [&](uint64_t seed, uint64_t step) {
    return matrix_of(some->batch({.seed = seed, .step = step}));
  };
  const at::Tensor first = at_step(7, 3);
  EXPECT_FALSE(at_step(7, 4).equal(first));
  EXPECT_FALSE(at_step(8, 3).equal(first));
  EXPECT_TRUE(at_step(7, 3).equal(first));
  // On a part of the rows, too.
  const std::vector<int32_t> rows = {17, 2, 9};
  const auto part = family_of(data_, {.normalisation = GetParam(), .rate = 0.5})
                        ->view(rows, {.num_hops = 2})
                        ->batch({.seed = 7, .step = 3});
  const at::Tensor h = random_tensor({kNodes, 5}, 1);
  const at::Tensor input = h.index_select(0, at::tensor(part.hop(0).input_nodes()));
  const at::Tensor want = first.matmul(first.matmul(h)).index_select(0, at::tensor(rows));
  EXPECT_TRUE(at::allclose(part.hop(1).apply(part.hop(0).apply(input))[0], want, 1e-5, 1e-6));
}

INSTANTIATE_TEST_SUITE_P(Both, DropEdgeTest,
                         testing::Values(Normalisation::kRow, Normalisation::kSymmetric));

// The number of edges that some steps keep is binomial. Of five standard deviations a wrong alarm
// has a probability of 6e-7.
TEST(DropEdge, DropsTheShareOfEdgesThatItShould) {
  const auto data = data_of(small_graph(300, 1, 1500, 5));
  const double edges = static_cast<double>(data->graph.relations[0].adjacency.num_entries()) / 2;
  for (const double rate : {0.1, 0.5, 0.8}) {
    const auto view = family_of(data, {.rate = rate})->view(all_rows(300), {});
    constexpr int kSteps = 50;
    double dropped = 0.0;
    for (uint64_t step = 0; step < kSteps; ++step) {
      const at::Tensor s = matrix_of(view->batch({.seed = 1, .step = step}));
      dropped += edges - ((s != 0).sum().item<double>() - 300) / 2;
    }
    const double draws = kSteps * edges;
    EXPECT_NEAR(dropped, rate * draws, 5 * std::sqrt(draws * rate * (1 - rate))) << rate;
  }
}

// Each edge has a fate of its own in every step.
TEST(DropEdge, StepsAndEdgesAreIndependent) {
  const auto data = data_of(small_graph(300, 1, 1500, 5));
  const auto view = family_of(data, {.rate = 0.5})->view(all_rows(300), {});
  const at::Tensor edge =
      (dense_matrix(data->graph.relations[0].adjacency).triu() > 0).flatten().nonzero().squeeze(1);
  std::vector<at::Tensor> kept;
  constexpr int64_t kSteps = 40;
  for (uint64_t step = 0; step < kSteps; ++step) {
    const at::Tensor s = matrix_of(view->batch({.seed = 1, .step = step}));
    kept.push_back((s != 0).to(at::kDouble).flatten().index_select(0, edge) * 2 - 1);
  }
  const at::Tensor signs = at::stack(kept);  // [steps, edges], ±1
  const double pairs = static_cast<double>((kSteps - 1) * edge.numel());
  const double between_steps =
      (signs.narrow(0, 0, kSteps - 1) * signs.narrow(0, 1, kSteps - 1)).sum().item<double>();
  EXPECT_LT(std::abs(between_steps), 5 * std::sqrt(pairs));
  const int64_t last = edge.numel() - 1;
  const double between_edges =
      (signs.narrow(1, 0, last) * signs.narrow(1, 1, last)).sum().item<double>();
  EXPECT_LT(std::abs(between_edges), 5 * std::sqrt(static_cast<double>(kSteps * last)));
}

TEST(DropEdge, BitsDoNotDependOnThreads) {
  const auto data = data_of(small_graph(3000, 2, 6000, 3));
  const auto bits = [&] {
    const auto view =
        family_of(data, {.normalisation = Normalisation::kSymmetric})->view(all_rows(3000), {});
    const at::Tensor h = random_tensor({3000, 16}, 2).set_requires_grad(true);
    const at::Tensor out = view->batch({.seed = 3, .step = 5}).hop(0).apply(h);
    (out * out).sum().backward();
    const at::Tensor all = at::cat({out.detach().flatten(), h.grad().flatten()});
    return std::vector<float>(all.data_ptr<float>(), all.data_ptr<float>() + all.numel());
  };
  EXPECT_EQ(with_threads(1, bits), with_threads(4, bits));
}

}  // namespace
}  // namespace emgnn
