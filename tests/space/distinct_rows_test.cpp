// SPDX-License-Identifier: Apache-2.0
#include <emgnn/space/distinct_rows.h>

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <set>

#include "../models/gradient_check.h"
#include "dense_propagation.h"
#include "rewire_graph.h"

#include <emgnn/base/context.h>

namespace emgnn {
namespace {

constexpr int32_t kNodes = 31;

// Low rates, so that graphs have most rows in common.
class DistinctRowsTest : public testing::TestWithParam<bool> {
 protected:
  static RewireGraph make_graph(bool weighted) {
    RewireGraph graph = random_rewire_graph(kNodes, 60, 20, 3);
    Csr& a = graph.adjacency;
    for (int32_t i = 0; weighted && i < kNodes; ++i) {
      for (int32_t e = a.rowptr[i]; e < a.rowptr[i + 1]; ++e)
        a.val.push_back(0.5F * static_cast<float>(1 + (i * a.col[e]) % 4));
    }
    return graph;
  }
  static std::shared_ptr<const RewireFamily> make_family(Normalisation normalisation) {
    return rewire_family(
        make_graph(GetParam()),
        {.normalisation = normalisation, .grid = 4, .max_drop = 0.1, .max_add = 0.3, .draws = 2},
        5);
  }

  GraphBatch batch(std::span<const int64_t> lams) const {
    return family_->view(rows_, {})->batch({.lam_ids = lams});
  }
  // S h of every graph, by way of the distinct rows.
  static at::Tensor applied(const DistinctRows& rows, const at::Tensor& h) {
    const int64_t width = h.size(-1);
    at::Tensor each = at::empty({rows.num_rows(), width}, at::kFloat),
               out = at::empty({rows.num_graphs, rows.num_outputs(), width}, at::kFloat);
    rows.apply(width, h.data_ptr<float>(), each.data_ptr<float>());
    rows.spread(width, each.data_ptr<float>(), out.data_ptr<float>());
    return out;
  }
  static at::Tensor transposed(const DistinctRows& rows, const at::Tensor& grad_out) {
    const int64_t width = grad_out.size(-1);
    at::Tensor each = at::empty({rows.num_rows(), width}, at::kFloat);
    rows.gather(width, grad_out.data_ptr<float>(), each.data_ptr<float>());
    return dense_matrix(rows.transposed()).matmul(each.to(at::kDouble)).to(at::kFloat);
  }

  const std::shared_ptr<const RewireFamily> family_ = make_family(Normalisation::kRow);
  const std::vector<int32_t> rows_ = {30, 2, 9, 17, 5, 6, 1, 0, 28, 11};
  const std::vector<int64_t> lams_ = {0, 3, 5, 5, 15, 16, 18, 31};
};

TEST_P(DistinctRowsTest, AreFewerThanAllRowsAndHaveTheBitsOfTheGraphs) {
  const GraphBatch graphs = batch(lams_);
  const Propagation& hop = graphs.hop(0);
  const auto rows = distinct_rows(hop, true);
  ASSERT_TRUE(rows);
  ASSERT_EQ(rows->place.size(), lams_.size() * rows_.size());
  const std::set<int32_t> used(rows->place.begin(), rows->place.end());
  EXPECT_EQ(static_cast<int64_t>(used.size()), rows->num_rows());
  EXPECT_LT(used.size(), rows->place.size() / 2);
  EXPECT_GT(used.size(), rows_.size());
  EXPECT_EQ(rows->input_nodes, hop.input_nodes());
  const at::Tensor h = random_tensor({hop.num_inputs(), 37}, 1);
  EXPECT_TRUE(applied(*rows, h).equal(hop.apply(h)));
  at::Tensor diagonal = at::empty_like(hop.diagonal());
  rows->spread(1, rows->factor.data(), diagonal.data_ptr<float>());
  EXPECT_TRUE(diagonal.equal(hop.diagonal()));
  for (size_t k = 0; k < rows->place.size(); ++k)
    EXPECT_EQ(
        rows->input_nodes[static_cast<size_t>(rows->self[static_cast<size_t>(rows->place[k])])],
        rows_[k % rows_.size()]);
}

TEST_P(DistinctRowsTest, OverInputsOfTheirOwnHaveTheBitsOfTheGraphs) {
  const GraphBatch graphs = batch(lams_);
  const Propagation& hop = graphs.hop(0);
  const auto rows = distinct_rows(hop, false);
  ASSERT_TRUE(rows);
  EXPECT_EQ(rows->num_rows(), static_cast<int64_t>(lams_.size() * rows_.size()));
  const at::Tensor h = random_tensor({hop.num_graphs(), hop.num_inputs(), 21}, 2);
  EXPECT_TRUE(applied(*rows, h.view({-1, 21})).equal(hop.apply(h)));
}

// <S x, y> = <x, Sᵀ y>: sums of at most 8 · 10 · 21 products below 1.
TEST_P(DistinctRowsTest, TransposesAreAdjoint) {
  const GraphBatch graphs = batch(lams_);
  for (const bool one_input : {true, false}) {
    const auto rows = distinct_rows(graphs.hop(0), one_input);
    const at::Tensor x = random_tensor({rows->num_inputs(), 21}, 3),
                     y = random_tensor({rows->num_graphs, rows->num_outputs(), 21}, 4);
    const double left = (applied(*rows, x) * y).to(at::kDouble).sum().item<double>();
    const double right = (x * transposed(*rows, y)).to(at::kDouble).sum().item<double>();
    EXPECT_NEAR(left, right, 1680 * 4 * kUnitRounding);
  }
}

TEST_P(DistinctRowsTest, BitsDoNotDependOnThreads) {
  const auto view = family_->view(all_rows(kNodes), {});
  const auto rows = distinct_rows(view->batch({.lam_ids = lams_}).hop(0), true);
  const at::Tensor x = random_tensor({kNodes, 133}, 5),
                   y = random_tensor({rows->num_graphs, kNodes, 133}, 6);
  const auto both = [&](int threads) {
    const Context::Scope scope{Context(threads)};
    return std::pair(applied(*rows, x), transposed(*rows, y));
  };
  const auto one = both(1);
  for (int threads : {2, 5}) {
    const auto many = both(threads);
    EXPECT_TRUE(many.first.equal(one.first));
    EXPECT_TRUE(many.second.equal(one.second));
  }
}

TEST_P(DistinctRowsTest, AreNotKnownWhereARowDependsOnItsNeighboursDegrees) {
  const auto symmetric = make_family(Normalisation::kSymmetric);
  const GraphBatch graphs = symmetric->view(rows_, {})->batch({.lam_ids = lams_});
  for (const bool one_input : {true, false}) EXPECT_FALSE(distinct_rows(graphs.hop(0), one_input));
}

INSTANTIATE_TEST_SUITE_P(All, DistinctRowsTest, testing::Bool(),
                         [](const auto& info) { return info.param ? "Weighted" : "Plain"; });

}  // namespace
}  // namespace emgnn
