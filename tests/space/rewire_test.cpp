// SPDX-License-Identifier: Apache-2.0
#include <emgnn/space/rewire.h>

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <map>
#include <numeric>

#include "../models/gradient_check.h"
#include "rewire_graph.h"

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

struct RewireCase {
  Normalisation normalisation;
  Drawing drawing;
  bool weighted;
};

// High rates, so that most rows of most graphs differ.
class RewireTest : public testing::TestWithParam<RewireCase> {
 protected:
  static RewireGraph make_graph() {
    RewireGraph graph = random_rewire_graph(kNodes, 60, 50, 1);
    if (!GetParam().weighted) return graph;
    Csr& a = graph.adjacency;
    for (int32_t i = 0; i < kNodes; ++i) {
      for (int32_t e = a.rowptr[i]; e < a.rowptr[i + 1]; ++e)
        a.val.push_back(0.5F * static_cast<float>(1 + (i * a.col[e]) % 4));
    }
    return graph;
  }

  // S_λ as a dense matrix, from the definition.
  at::Tensor dense_shift(int64_t id) const {
    at::Tensor a = at::eye(kNodes, at::kDouble), given = at::zeros({kNodes, kNodes}, at::kDouble);
    const Csr& adj = graph_.adjacency;
    for (int32_t i = 0; i < kNodes; ++i) {
      for (int32_t e = adj.rowptr[i]; e < adj.rowptr[i + 1]; ++e)
        given[i][adj.col[e]] = adj.value(e);
    }
    const double mean = given.sum().item<double>() / static_cast<double>(adj.num_entries());
    const RewireDraws& draws = family_.draws();
    for (int64_t p = 0; p < static_cast<int64_t>(draws.pairs().size()); ++p) {
      if (!draws.holds(id, p)) continue;
      const auto [u, v] = draws.pairs()[p];
      a[u][v] = a[v][u] = p < draws.num_edges() ? given[u][v].item<double>() : mean;
    }
    const at::Tensor degree = a.sum(1);
    if (GetParam().normalisation == Normalisation::kRow) return a / degree.unsqueeze(1);
    return a / (degree.unsqueeze(1) * degree.unsqueeze(0)).sqrt();
  }

  const RewireGraph graph_ = make_graph();
  const RewireFamily family_{graph_,
                             {.normalisation = GetParam().normalisation,
                              .grid = 5,
                              .max_drop = 0.6,
                              .max_add = 0.7,
                              .draws = 3,
                              .drawing = GetParam().drawing},
                             9};
  // Both orders of both rates, repeated graphs, and changes of the draw.
  const std::vector<int64_t> lams_ = {0, 1, 2, 24, 24, 7, 30, 74, 12, 49, 50, 25};
  const auto static constexpr kGraphs = 12;
};

TEST_P(RewireTest, BatchMatchesTheDefinitionForSharedAndOwnFeatures) {
  ASSERT_EQ(family_.size(), 75);
  const Shift shift = family_.view(all_rows(), 1)->shifts(lams_);
  const at::Tensor shared = random_tensor({kNodes, 7}, 1),
                   own = random_tensor({kGraphs, kNodes, 7}, 2);
  const at::Tensor out_shared = shift.apply(shared, 0), out_own = shift.apply(own, 0);
  for (int g = 0; g < kGraphs; ++g) {
    const at::Tensor s = dense_shift(lams_[g]);
    EXPECT_TRUE(
        at::allclose(out_shared[g], s.matmul(shared.to(at::kDouble)).to(at::kFloat), 1e-5, 1e-6));
    EXPECT_TRUE(
        at::allclose(out_own[g], s.matmul(own[g].to(at::kDouble)).to(at::kFloat), 1e-5, 1e-6));
    EXPECT_TRUE(at::allclose(shift.diagonal(0)[g].squeeze(1), s.diagonal().to(at::kFloat)));
  }
}

TEST_P(RewireTest, BatchEqualsALoopOverSingleShifts) {
  const auto view = family_.view(all_rows(), 1);
  const at::Tensor own = random_tensor({kGraphs, kNodes, 5}, 3), shared = own[0];
  const at::Tensor batched = view->shifts(lams_).apply(own, 0);
  const at::Tensor batched_shared = view->shifts(lams_).apply(shared, 0);
  for (int g = 0; g < kGraphs; ++g) {
    const int64_t one[] = {lams_[g]};
    EXPECT_TRUE(batched[g].equal(view->shifts(one).apply(own[g], 0)[0]));
    EXPECT_TRUE(batched_shared[g].equal(view->shifts(one).apply(shared.unsqueeze(0), 0)[0]));
  }
}

TEST_P(RewireTest, GradientsMatchFiniteDifferences) {
  const Shift shift = family_.view(all_rows(), 1)->shifts(lams_);
  expect_gradient_matches([&](const at::Tensor& h) { return shift.apply(h, 0); },
                          random_tensor({kNodes, 3}, 4), 0.5, 5e-5);
  expect_gradient_matches([&](const at::Tensor& h) { return shift.apply(h, 0); },
                          random_tensor({kGraphs, kNodes, 1}, 5), 0.5, 5e-5);
}

