// SPDX-License-Identifier: Apache-2.0
// Mixtures by shares of attention: S_λ = λ_none I + Σ_v λ_v S_v.
#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <utility>

#include "../models/gradient_check.h"
#include "dense_propagation.h"
#include "small_graph.h"

#include <emgnn/base/context.h>
#include <emgnn/space/mixture.h>

namespace emgnn {
namespace {

constexpr int32_t kNodes = 23;
constexpr size_t kViews = 3;
// A value of S_λ has a handful of roundings, a product with it a sum of at most 23 of them, for each
// of at most four terms and four graphs: fewer than so many roundings one after the other.
constexpr double kRounding = 64 * 0x1.0p-24;

// Few edges: every view has nodes without neighbours. Directed: one of (i, j), (j, i).
TypedGraph sparse_views(bool directed) {
  TypedGraph graph = small_graph(kNodes, kViews, 14, 3);
  for (Relation& relation : graph.relations) {
    if (!directed) break;
    const Csr& a = relation.adjacency;
    Coo coo;
    for (int32_t i = 0; i < kNodes; ++i) {
      for (const auto [e, j] : a.row(i)) {
        if (((i + j) % 2 == 0) != (i < j)) continue;
        coo.row.push_back(i);
        coo.col.push_back(j);
        coo.val.push_back(a.value(e));
      }
    }
    relation.adjacency = csr_from_coo(kNodes, kNodes, coo, Duplicates::kSum);
  }
  return graph;
}

// D⁻¹A, or D^-1/2 A D^-1/2 with 0 for D^-1/2 where D is 0; 1 on the diagonal of an empty row.
at::Tensor dense_view(const Csr& adjacency, Normalisation normalisation) {
  at::Tensor a = dense_matrix(adjacency);
  const at::Tensor degree = a.sum(1);
  const at::Tensor inverse = at::where(degree.gt(0.0), degree.reciprocal(), at::zeros_like(degree));
  a = normalisation == Normalisation::kRow
          ? a * inverse.unsqueeze(1)
          : a * inverse.sqrt().unsqueeze(1) * inverse.sqrt().unsqueeze(0);
  return a + at::diag(degree.eq(0.0).to(at::kDouble));
}

struct SharesCase {
  bool directed;
  Normalisation normalisation;
};

class SharesTest : public testing::TestWithParam<SharesCase> {
 protected:
  GraphBatch batch(std::span<const int64_t> lams) const {
    return family_->view(all_rows(kNodes), {})->batch({.lam_ids = lams});
  }
  at::Tensor dense(const LambdaPoint& lam) const {
    at::Tensor s = at::eye(kNodes, at::kDouble) * lam.back();
    for (size_t v = 0; v < kViews; ++v)
      s = s + lam[v] * dense_view(views_->graph->relations[v].adjacency, normalisation_);
    return s;
  }
  int64_t id_of(const LambdaPoint& lam) const {
    for (int64_t id : family_->all_ids())
      if (family_->point(id) == lam) return id;
    return -1;
  }

