// SPDX-License-Identifier: Apache-2.0
#include <emgnn/space/mixture.h>

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "../models/gradient_check.h"
#include "dense_propagation.h"
#include "small_graph.h"

#include <emgnn/base/context.h>
#include <emgnn/base/error.h>

namespace emgnn {
namespace {

constexpr int32_t kNodes = 23;

// The same with the direction of every edge kept: no relation is symmetric.
TypedGraph directed_graph() {
  TypedGraph graph = small_graph(kNodes, 3, 40, 1);
  for (Relation& relation : graph.relations) {
    const Csr& a = relation.adjacency;
    Coo coo;
    for (int32_t i = 0; i < kNodes; ++i) {
      for (int32_t e = a.rowptr[i]; e < a.rowptr[i + 1]; ++e) {
        if ((i + a.col[e] + (i < a.col[e] ? 1 : 0)) % 2 == 0) continue;  // one of (i, j), (j, i)
        coo.row.push_back(i);
        coo.col.push_back(a.col[e]);
        coo.val.push_back(a.value(e));
      }
    }
    relation.adjacency = csr_from_coo(kNodes, kNodes, coo, Duplicates::kSum);
  }
  return graph;
}

struct MixtureCase {
  bool directed;
  Normalisation normalisation;
};

class MixtureTest : public testing::TestWithParam<MixtureCase> {
 protected:
  GraphBatch batch(std::span<const int64_t> lams) const {
    return family_->view(all_rows(kNodes), {})->batch({.lam_ids = lams});
  }
  at::Tensor dense(const LambdaPoint& lam) const {
    return dense_propagation(dense_adjacency(graph_, lam), normalisation_);
  }

