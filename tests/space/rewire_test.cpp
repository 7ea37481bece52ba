// SPDX-License-Identifier: Apache-2.0
#include <emgnn/space/rewire.h>

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <map>
#include <sstream>

#include "../models/gradient_check.h"
#include "dense_propagation.h"
#include "rewire_graph.h"

#include <emgnn/base/context.h>
#include <emgnn/base/error.h>

namespace emgnn {
namespace {

constexpr int32_t kNodes = 23;

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

  GraphBatch batch(std::span<const int64_t> lams) const {
    return family_->view(all_rows(kNodes), {})->batch({.lam_ids = lams});
  }
  at::Tensor dense(int64_t id) const {
    return dense_propagation(dense_adjacency(graph_, family_->draws(), id),
                             GetParam().normalisation);
  }

  const RewireGraph graph_ = make_graph();
  const std::shared_ptr<const RewireFamily> family_ =
      rewire_family(graph_,
                    {.normalisation = GetParam().normalisation,
                     .grid = 5,
                     .max_drop = 0.6,
                     .max_add = 0.7,
                     .draws = 3,
                     .drawing = GetParam().drawing},
                    9);
  // Both orders of both rates, repeated graphs, and changes of the draw.
  const std::vector<int64_t> lams_ = {0, 1, 2, 24, 24, 7, 30, 74, 12, 49, 50, 25};
  const auto static constexpr kGraphs = 12;
};

TEST_P(RewireTest, BatchMatchesTheDefinitionForSharedAndOwnFeatures) {
  ASSERT_EQ(family_->size(), 75);
  const GraphBatch graphs = batch(lams_);
  const Propagation& hop = graphs.hop(0);
  const at::Tensor shared = random_tensor({kNodes, 7}, 1),
                   own = random_tensor({kGraphs, kNodes, 7}, 2);
  const at::Tensor out_shared = hop.apply(shared), out_own = hop.apply(own);
  for (int g = 0; g < kGraphs; ++g) {
    const at::Tensor s = dense(lams_[g]);
    EXPECT_TRUE(
        at::allclose(out_shared[g], s.matmul(shared.to(at::kDouble)).to(at::kFloat), 1e-5, 1e-6));
    EXPECT_TRUE(
        at::allclose(out_own[g], s.matmul(own[g].to(at::kDouble)).to(at::kFloat), 1e-5, 1e-6));
    EXPECT_TRUE(at::allclose(hop.diagonal()[g].squeeze(1), s.diagonal().to(at::kFloat)));
  }
}

TEST_P(RewireTest, BatchEqualsALoopOverSingleGraphs) {
  const at::Tensor own = random_tensor({kGraphs, kNodes, 5}, 3), shared = own[0];
  const at::Tensor batched = batch(lams_).hop(0).apply(own);
  const at::Tensor batched_shared = batch(lams_).hop(0).apply(shared);
  for (int g = 0; g < kGraphs; ++g) {
    const int64_t one[] = {lams_[g]};
    EXPECT_TRUE(batched[g].equal(batch(one).hop(0).apply(own[g])[0]));
    EXPECT_TRUE(batched_shared[g].equal(batch(one).hop(0).apply(shared.unsqueeze(0))[0]));
  }
}

TEST_P(RewireTest, GradientsMatchFiniteDifferences) {
  const GraphBatch graphs = batch(lams_);
  const auto apply = [&](const at::Tensor& h) { return graphs.hop(0).apply(h); };
  expect_gradient_matches(apply, random_tensor({kNodes, 3}, 4), 0.5, 5e-5);
  expect_gradient_matches(apply, random_tensor({kGraphs, kNodes, 1}, 5), 0.5, 5e-5);
}

// <S x, y> = <x, Sᵀ y> on a hop whose inputs are not its outputs.
TEST_P(RewireTest, TransposesAreAdjoint) {
  const std::vector<int32_t> rows = {17, 2, 9};
  const GraphBatch graphs = family_->view(rows, {})->batch({.lam_ids = lams_});
  const int64_t inputs = graphs.hop(0).num_inputs();
  for (const std::vector<int64_t>& shape :
       {std::vector<int64_t>{inputs, 19}, {kGraphs, inputs, 19}}) {
    const at::Tensor x = random_tensor(shape, 6).set_requires_grad(true);
    const at::Tensor y = random_tensor({kGraphs, 3, 19}, 7);
    const at::Tensor sx = graphs.hop(0).apply(x);
    sx.backward(y);
    const double left = (sx.detach() * y).to(at::kDouble).sum().item<double>();
    const double right = (x.detach() * x.grad()).to(at::kDouble).sum().item<double>();
    EXPECT_NEAR(left, right, 1e-4);
  }
}

TEST_P(RewireTest, PrunedRowsEqualTheFullComputation) {
  const std::vector<int32_t> rows = {17, 2, 9};
  const GraphBatch full = batch(lams_);
  const GraphBatch pruned = family_->view(rows, {.num_hops = 2})->batch({.lam_ids = lams_});
  const at::Tensor h = random_tensor({kNodes, 6}, 6);
  const at::Tensor want = full.hop(1).apply(full.hop(0).apply(h));
  const at::Tensor got = pruned.hop(1).apply(
      pruned.hop(0).apply(h.index_select(0, at::tensor(pruned.hop(0).input_nodes()))));
  ASSERT_EQ(got.size(1), 3);
  EXPECT_TRUE(got.equal(want.index_select(1, at::tensor(rows))));
}

TEST_P(RewireTest, NoDropAndNoAddIsTheObservedGraph) {
  const at::Tensor h = random_tensor({kNodes, 4}, 7);
  const at::Tensor observed = batch({}).hop(0).apply(h)[0];
  const Csr loops = add_diagonal(graph_.adjacency, 1.0F);
  const Csr s = GetParam().normalisation == Normalisation::kRow ? normalise_rows(loops)
                                                                : normalise_symmetric(loops);
  const at::Tensor want = dense_matrix(s).matmul(h.to(at::kDouble)).to(at::kFloat);
  EXPECT_TRUE(at::allclose(observed, want, 1e-5, 1e-6));
  for (int64_t draw = 0; draw < 3; ++draw) {
    const int64_t id[] = {draw * 25};
    EXPECT_TRUE(at::allclose(batch(id).hop(0).apply(h)[0], want, 1e-5, 1e-6));
  }
}

TEST_P(RewireTest, BitsDoNotDependOnThreads) {
  const at::Tensor inputs[] = {random_tensor({kNodes, 133}, 8),
                               random_tensor({kGraphs, kNodes, 133}, 9)};
  for (const at::Tensor& input : inputs) {
    std::vector<at::Tensor> outputs, gradients;
    for (int threads : {1, 2, 5}) {
      const Context::Scope scope{Context(threads)};
      const at::Tensor x = input.clone().set_requires_grad(true);
      const at::Tensor out = batch(lams_).hop(0).apply(x);
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
  const RewireGraph graph = random_rewire_graph(kNodes, 40, 10, 1);
  const auto family = rewire_family(graph, {}, 1);
  EXPECT_EQ(family->size(), 441);
  EXPECT_EQ(family->coordinate_names(), (std::vector<std::string>{"drop", "add"}));
  EXPECT_EQ(family->num_shares(), 0U);
  EXPECT_EQ(family->point(0), (LambdaPoint{0.0, 0.0}));
  EXPECT_DOUBLE_EQ(family->point(22)[0], 0.01);
  EXPECT_DOUBLE_EQ(family->point(23)[1], 0.02);
  EXPECT_EQ(family->point(440), (LambdaPoint{0.2, 0.2}));
  const auto several = rewire_family(graph, {.draws = 2}, 1);
  EXPECT_EQ(several->coordinate_names(), (std::vector<std::string>{"drop", "add", "draw"}));
  EXPECT_EQ(several->point(881), (LambdaPoint{0.2, 0.2, 1.0}));
}

TEST(RewireFamily, PriorMarginalsCountThePointsOfTheGrid) {
  const auto family =
      rewire_family(random_rewire_graph(kNodes, 40, 10, 1), {.grid = 3, .draws = 4}, 1);
  for (size_t k = 0; k < 3; ++k) {
    Marginal want;
    for (int64_t id : family->all_ids()) want[family->point(id)[k]] += 1.0 / 36;
    const Marginal got = family->prior_marginal(k);
    ASSERT_EQ(got.size(), want.size());
    for (const auto& [value, p] : want) EXPECT_NEAR(got.at(value), p, 1e-12);
  }
}

// p of a pair is Σ p(λ) over the graphs that have it, whichever they are.
TEST(RewireFamily, TableOfEdgesHasTheirProbabilities) {
  const auto family = rewire_family(random_rewire_graph(kNodes, 5, 3, 1), {.grid = 3}, 1);
  const FamilyReport report =
      family->report({.lam_ids = {0, 8}, .log_prob = {std::log(0.25), std::log(0.75)}}, {},
                     [](int32_t node) { return "n" + std::to_string(node); });
  const std::vector<FamilyTable>& tables = report.tables;
  ASSERT_EQ(tables.size(), 1U);
  EXPECT_EQ(tables[0].file, "edges.csv");
  std::istringstream lines(tables[0].csv);
  std::string line;
  std::getline(lines, line);
  EXPECT_EQ(line, "source,target,kind,cosine,p,p_rate");
  const RewireDraws& draws = family->draws();
  for (int64_t p = 0; p < 8; ++p) {
    ASSERT_TRUE(std::getline(lines, line));
    const auto [u, v] = draws.pairs()[static_cast<size_t>(p)];
    const double held = (draws.holds(0, p) ? 0.25 : 0.0) + (draws.holds(8, p) ? 0.75 : 0.0);
    const double rate = 0.25 * draws.rate(0, p) + 0.75 * draws.rate(2, p);
    EXPECT_EQ(line, fmt::format("n{},n{},{},{:.6g},{:.6g}", u, v,
                                p < 5 ? "observed," : "candidate,0.75", held, rate));
  }
  EXPECT_FALSE(std::getline(lines, line));
}

TEST(RewireFamily, LocalProposalIsSymmetricAndReachesEveryPoint) {
  const auto family =
      rewire_family(random_rewire_graph(kNodes, 40, 10, 1), {.grid = 3, .draws = 3}, 1);
  constexpr int kDraws = 20000;
  std::map<std::pair<int64_t, int64_t>, double> moves;
  Rng rng(3, Stream::kTest);
  for (int64_t from = 0; from < family->size(); ++from) {
    for (int k = 0; k < kDraws; ++k) ++moves[{from, family->propose_local(from, rng)}];
  }
  std::vector<bool> reached(static_cast<size_t>(family->size()));
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