// <S x, y> = <x, Sᵀ y> on a hop whose inputs are not its outputs.
TEST_P(RewireTest, TransposesAreAdjoint) {
  const std::vector<int32_t> rows = {17, 2, 9};
  const auto view = family_.view(rows, 1);
  const Shift shift = view->shifts(lams_);
  const int64_t inputs = shift.num_inputs(0);
  for (const std::vector<int64_t>& shape :
       {std::vector<int64_t>{inputs, 19}, {kGraphs, inputs, 19}}) {
    const at::Tensor x = random_tensor(shape, 6).set_requires_grad(true);
    const at::Tensor y = random_tensor({kGraphs, 3, 19}, 7);
    const at::Tensor sx = shift.apply(x, 0);
    sx.backward(y);
    const double left = (sx.detach() * y).to(at::kDouble).sum().item<double>();
    const double right = (x.detach() * x.grad()).to(at::kDouble).sum().item<double>();
    EXPECT_NEAR(left, right, 1e-4);
  }
}

TEST_P(RewireTest, PrunedRowsEqualTheFullComputation) {
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
}

TEST_P(RewireTest, NoDropAndNoAddIsTheObservedGraph) {
  const at::Tensor h = random_tensor({kNodes, 4}, 7);
  const auto view = family_.view(all_rows(), 1);
  const at::Tensor observed = view->observed().apply(h, 0)[0];
  const Csr loops = add_diagonal(graph_.adjacency, 1.0F);
  const Csr s = GetParam().normalisation == Normalisation::kRow ? normalise_rows(loops)
                                                                : normalise_symmetric(loops);
  at::Tensor want = at::zeros({kNodes, 4});
  for (int32_t i = 0; i < kNodes; ++i) {
    for (int32_t e = s.rowptr[i]; e < s.rowptr[i + 1]; ++e) want[i] += s.value(e) * h[s.col[e]];
  }
  EXPECT_TRUE(at::allclose(observed, want, 1e-5, 1e-6));
  for (int64_t draw = 0; draw < 3; ++draw) {
    const int64_t id[] = {draw * 25};
    EXPECT_TRUE(at::allclose(view->shifts(id).apply(h, 0)[0], want, 1e-5, 1e-6));
  }
}

TEST_P(RewireTest, BitsDoNotDependOnThreads) {
  const at::Tensor inputs[] = {random_tensor({kNodes, 133}, 8),
                               random_tensor({kGraphs, kNodes, 133}, 9)};
  for (const at::Tensor& input : inputs) {
    std::vector<at::Tensor> outputs, gradients;
    for (int threads : {1, 2, 5}) {
      set_num_threads(threads);
      const at::Tensor x = input.clone().set_requires_grad(true);
      const at::Tensor out = family_.view(all_rows(), 1)->shifts(lams_).apply(x, 0);
      out.square().sum().backward();
      outputs.push_back(out.detach());
      gradients.push_back(x.grad());
    }
    for (size_t i = 1; i < outputs.size(); ++i) {
      EXPECT_TRUE(outputs[i].equal(outputs[0]));
      EXPECT_TRUE(gradients[i].equal(gradients[0]));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    All, RewireTest,
    testing::Values(RewireCase{Normalisation::kRow, Drawing::kCoupled, false},
                    RewireCase{Normalisation::kSymmetric, Drawing::kCoupled, false},
                    RewireCase{Normalisation::kRow, Drawing::kCoupled, true},
                    RewireCase{Normalisation::kSymmetric, Drawing::kCoupled, true},
                    RewireCase{Normalisation::kRow, Drawing::kAuthors, false},
                    RewireCase{Normalisation::kSymmetric, Drawing::kAuthors, true}));

TEST(RewireFamily, PointsAreTheRatesOfTheGrid) {
  const RewireFamily family(random_rewire_graph(kNodes, 40, 10, 1), {}, 1);
  EXPECT_EQ(family.size(), 441);
  EXPECT_EQ(family.coordinate_names(), (std::vector<std::string>{"drop", "add"}));
  EXPECT_EQ(family.point(0), (LambdaPoint{0.0, 0.0}));
  EXPECT_DOUBLE_EQ(family.point(22)[0], 0.01);
  EXPECT_DOUBLE_EQ(family.point(23)[1], 0.02);
  EXPECT_EQ(family.point(440), (LambdaPoint{0.2, 0.2}));
  const RewireFamily several(random_rewire_graph(kNodes, 40, 10, 1), {.draws = 2}, 1);
  EXPECT_EQ(several.coordinate_names(), (std::vector<std::string>{"drop", "add", "draw"}));
  EXPECT_EQ(several.point(881), (LambdaPoint{0.2, 0.2, 1.0}));
}

TEST(RewireFamily, LocalProposalIsSymmetricAndReachesEveryPoint) {
  const RewireFamily family(random_rewire_graph(kNodes, 40, 10, 1), {.grid = 3, .draws = 3}, 1);
  constexpr int kDraws = 20000;
  std::map<std::pair<int64_t, int64_t>, double> moves;
  Rng rng(3, Stream::kTest);
  for (int64_t from = 0; from < family.size(); ++from) {
    for (int k = 0; k < kDraws; ++k) ++moves[{from, family.propose_local(from, rng)}];
  }
  std::vector<bool> reached(static_cast<size_t>(family.size()));
  for (const auto& [move, count] : moves) {
    const double back = moves[{move.second, move.first}];
    // Two binomial counts with the same mean m differ by less than 5·√(2m) except once in a
    // million.
    EXPECT_LT(std::abs(count - back), 5 * std::sqrt(2 * std::max(count, back)))
        << move.first << "→" << move.second;
    if (move.first != move.second) reached[static_cast<size_t>(move.second)] = true;
  }
  for (bool r : reached) EXPECT_TRUE(r);
}

}  // namespace
}  // namespace emgnn
