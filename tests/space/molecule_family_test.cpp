// SPDX-License-Identifier: Apache-2.0
#include <emgnn/space/molecule_family.h>

#include <gtest/gtest.h>

#include <set>

#include "../models/gradient_check.h"
#include "random_molecules.h"

#include <emgnn/base/error.h>

namespace emgnn {
namespace {

constexpr int64_t kWidth = 5;

DistanceOptions options_of(Aggregation aggregation, bool self_loops) {
  return {.bonds = {.aggregation = aggregation, .self_loops = self_loops},
          .last_radius = 5.0,
          .radius_step = 0.25};
}

std::shared_ptr<const Molecules> some_molecules(int64_t count, int64_t conformers, uint64_t seed) {
  return std::make_shared<const Molecules>(random_molecules(count, conformers, seed));
}

class MoleculeFamilyTest
    : public testing::TestWithParam<std::tuple<Aggregation, bool /* self loops */>> {
 protected:
  // Three molecules, one of a single atom, under several graphs of both conformers each.
  std::vector<MoleculeItem> items() const {
    std::vector<MoleculeItem> items;
    for (int64_t m : {0, 1, 3}) {
      for (int64_t c : {0, 1})
        for (int64_t k : {0, 2, 5, 9, 16}) items.push_back(family_->item(m, k, c));
    }
    return items;
  }

  at::Tensor propagation_of(const MoleculeItem& item) const {
    const double radius = item.level < 0 ? 0.0 : family_->point(item.level)[0];
    return molecule_propagation(
        distance_adjacency(*molecules_, item.molecule, item.conformer, radius), options_.bonds);
  }

  // h₀ + S h₁ of one item.
  at::Tensor filtered(const MoleculeItem& item, const at::Tensor& h) const {
    return h.narrow(1, 0, kWidth) + propagation_of(item).matmul(h.narrow(1, kWidth, kWidth));
  }

  const std::shared_ptr<const Molecules> molecules_ = some_molecules(5, 2, 7);
  const DistanceOptions options_ = options_of(std::get<0>(GetParam()), std::get<1>(GetParam()));
  const std::shared_ptr<const MoleculeFamily> family_ =
      MoleculeFamily::by_distance(molecules_, options_);
};

// A linear network of three hops, W from the features to a width and V from there on.
TEST_P(MoleculeFamilyTest, BatchOfManyGraphsEqualsDenseMatricesOneByOne) {
  const at::Tensor w = random_tensor({kNumAtomFeatures, 2 * kWidth}, 1);
  const at::Tensor v = random_tensor({kWidth, 2 * kWidth}, 2);
  const std::vector<MoleculeItem> all = items();
  for (const bool share : {false, true}) {
    const GraphBatch batch = family_->batch(all, {3, share});
    ASSERT_EQ(batch.items->num_segments(), static_cast<int64_t>(all.size()));
    at::Tensor h = batch.hop(0).self_plus_apply(batch.input->dense.matmul(w));
    const at::Tensor one = h;
    h = batch.hop(1).self_plus_apply(h.matmul(v)) + batch.hop(1).self(one);
    h = batch.items->sum(batch.hop(2).self_plus_apply(h.matmul(v)));
    for (size_t i = 0; i < all.size(); ++i) {
      const auto features = molecules_->features_of(all[i].molecule);
      const at::Tensor x = at::from_blob(const_cast<float*>(features.data()),
                                         {molecules_->num_atoms(all[i].molecule), kNumAtomFeatures})
                               .to(at::kDouble);
      const at::Tensor vd = v.to(at::kDouble);
      at::Tensor d = filtered(all[i], x.matmul(w.to(at::kDouble)));
      d = filtered(all[i], d.matmul(vd)) + d;
      d = filtered(all[i], d.matmul(vd)).sum(0);
      EXPECT_TRUE(at::allclose(h[static_cast<int64_t>(i)], d.to(at::kFloat), 1e-4, 1e-3))
          << "item " << i << " shared " << share;
    }
  }
}

// apply() sums over a matrix and self_plus_apply() over lists, in other orders.
TEST_P(MoleculeFamilyTest, ApplyIsThePartOfTheNeighbours) {
  for (const bool share : {false, true}) {
    const GraphBatch batch = family_->batch(items(), {3, share});
    for (int number : {0, 1, 2}) {
      const Propagation& hop = batch.hop(number);
      const at::Tensor h = random_tensor({hop.num_inputs(), kWidth}, 8);
      const at::Tensor want = hop.self_plus_apply(at::cat({at::zeros_like(h), h}, 1));
      EXPECT_TRUE(at::allclose(hop.apply(h), want, 1e-5, 1e-6));
      EXPECT_THROW(hop.apply(h.unsqueeze(0)), UsageError);
    }
  }
}

TEST_P(MoleculeFamilyTest, DiagonalIsTheWeightOfARowsOwnInput) {
  const GraphBatch batch = family_->batch(items(), {1, false});
  const at::Tensor got = batch.hop(0).diagonal().view({-1});
  std::vector<at::Tensor> want;
  for (const MoleculeItem& item : items()) want.push_back(propagation_of(item).diagonal());
  EXPECT_TRUE(at::allclose(got, at::cat(want).to(at::kFloat), 1e-6, 0));
}

TEST_P(MoleculeFamilyTest, SharedRowsGiveTheSameBits) {
  const at::Tensor w = random_tensor({kNumAtomFeatures, 2 * kWidth}, 1);
  const at::Tensor v = random_tensor({kWidth, 2 * kWidth}, 2);
  for (int hops : {1, 2}) {
    std::vector<at::Tensor> results;
    for (const bool share : {false, true}) {
      const GraphBatch batch = family_->batch(items(), {hops, share});
      at::Tensor h = batch.hop(0).self_plus_apply(batch.input->dense.matmul(w));
      if (hops == 2) h = batch.hop(1).self_plus_apply(h.matmul(v));
      results.push_back(batch.items->sum(h));
    }
    EXPECT_TRUE(results[0].equal(results[1])) << hops;
  }
}

TEST_P(MoleculeFamilyTest, GradientsMatchFiniteDifferences) {
  for (const bool share : {false, true}) {
    const GraphBatch batch = family_->batch(items(), {3, share});
    for (int number : {0, 1, 2}) {
      const Propagation& hop = batch.hop(number);
      const at::Tensor in = random_tensor({hop.num_inputs(), 2}, 4);
      expect_gradient_matches([&](const at::Tensor& h) { return hop.self_plus_apply(h); }, in, 0.5,
                              1e-3);
      expect_gradient_matches([&](const at::Tensor& h) { return 1.0 * hop.self(h); }, in, 0.5,
                              1e-3);
      expect_gradient_matches([&](const at::Tensor& h) { return hop.apply(h); }, in, 0.5, 1e-3);
    }
  }
}

TEST_P(MoleculeFamilyTest, ObservedGraphsAreTheBonds) {
  const std::vector<int32_t> some = {4, 1, 2};
  const GraphBatch batch = family_->view(some, {})->batch({});
  const at::Tensor h = random_tensor({batch.input->num_rows(), 2 * kWidth}, 5);
  const at::Tensor got = batch.hop(0).self_plus_apply(h);
  int64_t row = 0;
  for (int32_t m : some) {
    const int64_t n = molecules_->num_atoms(m);
    const at::Tensor in = h.narrow(0, row, n).to(at::kDouble);
    const at::Tensor expected = in.narrow(1, 0, kWidth) +
                                molecule_propagation(bond_adjacency(*molecules_, m), options_.bonds)
                                    .matmul(in.narrow(1, kWidth, kWidth));
    EXPECT_TRUE(at::allclose(got.narrow(0, row, n), expected.to(at::kFloat), 1e-5, 1e-5));
    row += n;
  }
}

INSTANTIATE_TEST_SUITE_P(Propagations, MoleculeFamilyTest,
                         testing::Combine(testing::Values(Aggregation::kMean, Aggregation::kSum,
                                                          Aggregation::kRoot,
                                                          Aggregation::kSymmetric),
                                          testing::Bool()));

TEST(MoleculeFamily, SharesRowsOnlyWhereTheAtomHasTheSameNeighbours) {
  const auto molecules = some_molecules(1, 1, 10);
  const auto family = MoleculeFamily::by_distance(molecules, options_of(Aggregation::kMean, false));
  std::vector<MoleculeItem> items;
  size_t rows = 0;
  std::set<std::pair<int32_t, double>> different;
  for (int64_t id : family->all_ids()) {
    const MoleculeItem item = family->item(0, id, 0);
    if (!items.empty() && items.back().level == item.level) continue;
    items.push_back(item);
    rows += static_cast<size_t>(family->num_atoms(0));
    const at::Tensor degree = distance_adjacency(*molecules, 0, 0, family->point(id)[0]).sum(1);
    for (int32_t a = 0; a < family->num_atoms(0); ++a)
      different.emplace(a, degree[a].item<double>());
  }
  EXPECT_EQ(family->batch(items, {2, true}).hop(0).num_outputs(),
            static_cast<int64_t>(different.size()));
  EXPECT_EQ(family->batch(items, {2, false}).hop(0).num_outputs(), static_cast<int64_t>(rows));
  EXPECT_LT(different.size(), rows);
}

TEST(MoleculeFamily, TellsEachRowTheLambdaOfItsItemUnlessRowsAreShared) {
  const auto family = MoleculeFamily::by_distance(some_molecules(3, 1, 2), {});
  const MoleculeItem items[] = {family->item(2, 0, 0), family->item(0, 45, 0)};
  const at::Tensor got = family->batch(items, {2, false}).row_lambda;
  const at::Tensor want = at::cat(
      {at::full({family->num_atoms(2), 1}, -1.0), at::full({family->num_atoms(0), 1}, -0.5)});
  EXPECT_TRUE(got.equal(want));
  EXPECT_FALSE(family->batch(items, {2, true}).row_lambda.defined());
}

// Row i of the batch is molecule i under λ number i mod 2, in a conformer that the step draws.
TEST(MoleculeFamily, BatchesOfAViewCycleThroughTheLambdasAndDrawConformers) {
  const auto family = MoleculeFamily::by_distance(some_molecules(6, 3, 4), {});
  const std::vector<int32_t> rows = {5, 0, 2, 3};
  const auto view = family->view(rows, {.num_hops = 2});
  const int64_t lams[] = {60, 20};
  std::set<std::vector<int64_t>> seen;
  for (uint64_t step = 0; step < 60; ++step) {
    const GraphBatch batch = view->batch({.lam_ids = lams, .seed = 1, .step = step});
    const at::Tensor h = random_tensor({batch.input->num_rows(), 2}, 1);
    std::vector<int64_t> conformers;
    for (int64_t code = 0; code < 81; ++code) {
      const std::vector<int64_t> c = {code % 3, code / 3 % 3, code / 9 % 3, code / 27};
      std::vector<MoleculeItem> items;
      for (size_t i = 0; i < 4; ++i) items.push_back(family->item(rows[i], lams[i % 2], c[i]));
      const GraphBatch other = family->batch(items, {2, false});
      if (other.hop(0).apply(h).equal(batch.hop(0).apply(h)) &&
          other.row_lambda.equal(batch.row_lambda))
        conformers = c;
    }
    ASSERT_EQ(conformers.size(), 4U) << "step " << step;
    seen.insert(conformers);
  }
  EXPECT_GT(seen.size(), 20U);  // of 81, all equally likely, in 60 draws
}

TEST(MoleculeFamily, HasRadiiAsPointsAndMovesOneStep) {
  const auto family = MoleculeFamily::by_distance(some_molecules(2, 1, 1), {});
  EXPECT_EQ(family->size(), 181);
  EXPECT_EQ(family->point(13), LambdaPoint{1.65});
  EXPECT_EQ(family->coordinate_names(), std::vector<std::string>{"radius"});
  EXPECT_EQ(family->item(0, 0, 0).lambda, -1.0F);
  EXPECT_EQ(family->item(0, 90, 0).lambda, 0.0F);
  EXPECT_EQ(family->item(0, 180, 0).lambda, 1.0F);
  Rng rng(2, Stream::kTest);
  std::set<int64_t> from_inside, from_end;
  for (int i = 0; i < 50; ++i) {
    from_inside.insert(family->propose_local(7, rng));
    from_end.insert(family->propose_local(180, rng));
  }
  EXPECT_EQ(from_inside, (std::set<int64_t>{6, 8}));
  EXPECT_EQ(from_end, (std::set<int64_t>{179, 180}));
}

TEST(MoleculeFamily, OfBondsAloneHasOnePoint) {
  const auto family = MoleculeFamily::bonds_only(some_molecules(4, 0, 1), {});
  EXPECT_EQ(family->size(), 1);
  const std::vector<int32_t> some = {0, 1, 3};
  std::vector<MoleculeItem> items;
  for (int32_t m : some) items.push_back(family->item(m, 0, 0));
  const GraphBatch point = family->batch(items, {1, false}), bonds = family->observed(some, 1);
  const at::Tensor h = random_tensor({point.input->num_rows(), 6}, 1);
  EXPECT_TRUE(point.hop(0).self_plus_apply(h).equal(bonds.hop(0).self_plus_apply(h)));
  EXPECT_EQ(items[0].lambda, 0.0F);
}

TEST(MoleculeFamily, RefusesABatchWithoutMolecules) {
  const auto family = MoleculeFamily::bonds_only(some_molecules(4, 0, 1), {});
  EXPECT_THROW(family->batch({}, {1, false}), UsageError);
}

}  // namespace
}  // namespace emgnn
