// SPDX-License-Identifier: Apache-2.0
// Mixtures in which a view's edges are trusted more or less.
#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <set>
#include <sstream>

#include "../models/gradient_check.h"
#include "dense_propagation.h"
#include "small_graph.h"

#include <emgnn/base/error.h>
#include <emgnn/space/mixture.h>

namespace emgnn {
namespace {

constexpr int32_t kNodes = 19;
constexpr int64_t kClasses = 3;

class ReliableTest : public testing::TestWithParam<Normalisation> {
 protected:
  // S_λ from its definition, with the class probabilities of a network or without any.
  at::Tensor dense(const LambdaPoint& lam, bool believing) const {
    const EdgeTrust& trust = *views_->trust[0];
    const Csr& a = trust.adjacency();
    at::Tensor w = at::zeros({kNodes, kNodes}, at::kDouble);
    for (int32_t i = 0; i < kNodes; ++i) {
      for (const auto [e, j] : a.row(i)) {
        double same = 0.0;
        for (int64_t c = 0; c < kClasses; ++c) same += prob(i, c) * prob(j, c);
        const double odds = lam[3] + lam[4] * trust.score()[static_cast<size_t>(e)] +
                            (believing ? lam[5] * (2.0 * same - 1.0) : 0.0);
        w[i][j] = a.value(e) / (1.0 + std::exp(-odds));
      }
    }
    at::Tensor other = dense_matrix(views_->graph->relations[1].adjacency);
    const at::Tensor degree = other.sum(1).clamp_min(1e-300);
    other = GetParam() == Normalisation::kRow
                ? other / degree.unsqueeze(1)
                : other / (degree.unsqueeze(1) * degree.unsqueeze(0)).sqrt();
    other = other + at::diag(other.sum(1).eq(0.0).to(at::kDouble));
    return lam[0] * dense_propagation(w, GetParam()) + lam[1] * other +
           lam[2] * at::eye(kNodes, at::kDouble);
  }
  double prob(int32_t node, int64_t cls) const {
    return prob_[static_cast<size_t>(node * kClasses + cls)];
  }
  static std::vector<double> some_probabilities() {
    const at::Tensor p =
        at::softmax(random_tensor({kNodes, kClasses}, 3, -3, 3).to(at::kDouble), 1);
    return {p.data_ptr<double>(), p.data_ptr<double>() + p.numel()};
  }