  const Normalisation normalisation_ = GetParam().normalisation;
  const std::shared_ptr<const ViewSet> views_ = std::make_shared<const ViewSet>(
      ViewSet{std::make_shared<const TypedGraph>(sparse_views(GetParam().directed)),
              std::vector<std::shared_ptr<const EdgeTrust>>(kViews)});
  // The data's own graph is another one.
  const std::shared_ptr<const Dataset> data_ = data_of(small_graph(kNodes, 1, 9, 8));
  const std::shared_ptr<const MixtureFamily> family_ = MixtureFamily::make(
      data_,
      {.normalisation = normalisation_, .mixing = Mixing::kShares, .step = 0.25, .total = 7.0},
      views_);
  const std::vector<int64_t> lams_ = {0, 5, 13, 34};
};

// |got − want| is within the rounding of a sum whose terms have `size` as their absolute sum.
void expect_within_rounding(const at::Tensor& got, const at::Tensor& want, const at::Tensor& size) {
  ASSERT_EQ(got.sizes(), want.sizes());
  const at::Tensor off = (got.to(at::kDouble) - want).abs() - kRounding * size;
  EXPECT_LE(off.max().item<double>(), 0.0);
}

// S applied to h, row by row.
void expect_applied(const at::Tensor& got, const at::Tensor& s, const at::Tensor& h) {
  const at::Tensor x = h.to(at::kDouble);
  expect_within_rounding(got, s.matmul(x), s.abs().matmul(x.abs()));
}

TEST_P(SharesTest, OneGraphIsAllViewsWithEqualShares) {
  const auto one = MixtureFamily::observed_only(
      data_, {.normalisation = normalisation_, .mixing = Mixing::kShares}, views_);
  EXPECT_EQ(one->size(), 1);
  EXPECT_EQ(one->point(0), LambdaPoint(kViews + 1, 0.25));
  const at::Tensor h = at::rand({kNodes, 5});
  const auto view = one->view(all_rows(kNodes), {});
  const std::vector<int64_t> first = {0};
  expect_applied(view->batch({}).hop(0).apply(h)[0], dense(one->point(0)), h);
  expect_applied(view->batch({.lam_ids = first}).hop(0).apply(h)[0], dense(one->point(0)), h);
}

TEST_P(SharesTest, HasAPointForEveryShareOfTheViewsAndOfTheNodeItself) {
  EXPECT_EQ(family_->size(), 35);  // C(4 + 3, 3)
  EXPECT_EQ(family_->coordinate_names(), (std::vector<std::string>{"a", "b", "c", "none"}));
  for (int64_t id : family_->all_ids()) {
    double sum = 0.0;
    for (double share : family_->point(id)) sum += share;
    EXPECT_EQ(sum, 1.0);
  }
  for (const Relation& view : views_->graph->relations) {
    const std::vector<double> degree = row_sums(view.adjacency);
    EXPECT_GT(std::count(degree.begin(), degree.end(), 0.0), 0);
    EXPECT_NE(is_symmetric(view.adjacency), GetParam().directed);
  }
}

TEST_P(SharesTest, IsTheSumOfTheViewsForSharedAndOwnInputs) {
  const std::vector<int64_t> all = family_->all_ids();
  const GraphBatch graphs = batch(all);
  const at::Tensor shared = random_tensor({kNodes, 7}, 1), own = random_tensor({35, kNodes, 7}, 2);
  const at::Tensor out_shared = graphs.hop(0).apply(shared), out_own = graphs.hop(0).apply(own);
  for (int64_t g = 0; g < 35; ++g) {
    const at::Tensor s = dense(family_->point(g));
    expect_applied(out_shared[g], s, shared);
    expect_applied(out_own[g], s, own[g]);
  }
}

TEST_P(SharesTest, OneGraphAtATimeIsTheSame) {
  const at::Tensor h = random_tensor({kNodes, 5}, 3), own = random_tensor({4, kNodes, 5}, 4);
  const at::Tensor shared = batch(lams_).hop(0).apply(h), each = batch(lams_).hop(0).apply(own);
  for (int64_t g = 0; g < 4; ++g) {
    const int64_t one[] = {lams_[static_cast<size_t>(g)]};
    const at::Tensor size = dense(family_->point(one[0])).abs().matmul(h.to(at::kDouble).abs());
    expect_within_rounding(batch(one).hop(0).apply(h)[0], shared[g].to(at::kDouble), 2.0 * size);
    EXPECT_TRUE(batch(one).hop(0).apply(own[g])[0].equal(each[g]));
  }
}

TEST_P(SharesTest, GradientsAreProductsWithTheTranspose) {
  const GraphBatch graphs = batch(lams_);
  const at::Tensor r = random_tensor({4, kNodes, 3}, 5), weight = r.to(at::kDouble);
  const auto gradient = [&](std::vector<int64_t> shape) {
    const at::Tensor h = random_tensor(std::move(shape), 6).set_requires_grad(true);
    (graphs.hop(0).apply(h) * r).sum().backward();
    return h.grad();
  };
  const at::Tensor shared = gradient({kNodes, 3}), each = gradient({4, kNodes, 3});
  at::Tensor sum = at::zeros({kNodes, 3}, at::kDouble), size = at::zeros({kNodes, 3}, at::kDouble);
  for (int64_t g = 0; g < 4; ++g) {
    const at::Tensor back = dense(family_->point(lams_[static_cast<size_t>(g)])).t();
    expect_applied(each[g], back, r[g]);
    sum += back.matmul(weight[g]);
    size += back.abs().matmul(weight[g].abs());
  }
  expect_within_rounding(shared, sum, size);
  // Of one graph, which takes another way.
  const GraphBatch single = batch(std::span(lams_).subspan(2, 1));
  const at::Tensor h = random_tensor({kNodes, 3}, 6).set_requires_grad(true);
  (single.hop(0).apply(h) * r.narrow(0, 2, 1)).sum().backward();
  expect_applied(h.grad(), dense(family_->point(lams_[2])).t(), r[2]);
}

TEST_P(SharesTest, PrunedRowsEqualTheFullComputation) {
  const std::vector<int32_t> rows = {17, 2, 9};
  const GraphBatch full = batch(lams_);
  const GraphBatch pruned = family_->view(rows, {.num_hops = 2})->batch({.lam_ids = lams_});
  const at::Tensor nodes = at::tensor(pruned.hop(0).input_nodes());
  const at::Tensor h = random_tensor({kNodes, 6}, 7);
  const at::Tensor want = full.hop(1).apply(full.hop(0).apply(h));
  const at::Tensor got = pruned.hop(1).apply(pruned.hop(0).apply(h.index_select(0, nodes)));
  EXPECT_TRUE(got.equal(want.index_select(1, at::tensor(rows))));
}

TEST_P(SharesTest, EdgesAndDiagonalAreThoseOfTheSum) {
  const std::vector<int32_t> rows = {17, 2, 9, 0, 22};
  const GraphBatch graphs = family_->view(rows, {})->batch({.lam_ids = lams_});
  const Edges& edges = *graphs.hop(0).edges();
  const std::vector<int32_t>& nodes = graphs.hop(0).input_nodes();
  const at::Tensor diagonal = graphs.hop(0).diagonal();
  ASSERT_EQ(diagonal.sizes(), (std::vector<int64_t>{4, 5, 1}));
  EXPECT_EQ(edges.num_types, static_cast<int32_t>(kViews) + 1);
  for (int64_t g = 0; g < 4; ++g) {
    const at::Tensor s = dense(family_->point(lams_[static_cast<size_t>(g)]));
    const at::Tensor want = s.index_select(0, at::tensor(rows));
    at::Tensor got = at::zeros_like(want);
    for (int64_t e = 0; e < edges.num_entries(); ++e) {
      const auto at = static_cast<size_t>(e);
      got[edges.row[at]][nodes[static_cast<size_t>(edges.pattern.col[at])]] =
          edges.weight[g][e].to(at::kDouble);
    }
    expect_within_rounding(got, want, want.abs());
    const at::Tensor own = s.diagonal().index_select(0, at::tensor(rows));
    expect_within_rounding(diagonal[g].squeeze(1), own, own.abs());
  }
}

TEST_P(SharesTest, TypeOfAnEntryIsTheFirstViewThatHasItAndTheDiagonalsIsItsOwn) {
  const GraphBatch graphs = batch(lams_);
  const Edges& edges = *graphs.hop(0).edges();
  std::vector<at::Tensor> views;  // of a directed edge the normalisation may leave nothing
  for (const Relation& view : views_->graph->relations)
    views.push_back(dense_matrix(view.adjacency));
  for (size_t e = 0; e < edges.type.size(); ++e) {
    const int32_t i = edges.row[e], j = edges.pattern.col[e];
    size_t want = i == j ? kViews : 0;
    while (want < kViews && views[want][i][j].item<double>() == 0.0) ++want;
    EXPECT_EQ(edges.type[e], static_cast<int32_t>(want)) << i << ", " << j;
  }
}

TEST_P(SharesTest, NodesWithoutNeighboursKeepTheShareOfTheView) {
  for (size_t v = 0; v < kViews; ++v) {
    LambdaPoint lam(kViews + 1, 0.0);
    lam[v] = 1.0;
    const int64_t id[] = {id_of(lam)};
    const at::Tensor h = random_tensor({kNodes, 4}, 8), out = batch(id).hop(0).apply(h)[0];
    const std::vector<double> degree = row_sums(views_->graph->relations[v].adjacency);
    for (int32_t i = 0; i < kNodes; ++i) {
      const bool alone = degree[static_cast<size_t>(i)] == 0.0;
      EXPECT_TRUE(!alone || out[i].equal(h[i])) << v << " " << i;
    }
  }
}

TEST_P(SharesTest, AllWeightOnNoneIsTheIdentity) {
  const int64_t none = id_of({0, 0, 0, 1});
  ASSERT_GE(none, 0);
  const at::Tensor h = random_tensor({kNodes, 4}, 9);
  const int64_t alone[] = {none}, among[] = {0, none, 7};
  EXPECT_TRUE(batch(alone).hop(0).apply(h)[0].equal(h));
  std::vector<int64_t> ids(among, among + 3);
  std::sort(ids.begin(), ids.end());
  const auto at = std::find(ids.begin(), ids.end(), none) - ids.begin();
  EXPECT_TRUE(batch(ids).hop(0).apply(h)[at].equal(h));
  EXPECT_TRUE(batch(alone).hop(0).diagonal().eq(1.0).all().item<bool>());
}

TEST_P(SharesTest, RowsSumToOneWithRowNormalisation) {
  if (normalisation_ != Normalisation::kRow) return;
  const std::vector<int64_t> all = family_->all_ids();
  const at::Tensor sums = batch(all).hop(0).apply(at::ones({kNodes, 1})).to(at::kDouble);
  EXPECT_LE((sums - 1.0).abs().max().item<double>(), kRounding);
}

TEST_P(SharesTest, WithoutAPointSharesAreEqual) {
  const at::Tensor h = random_tensor({kNodes, 4}, 10);
  expect_applied(batch({}).hop(0).apply(h)[0], dense(LambdaPoint(kViews + 1, 0.25)), h);
}

TEST_P(SharesTest, BitsDoNotDependOnThreads) {
  std::vector<at::Tensor> outputs, gradients;
  for (int threads : {1, 2, 5}) {
    const Context::Scope scope{Context(threads)};
    const at::Tensor h = random_tensor({kNodes, 33}, 11).set_requires_grad(true);
    const at::Tensor out = batch(lams_).hop(0).apply(h);
    out.square().sum().backward();
    outputs.push_back(out.detach());
    gradients.push_back(h.grad());
  }
  for (size_t i = 1; i < outputs.size(); ++i) {
    EXPECT_TRUE(outputs[i].equal(outputs[0]));
    EXPECT_TRUE(gradients[i].equal(gradients[0]));
  }
}

INSTANTIATE_TEST_SUITE_P(All, SharesTest,
                         testing::Values(SharesCase{false, Normalisation::kRow},
                                         SharesCase{false, Normalisation::kSymmetric},
                                         SharesCase{true, Normalisation::kRow},
                                         SharesCase{true, Normalisation::kSymmetric}));

}  // namespace
}  // namespace emgnn
