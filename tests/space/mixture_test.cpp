// SPDX-License-Identifier: Apache-2.0
#include <emgnn/space/mixture.h>

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "../models/gradient_check.h"
#include "dense_shift.h"
#include "small_graph.h"

#include <emgnn/base/error.h>
#include <emgnn/base/threads.h>

namespace emgnn {
namespace {

constexpr int32_t kNodes = 23;

std::vector<int32_t> all_rows() {
  std::vector<int32_t> rows(kNodes);
  std::iota(rows.begin(), rows.end(), 0);
  return rows;
}

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
  const Normalisation normalisation_ = GetParam().normalisation;
  const TypedGraph graph_ = GetParam().directed ? directed_graph() : small_graph(kNodes, 3, 40, 1);
  const MixtureFamily family_{graph_, {.normalisation = normalisation_, .step = 0.25}};
  const std::vector<int64_t> lams_ = {0, 3, 7, 14};
};

TEST_P(MixtureTest, BatchMatchesTheDefinitionForSharedAndOwnFeatures) {
  ASSERT_EQ(family_.size(), 15);  // C(4 + 2, 2)
  const Shift shift = family_.view(all_rows(), 1)->shifts(lams_);
  const at::Tensor shared = random_tensor({kNodes, 7}, 1), own = random_tensor({4, kNodes, 7}, 2);
  const at::Tensor out_shared = shift.apply(shared, 0), out_own = shift.apply(own, 0);
  for (int g = 0; g < 4; ++g) {
    const at::Tensor s = dense_shift(graph_, family_.point(lams_[g]), normalisation_);
    EXPECT_TRUE(
        at::allclose(out_shared[g], s.matmul(shared.to(at::kDouble)).to(at::kFloat), 1e-5, 1e-6));
    EXPECT_TRUE(
        at::allclose(out_own[g], s.matmul(own[g].to(at::kDouble)).to(at::kFloat), 1e-5, 1e-6));
  }
}

TEST_P(MixtureTest, BatchEqualsALoopOverSingleShifts) {
  const auto view = family_.view(all_rows(), 1);
  const at::Tensor own = random_tensor({4, kNodes, 5}, 3);
  const at::Tensor batched = view->shifts(lams_).apply(own, 0);
  for (int g = 0; g < 4; ++g) {
    const int64_t one[] = {lams_[g]};
    EXPECT_TRUE(batched[g].equal(view->shifts(one).apply(own[g], 0)[0]));
  }
}

TEST_P(MixtureTest, GradientsMatchFiniteDifferences) {
  const Shift shift = family_.view(all_rows(), 1)->shifts(lams_);
  expect_gradient_matches([&](const at::Tensor& h) { return shift.apply(h, 0); },
                          random_tensor({kNodes, 3}, 4), 0.5, 2e-5);
  expect_gradient_matches([&](const at::Tensor& h) { return shift.apply(h, 0); },
                          random_tensor({4, kNodes, 2}, 5), 0.5, 2e-5);
}

TEST_P(MixtureTest, PrunedRowsEqualTheFullComputation) {
  const std::vector<int32_t> rows = {17, 2, 9};
  const Shift full = family_.view(all_rows(), 1)->shifts(lams_);
  const auto view = family_.view(rows, 2);
  const Shift pruned = view->shifts(lams_);
  const at::Tensor h = random_tensor({kNodes, 6}, 6);
  const at::Tensor want = full.apply(full.apply(h, 0), 1);
  const at::Tensor got =
      pruned.apply(pruned.apply(h.index_select(0, at::tensor(view->input_rows())), 0), 1);
  ASSERT_EQ(got.size(1), 3);
  EXPECT_TRUE(got.equal(want.index_select(1, at::tensor(rows))));
  // self() picks each output row out of the inputs.
  const at::Tensor ids = at::tensor(view->input_rows()).to(at::kFloat).unsqueeze(1);
  EXPECT_TRUE(
      pruned.self(pruned.self(ids, 0), 1).squeeze(1).equal(at::tensor(rows).to(at::kFloat)));
}

TEST_P(MixtureTest, DiagonalIsTheWeightOfARowsOwnInput) {
  const std::vector<int32_t> rows = {17, 2, 9};
  const at::Tensor got = family_.view(rows, 2)->shifts(lams_).diagonal(1);
  ASSERT_EQ(got.sizes(), (std::vector<int64_t>{4, 3, 1}));
  for (int g = 0; g < 4; ++g) {
    const at::Tensor s = dense_shift(graph_, family_.point(lams_[g]), normalisation_);
    const at::Tensor want = s.diagonal().index_select(0, at::tensor(rows));
    EXPECT_TRUE(at::allclose(got[g].squeeze(1), want.to(at::kFloat), 1e-5, 0));
  }
}

TEST_P(MixtureTest, ObservedGraphGivesEveryRelationWeightOne) {
  const at::Tensor h = random_tensor({kNodes, 4}, 7);
  const at::Tensor got = family_.view(all_rows(), 1)->observed().apply(h, 0)[0];
  const at::Tensor s = dense_shift(graph_, {1, 1, 1}, normalisation_);
  EXPECT_TRUE(at::allclose(got, s.matmul(h.to(at::kDouble)).to(at::kFloat), 1e-5, 1e-6));
  const auto only = MixtureFamily::observed_only(graph_, normalisation_);
  const int64_t first[] = {0};
  EXPECT_EQ(only->size(), 1);
  EXPECT_TRUE(only->view(all_rows(), 1)->shifts(first).apply(h, 0)[0].equal(got));
}

TEST_P(MixtureTest, BitsDoNotDependOnThreads) {
  const at::Tensor shared = random_tensor({kNodes, 33}, 8).set_requires_grad(true);
  std::vector<at::Tensor> outputs, gradients;
  for (int threads : {1, 2, 5}) {
    set_num_threads(threads);
    const at::Tensor out = family_.view(all_rows(), 1)->shifts(lams_).apply(shared, 0);
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
  const MixtureFamily family(small_graph(kNodes, 3, 40, 1), {.step = 0.25});
  constexpr int kDraws = 30000;
  std::map<std::pair<int64_t, int64_t>, double> moves;
  Rng rng(3, Stream::kTest);
  for (int64_t from = 0; from < family.size(); ++from) {
    for (int k = 0; k < kDraws; ++k) ++moves[{from, family.propose_local(from, rng)}];
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

TEST(MixtureFamily, EqualWeightsAreTheObservedGraphWhenTheTotalIsTheNumberOfTypes) {
  const MixtureFamily family(small_graph(kNodes, 2, 40, 1), {.step = 0.5, .total = 2.0});
  const auto view = family.view(all_rows(), 1);
  const at::Tensor h = random_tensor({kNodes, 4}, 9);
  const int64_t middle[] = {1};
  EXPECT_TRUE(view->shifts(middle).apply(h, 0).equal(view->observed().apply(h, 0)));
}

TEST(MixtureFamily, StepMustDivideOne) {
  EXPECT_THROW(MixtureFamily(small_graph(kNodes, 2, 9, 1), {.step = 0.3}), UsageError);
}

TEST(Shift, SelfFollowsTheOrderOfTheRowsAskedFor) {
  const MixtureFamily family(small_graph(kNodes, 2, 40, 1), {});
  std::vector<int32_t> rows = all_rows();
  std::reverse(rows.begin(), rows.end());
  const auto view = family.view(rows, 1);
  const at::Tensor ids = at::tensor(view->input_rows()).to(at::kFloat).unsqueeze(1);
  const at::Tensor got = view->observed().self(ids, 0).squeeze(1);
  EXPECT_TRUE(got.equal(at::tensor(rows).to(at::kFloat)));
}

TEST(Shift, RejectsAWrongShapeWithTheShapesItTakes) {
  const MixtureFamily family(small_graph(kNodes, 2, 9, 1), {});
  const int64_t first[] = {0};
  const Shift shift = family.view(all_rows(), 1)->shifts(first);
  EXPECT_THROW(shift.apply(at::zeros({kNodes + 1, 2}), 0), UsageError);
  EXPECT_THROW(shift.apply(at::zeros({kNodes, 2}, at::kDouble), 0), UsageError);
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