  const std::shared_ptr<const Dataset> data_ = data_of(small_graph(kNodes, 1, 30, 8), 4);
  const std::shared_ptr<const ViewSet> views_ =
      std::make_shared<const ViewSet>(make_views(*data_, "reliable, knn:2"));
  const std::shared_ptr<const MixtureFamily> family_ = MixtureFamily::make(
      data_, {.normalisation = GetParam(), .mixing = Mixing::kShares, .step = 0.5}, views_);
  const std::vector<double> prob_ = some_probabilities();
  const std::shared_ptr<const Beliefs> beliefs_ = family_->beliefs(prob_, kClasses);
};

// Sums of fewer than 64 products of floats, some of which are results of a few roundings.
constexpr double kRounding = 128 * 0x1.0p-24;

TEST_P(ReliableTest, HasEveryShareWithEveryWayToTrustEdges) {
  EXPECT_EQ(family_->size(), 6 * 27);
  EXPECT_EQ(family_->num_shares(), 3U);
  EXPECT_EQ(
      family_->coordinate_names(),
      (std::vector<std::string>{"reliable", "knn:2", "none", "trust", "similarity", "agreement"}));
  std::map<LambdaPoint, int> count;
  for (int64_t id : family_->all_ids()) ++count[family_->point(id)];
  EXPECT_EQ(count.size(), 6U * 27U);
  for (size_t c = 0; c < 6; ++c) {
    Marginal want;
    for (int64_t id : family_->all_ids()) want[family_->point(id)[c]] += 1.0 / (6.0 * 27.0);
    const Marginal got = family_->prior_marginal(c);
    ASSERT_EQ(got.size(), want.size());
    for (const auto& [value, p] : want) EXPECT_NEAR(got.at(value), p, 1e-12);
  }
}

// The number of ways from a to b is that from b to a: each of the proposal's choices is counted.
TEST_P(ReliableTest, NeighboursAreSymmetric) {
  constexpr int kDraws = 4000;
  std::map<std::pair<int64_t, int64_t>, int> moves;
  for (const int64_t from : {int64_t{0}, int64_t{8}, int64_t{85}}) {
    Rng rng(1, Stream::kTest, static_cast<uint64_t>(from));
    std::map<int64_t, int> to;
    for (int k = 0; k < kDraws; ++k) ++to[family_->propose_local(from, rng)];
    for (const auto& [there, count] : to) {
      if (there == from) continue;
      Rng back(2, Stream::kTest, static_cast<uint64_t>(there));
      int returned = 0;
      for (int k = 0; k < kDraws; ++k) returned += family_->propose_local(there, back) == from;
      // Two counts of one probability p: their difference has a variance of at most 2 n p.
      EXPECT_LT(std::abs(count - returned), 5.0 * std::sqrt(2.0 * count)) << from << " " << there;
    }
  }
}

TEST_P(ReliableTest, IsTheSumOfTheViewsUnderEveryPoint) {
  const std::vector<int64_t> all = family_->all_ids();
  const auto view = family_->view(all_rows(kNodes), {});
  const auto count = static_cast<int64_t>(all.size());
  const at::Tensor h = random_tensor({kNodes, 5}, 1), own = random_tensor({count, kNodes, 5}, 2);
  for (const bool believing : {false, true}) {
    const GraphBatch batch =
        view->batch({.lam_ids = all, .beliefs = believing ? beliefs_.get() : nullptr});
    const at::Tensor shared = batch.hop(0).apply(h), each = batch.hop(0).apply(own);
    for (int64_t g = 0; g < count; ++g) {
      const at::Tensor s = dense(family_->point(g), believing);
      const auto off = [&](const at::Tensor& got, const at::Tensor& x) {
        const at::Tensor size = s.abs().matmul(x.to(at::kDouble).abs());
        return ((got.to(at::kDouble) - s.matmul(x.to(at::kDouble))).abs() - kRounding * size)
            .max()
            .item<double>();
      };
      EXPECT_LE(off(shared[g], h), 0.0) << g;
      EXPECT_LE(off(each[g], own[g]), 0.0) << g;
    }
  }
}

TEST_P(ReliableTest, KnowsWhichPointsHaveTheSameGraph) {
  const at::Tensor h = random_tensor({kNodes, 5}, 1);
  const std::vector<int64_t> all = family_->all_ids();
  const at::Tensor out = family_->view(all_rows(kNodes), {})
                             ->batch({.lam_ids = all, .beliefs = beliefs_.get()})
                             .hop(0)
                             .apply(h);
  std::set<int64_t> distinct;
  for (int64_t id : all) {
    const int64_t first = family_->same_graph(id);
    distinct.insert(first);
    EXPECT_LE(first, id);
    EXPECT_TRUE(out[first].equal(out[id]));
  }
  EXPECT_EQ(distinct.size(), 3U + 3U * 27U);  // without a share of the edges in doubt, and with one
}

TEST_P(ReliableTest, GradientsAreThoseOfTheProduct) {
  const std::vector<int64_t> lams = {3, 40, 100, 161};
  const GraphBatch batch =
      family_->view(all_rows(kNodes), {})->batch({.lam_ids = lams, .beliefs = beliefs_.get()});
  const auto apply = [&](const at::Tensor& h) { return batch.hop(0).apply(h); };
  expect_gradient_matches(apply, random_tensor({kNodes, 2}, 4), 0.5, 1e-4);
  expect_gradient_matches(apply, random_tensor({4, kNodes, 2}, 5), 0.5, 1e-4);
}

TEST_P(ReliableTest, PrunedRowsEqualTheFullComputation) {
  const std::vector<int64_t> lams = {3, 40, 100, 161};
  const std::vector<int32_t> rows = {17, 2, 9};
  const GraphBatch full = family_->view(all_rows(kNodes), {.num_hops = 2})
                              ->batch({.lam_ids = lams, .beliefs = beliefs_.get()});
  const GraphBatch pruned =
      family_->view(rows, {.num_hops = 2})->batch({.lam_ids = lams, .beliefs = beliefs_.get()});
  const at::Tensor nodes = at::tensor(pruned.hop(0).input_nodes());
  const at::Tensor h = random_tensor({kNodes, 6}, 7);
  const at::Tensor want = full.hop(1).apply(full.hop(0).apply(h));
  const at::Tensor got = pruned.hop(1).apply(pruned.hop(0).apply(h.index_select(0, nodes)));
  EXPECT_TRUE(got.equal(want.index_select(1, at::tensor(rows))));
}

// The mean over the graphs and the networks of an edge's weight.
TEST_P(ReliableTest, TableOfEdgesHasTheProbabilityThatTheyAreReal) {
  const FamilyReport report =
      family_->report({.lam_ids = {0, 161}, .log_prob = {std::log(0.25), std::log(0.75)}},
                      {beliefs_, nullptr}, [](int32_t node) { return "n" + std::to_string(node); });
  const std::vector<FamilyTable>& tables = report.tables;
  ASSERT_EQ(tables.size(), 1U);
  EXPECT_EQ(tables[0].file, "edges.csv");
  std::istringstream lines(tables[0].csv);
  std::string line;
  std::getline(lines, line);
  EXPECT_EQ(line, "source,target,view,score,p");
  const EdgeTrust& trust = *views_->trust[0];
  const std::vector<float> agreement = trust.agreement(prob_, kClasses);
  for (int32_t i = 0; i < kNodes; ++i) {
    for (const auto [e, j] : trust.adjacency().row(i)) {
      if (j < i) continue;
      ASSERT_TRUE(std::getline(lines, line));
      const double score = trust.score()[static_cast<size_t>(e)];
      const auto sigma = [](double odds) { return 1.0 / (1.0 + std::exp(-odds)); };
      const double last = 2.0 * score, same = 4.0 * agreement[static_cast<size_t>(e)];
      const double p = 0.25 * sigma(5.0) + 0.75 * 0.5 * (sigma(last) + sigma(last + same));
      std::istringstream fields(line);
      std::string source, target, name, scored, real;
      std::getline(fields, source, ',');
      std::getline(fields, target, ',');
      std::getline(fields, name, ',');
      std::getline(fields, scored, ',');
      std::getline(fields, real, ',');
      EXPECT_EQ(source, "n" + std::to_string(i));
      EXPECT_EQ(target, "n" + std::to_string(j));
      EXPECT_EQ(name, "reliable");
      EXPECT_NEAR(std::stod(scored), score, 1e-5 * std::abs(score));
      EXPECT_NEAR(std::stod(real), p, 1e-5);
    }
  }
  EXPECT_FALSE(std::getline(lines, line));
}

INSTANTIATE_TEST_SUITE_P(All, ReliableTest,
                         testing::Values(Normalisation::kRow, Normalisation::kSymmetric),
                         [](const auto& info) {
                           return info.param == Normalisation::kRow ? "Row" : "Symmetric";
                         });

TEST(Reliable, NeedsShares) {
  const auto data = data_of(small_graph(kNodes, 1, 30, 8), 4);
  const auto views = std::make_shared<const ViewSet>(make_views(*data, "reliable"));
  EXPECT_THROW(MixtureFamily::make(data, {.mixing = Mixing::kDegree}, views), UsageError);
}

TEST(Reliable, NamesAreUniqueAndAConfidenceIsOfEdgesInDoubt) {
  TypedGraph graph = small_graph(kNodes, 2, 30, 8);
  graph.relations[1].name = "trust";
  const auto data = data_of(std::move(graph), 4);
  const auto make = [&](const std::string& list, Confidence confidence) {
    MixtureFamily::make(data, {.views = list, .mixing = Mixing::kShares, .confidence = confidence},
                        std::make_shared<const ViewSet>(make_views(*data, list)));
  };
  EXPECT_NO_THROW(make("given", Confidence::kNone));
  EXPECT_NO_THROW(make("reliable", Confidence::kNone));
  EXPECT_THROW(make("given, reliable", Confidence::kNone), UsageError);
  EXPECT_THROW(make("given", Confidence::kWeight), UsageError);
}

// Every edge as good as certain, and no share of any other view: D⁻¹ (A + I).
TEST(Reliable, StartsFromTheGraphAsGiven) {
  const auto data = data_of(small_graph(kNodes, 1, 30, 8), 4);
  const auto views = std::make_shared<const ViewSet>(make_views(*data, "reliable"));
  const auto family = MixtureFamily::make(data, {.mixing = Mixing::kShares, .step = 1.0}, views);
  const auto given = MixtureFamily::observed_only(data, {});
  const std::vector<int64_t> sure = {1};  // (reliable, none) = (1, 0)
  ASSERT_EQ(family->point(1), (LambdaPoint{1.0, 0.0, 5.0, 0.0, 0.0}));
  const at::Tensor h = random_tensor({kNodes, 3}, 1);
  const at::Tensor got =
      family->view(all_rows(kNodes), {})->batch({.lam_ids = sure}).hop(0).apply(h)[0];
  const at::Tensor want = given->view(all_rows(kNodes), {})->batch({}).hop(0).apply(h)[0];
  // σ(5) = 1 − 0.0067
  EXPECT_LT((got - want).abs().max().item<double>(), 0.0067);
}

}  // namespace
}  // namespace emgnn