  const Normalisation normalisation_ = GetParam().normalisation;
  const TypedGraph graph_ = GetParam().directed ? directed_graph() : small_graph(kNodes, 3, 40, 1);
  const std::shared_ptr<const Dataset> data_ = data_of(graph_);
  const std::shared_ptr<const MixtureFamily> family_ =
      MixtureFamily::make(data_, {.normalisation = normalisation_, .step = 0.25});
  const std::vector<int64_t> lams_ = {0, 3, 7, 14};
};

TEST_P(MixtureTest, BatchMatchesTheDefinitionForSharedAndOwnFeatures) {
  ASSERT_EQ(family_->size(), 15);  // C(4 + 2, 2)
  const GraphBatch graphs = batch(lams_);
  const at::Tensor shared = random_tensor({kNodes, 7}, 1), own = random_tensor({4, kNodes, 7}, 2);
  const at::Tensor out_shared = graphs.hop(0).apply(shared), out_own = graphs.hop(0).apply(own);
  for (int g = 0; g < 4; ++g) {
    const at::Tensor s = dense(family_->point(lams_[g]));
    EXPECT_TRUE(
        at::allclose(out_shared[g], s.matmul(shared.to(at::kDouble)).to(at::kFloat), 1e-5, 1e-6));
    EXPECT_TRUE(
        at::allclose(out_own[g], s.matmul(own[g].to(at::kDouble)).to(at::kFloat), 1e-5, 1e-6));
  }
}

TEST_P(MixtureTest, BatchEqualsALoopOverSingleGraphs) {
  const at::Tensor own = random_tensor({4, kNodes, 5}, 3);
  const at::Tensor batched = batch(lams_).hop(0).apply(own);
  for (int g = 0; g < 4; ++g) {
    const int64_t one[] = {lams_[g]};
    EXPECT_TRUE(batched[g].equal(batch(one).hop(0).apply(own[g])[0]));
  }
}

TEST_P(MixtureTest, GradientsMatchFiniteDifferences) {
  const GraphBatch graphs = batch(lams_);
  const auto apply = [&](const at::Tensor& h) { return graphs.hop(0).apply(h); };
  expect_gradient_matches(apply, random_tensor({kNodes, 3}, 4), 0.5, 2e-5);
  expect_gradient_matches(apply, random_tensor({4, kNodes, 2}, 5), 0.5, 2e-5);
}

TEST_P(MixtureTest, PrunedRowsEqualTheFullComputation) {
  const std::vector<int32_t> rows = {17, 2, 9};
  const GraphBatch full = batch(lams_);
  const GraphBatch pruned = family_->view(rows, {.num_hops = 2})->batch({.lam_ids = lams_});
  const at::Tensor nodes = at::tensor(pruned.hop(0).input_nodes());
  const at::Tensor h = random_tensor({kNodes, 6}, 6);
  const at::Tensor want = full.hop(1).apply(full.hop(0).apply(h));
  const at::Tensor got = pruned.hop(1).apply(pruned.hop(0).apply(h.index_select(0, nodes)));
  ASSERT_EQ(got.size(1), 3);
  EXPECT_TRUE(got.equal(want.index_select(1, at::tensor(rows))));
  // self() picks each output row out of the inputs.
  const at::Tensor ids = nodes.to(at::kFloat).unsqueeze(1);
  EXPECT_TRUE(pruned.hop(1)
                  .self(pruned.hop(0).self(ids))
                  .squeeze(1)
                  .equal(at::tensor(rows).to(at::kFloat)));
  // The features that a batch brings are those of the rows that its first hop reads.
  const at::Tensor x = at::tensor(data_->features.dense.to_vector()).view({kNodes, -1});
  EXPECT_TRUE(pruned.input->dense.equal(x.index_select(0, nodes)));
}

TEST_P(MixtureTest, DiagonalIsTheWeightOfARowsOwnInput) {
  const std::vector<int32_t> rows = {17, 2, 9};
  const GraphBatch graphs = family_->view(rows, {.num_hops = 2})->batch({.lam_ids = lams_});
  const at::Tensor got = graphs.hop(1).diagonal();
  ASSERT_EQ(got.sizes(), (std::vector<int64_t>{4, 3, 1}));
  for (int g = 0; g < 4; ++g) {
    const at::Tensor s = dense(family_->point(lams_[g]));
    const at::Tensor want = s.diagonal().index_select(0, at::tensor(rows));
    EXPECT_TRUE(at::allclose(got[g].squeeze(1), want.to(at::kFloat), 1e-5, 0));
  }
}

TEST_P(MixtureTest, SelfPlusApplyIsTheSumOfBoth) {
  const std::vector<int32_t> rows = {17, 2, 9};
  const GraphBatch graphs = family_->view(rows, {})->batch({.lam_ids = lams_});
  const Propagation& hop = graphs.hop(0);
  const at::Tensor h = random_tensor({hop.num_inputs(), 6}, 10);
  EXPECT_TRUE(
      hop.self_plus_apply(h).equal(hop.self(h.narrow(1, 0, 3)) + hop.apply(h.narrow(1, 3, 3))));
}

TEST_P(MixtureTest, ObservedGraphGivesEveryRelationWeightOne) {
  const at::Tensor h = random_tensor({kNodes, 4}, 7);
  const at::Tensor got = batch({}).hop(0).apply(h)[0];
  const at::Tensor s = dense({1, 1, 1});
  EXPECT_TRUE(at::allclose(got, s.matmul(h.to(at::kDouble)).to(at::kFloat), 1e-5, 1e-6));
  const auto only = MixtureFamily::observed_only(data_, {.normalisation = normalisation_});
  const int64_t first[] = {0};
  EXPECT_EQ(only->size(), 1);
  const GraphBatch graph = only->view(all_rows(kNodes), {})->batch({.lam_ids = first});
  EXPECT_TRUE(graph.hop(0).apply(h)[0].equal(got));
}

TEST_P(MixtureTest, BitsDoNotDependOnThreads) {
  const at::Tensor shared = random_tensor({kNodes, 33}, 8).set_requires_grad(true);
  std::vector<at::Tensor> outputs, gradients;
  for (int threads : {1, 2, 5}) {
    const Context::Scope scope{Context(threads)};
    const at::Tensor out = batch(lams_).hop(0).apply(shared);
    out.square().sum().backward();
    outputs.push_back(out.detach());
    gradients.push_back(shared.grad().clone());
    shared.mutable_grad().reset();
  }
  for (size_t i = 1; i < outputs.size(); ++i) {
    EXPECT_TRUE(outputs[i].equal(outputs[0]));
    EXPECT_TRUE(gradients[i].equal(gradients[0]));
  }
}

TEST_P(MixtureTest, RelationsAreSymmetricOnlyWhereTheyShouldBe) {
  for (const Relation& relation : graph_.relations) {
    EXPECT_GT(relation.adjacency.num_entries(), 10);
    EXPECT_NE(is_symmetric(relation.adjacency), GetParam().directed);
  }
}

INSTANTIATE_TEST_SUITE_P(All, MixtureTest,
                         testing::Values(MixtureCase{false, Normalisation::kRow},
                                         MixtureCase{false, Normalisation::kSymmetric},
                                         MixtureCase{true, Normalisation::kRow},
                                         MixtureCase{true, Normalisation::kSymmetric}));

TEST(MixtureFamily, LocalProposalIsSymmetricAndReachesEveryPoint) {
  const auto family = MixtureFamily::make(data_of(small_graph(kNodes, 3, 40, 1)), {.step = 0.25});
  constexpr int kDraws = 30000;
  std::map<std::pair<int64_t, int64_t>, double> moves;
  Rng rng(3, Stream::kTest);
  for (int64_t from = 0; from < family->size(); ++from) {
    for (int k = 0; k < kDraws; ++k) ++moves[{from, family->propose_local(from, rng)}];
  }
  std::vector<bool> reached(15);
  for (const auto& [move, count] : moves) {
    const double back = moves[{move.second, move.first}];
    // Two binomial counts with the same mean m differ by less than 5·√(2m) except once in a
    // million.
    EXPECT_LT(std::abs(count - back), 5 * std::sqrt(2 * std::max(count, back)))
        << move.first << "→" << move.second;
    if (move.first != move.second) reached[move.second] = true;
  }
  for (bool r : reached) EXPECT_TRUE(r);
}

TEST(MixtureFamily, PriorMarginalsCountThePointsOfTheGrid) {
  const auto family = MixtureFamily::make(data_of(small_graph(kNodes, 3, 40, 1)), {.step = 0.25});
  for (size_t k = 0; k < 3; ++k) {
    Marginal want;
    for (int64_t id : family->all_ids()) want[family->point(id)[k]] += 1.0 / 15;
    const Marginal got = family->prior_marginal(k);
    ASSERT_EQ(got.size(), want.size());
    for (const auto& [value, p] : want) EXPECT_NEAR(got.at(value), p, 1e-12);
  }
  EXPECT_EQ(family->num_shares(), family->coordinate_names().size());
  EXPECT_EQ(family->coordinate_names(), (std::vector<std::string>{"a", "b", "c"}));
}

TEST(MixtureFamily, EqualWeightsAreTheObservedGraphWhenTheTotalIsTheNumberOfTypes) {
  const auto family =
      MixtureFamily::make(data_of(small_graph(kNodes, 2, 40, 1)), {.step = 0.5, .total = 2.0});
  const auto view = family->view(all_rows(kNodes), {});
  const at::Tensor h = random_tensor({kNodes, 4}, 9);
  const int64_t middle[] = {1};
  EXPECT_TRUE(
      view->batch({.lam_ids = middle}).hop(0).apply(h).equal(view->batch({}).hop(0).apply(h)));
}

TEST(MixtureFamily, StepMustDivideOne) {
  EXPECT_THROW(MixtureFamily::make(data_of(small_graph(kNodes, 2, 9, 1)), {.step = 0.3}),
               UsageError);
}

TEST(Propagation, SelfFollowsTheOrderOfTheRowsAskedFor) {
  const auto family = MixtureFamily::make(data_of(small_graph(kNodes, 2, 40, 1)), {});
  std::vector<int32_t> rows = all_rows(kNodes);
  std::reverse(rows.begin(), rows.end());
  const GraphBatch batch = family->view(rows, {})->batch({});
  const at::Tensor ids = at::tensor(batch.hop(0).input_nodes()).to(at::kFloat).unsqueeze(1);
  EXPECT_TRUE(batch.hop(0).self(ids).squeeze(1).equal(at::tensor(rows).to(at::kFloat)));
}

TEST(Propagation, RejectsAWrongShapeWithTheShapesItTakes) {
  const auto family = MixtureFamily::make(data_of(small_graph(kNodes, 2, 9, 1)), {});
  const GraphBatch batch = family->view(all_rows(kNodes), {})->batch({});
  EXPECT_THROW(batch.hop(0).apply(at::zeros({kNodes + 1, 2})), UsageError);
  EXPECT_THROW(batch.hop(0).apply(at::zeros({2, kNodes, 2})), UsageError);
  EXPECT_THROW(batch.hop(0).apply(at::zeros({kNodes, 2}, at::kDouble)), UsageError);
}

TEST(GraphBatch, RefusesMoreLayersThanItWasPreparedFor) {
  const auto family = MixtureFamily::make(data_of(small_graph(kNodes, 2, 40, 1)), {});
  const std::vector<int32_t> some = {17, 2, 9};
  const GraphBatch few = family->view(some, {.num_hops = 2})->batch({});
  EXPECT_EQ(few.hop(1).num_outputs(), 3);
  EXPECT_THROW(few.hop(2), UsageError);
  // A hop from all rows to all rows can be taken any number of times.
  const GraphBatch all = family->view(all_rows(kNodes), {})->batch({});
  EXPECT_EQ(&all.hop(5), &all.hop(0));
}

TEST(SimplexGrid, RanksAndUnranksEveryPoint) {
  for (auto [parts, total] : {std::pair{1, 20}, {2, 20}, {3, 20}, {6, 4}}) {
    const SimplexGrid grid(parts, total);
    for (int64_t id = 0; id < grid.size(); ++id) {
      const std::vector<int> p = grid.parts(id);
      EXPECT_EQ(std::accumulate(p.begin(), p.end(), 0), total);
      EXPECT_EQ(grid.id(p), id);
    }
  }
  EXPECT_EQ(SimplexGrid(2, 20).size(), 21);
  EXPECT_EQ(SimplexGrid(3, 20).size(), 231);
  EXPECT_EQ(SimplexGrid(6, 20).size(), 53130);
  EXPECT_EQ(SimplexGrid(2, 20).parts(5), (std::vector<int>{5, 15}));
  EXPECT_THROW(SimplexGrid(200, 200), UsageError);
}

}  // namespace
}  // namespace emgnn
