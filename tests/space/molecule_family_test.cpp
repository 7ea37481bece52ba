// SPDX-License-Identifier: Apache-2.0
#include <emgnn/space/molecule_family.h>

#include <gtest/gtest.h>

#include <set>

#include "../models/gradient_check.h"
#include "random_molecules.h"

#include <emgnn/base/error.h>
#include <emgnn/base/threads.h>

namespace emgnn {
namespace {

constexpr int64_t kWidth = 5;

SpaceOptions options_of(Aggregation aggregation, bool self_loops) {
  return {.last_radius = 5.0,
          .radius_step = 0.25,
          .aggregation = aggregation,
          .self_loops = self_loops};
}

class MoleculeFamilyTest
    : public testing::TestWithParam<std::tuple<Aggregation, bool /* self loops */>> {
 protected:
  MoleculeFamilyTest()
      : options_(options_of(std::get<0>(GetParam()), std::get<1>(GetParam()))),
        family_(molecules_, options_) {}

  // Three molecules, one of a single atom, under several graphs of both conformers each.
  std::vector<MoleculeItem> items() const {
    std::vector<MoleculeItem> items;
    for (int64_t m : {0, 1, 3}) {
      for (int64_t c : {0, 1})
        for (int64_t k : {0, 2, 5, 9, 16}) items.push_back(family_.item(m, k, c));
    }
    return items;
  }

  at::Tensor shift_of(const MoleculeItem& item) const {
    const double radius = item.level < 0 ? 0.0 : family_.point(item.level)[0];
    return molecule_shift(distance_adjacency(molecules_, item.molecule, item.conformer, radius),
                          options_);
  }

  // own(h₀) + S h₁ of one item.
  at::Tensor filtered(const MoleculeItem& item, const at::Tensor& h) const {
    return h.narrow(1, 0, kWidth) + shift_of(item).matmul(h.narrow(1, kWidth, kWidth));
  }

  const Molecules molecules_ = random_molecules(5, 2, 7);
  const SpaceOptions options_;
  const MoleculeFamily family_;
};

// A linear network of three hops, W from the features to a width and V from there on.
TEST_P(MoleculeFamilyTest, BatchOfManyGraphsEqualsDenseMatricesOneByOne) {
  const at::Tensor w = random_tensor({kNumAtomFeatures, 2 * kWidth}, 1);
  const at::Tensor v = random_tensor({kWidth, 2 * kWidth}, 2);
  const std::vector<MoleculeItem> all = items();
  for (const bool share : {false, true}) {
    const MoleculeBatch batch = family_.batch(all, 3, share);
    ASSERT_EQ(batch.num_items(), static_cast<int64_t>(all.size()));
    at::Tensor h = batch.filter(batch.atoms().matmul(w), 0);
    const at::Tensor one = h;
    h = batch.filter(h.matmul(v), 1) + batch.own(one, 1);
    h = batch.segments().sum(batch.filter(h.matmul(v), 2));
    for (size_t i = 0; i < all.size(); ++i) {
      const auto features = molecules_.features_of(all[i].molecule);
      const at::Tensor x = at::from_blob(const_cast<float*>(features.data()),
                                         {molecules_.num_atoms(all[i].molecule), kNumAtomFeatures})
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

TEST_P(MoleculeFamilyTest, SharedRowsGiveTheSameBits) {
  const at::Tensor w = random_tensor({kNumAtomFeatures, 2 * kWidth}, 1);
  const at::Tensor v = random_tensor({kWidth, 2 * kWidth}, 2);
  for (int hops : {1, 2}) {
    std::vector<at::Tensor> results;
    for (const bool share : {false, true}) {
      const MoleculeBatch batch = family_.batch(items(), hops, share);
      at::Tensor h = batch.filter(batch.atoms().matmul(w), 0);
      if (hops == 2) h = batch.filter(h.matmul(v), 1);
      results.push_back(batch.segments().sum(h));
    }
    EXPECT_TRUE(results[0].equal(results[1])) << hops;
  }
}

TEST_P(MoleculeFamilyTest, GradientsMatchFiniteDifferences) {
  for (const bool share : {false, true}) {
    const MoleculeBatch batch = family_.batch(items(), 3, share);
    const at::Tensor atoms = random_tensor({batch.atoms().size(0), 2 * kWidth}, 3);
    at::Tensor rows = batch.filter(atoms, 0);
    for (int hop : {0, 1, 2}) {
      const at::Tensor in = random_tensor(
          {hop == 0 ? atoms.size(0) : (hop == 1 ? rows : batch.own(rows, 1)).size(0), 2}, 4);
      expect_gradient_matches([&](const at::Tensor& h) { return batch.filter(h, hop); }, in, 0.5,
                              1e-3);
      expect_gradient_matches([&](const at::Tensor& h) { return 1.0 * batch.own(h, hop); }, in, 0.5,
                              1e-3);
    }
  }
}

TEST_P(MoleculeFamilyTest, ObservedGraphsAreTheBonds) {
  const std::vector<int32_t> some = {4, 1, 2};
  const MoleculeBatch batch = family_.observed(some, 1);
  const at::Tensor h = random_tensor({batch.atoms().size(0), 2 * kWidth}, 5);
  const at::Tensor got = batch.filter(h, 0);
  int64_t row = 0;
  for (int32_t m : some) {
    const int64_t n = molecules_.num_atoms(m);
    const at::Tensor in = h.narrow(0, row, n).to(at::kDouble);
    const at::Tensor expected =
        in.narrow(1, 0, kWidth) + molecule_shift(bond_adjacency(molecules_, m), options_)
                                      .matmul(in.narrow(1, kWidth, kWidth));
    EXPECT_TRUE(at::allclose(got.narrow(0, row, n), expected.to(at::kFloat), 1e-5, 1e-5));
    row += n;
  }
}

INSTANTIATE_TEST_SUITE_P(Shifts, MoleculeFamilyTest,
                         testing::Combine(testing::Values(Aggregation::kMean, Aggregation::kSum,
                                                          Aggregation::kRoot,
                                                          Aggregation::kSymmetric),
                                          testing::Bool()));

TEST(MoleculeFamily, SharesRowsOnlyWhereTheAtomHasTheSameNeighbours) {
  const Molecules molecules = random_molecules(1, 1, 10);
  const MoleculeFamily family(molecules, options_of(Aggregation::kMean, false));
  std::vector<MoleculeItem> items;
  size_t rows = 0;
  std::set<std::pair<int32_t, double>> different;
  for (int64_t id : family.all_ids()) {
    const MoleculeItem item = family.item(0, id, 0);
    if (!items.empty() && items.back().level == item.level) continue;
    items.push_back(item);
    rows += static_cast<size_t>(family.num_atoms(0));
    const at::Tensor degree = distance_adjacency(molecules, 0, 0, family.point(id)[0]).sum(1);
    for (int32_t a = 0; a < family.num_atoms(0); ++a)
      different.emplace(a, degree[a].item<double>());
  }
  const at::Tensor h = at::zeros({family.num_atoms(0), 2});
  EXPECT_EQ(family.batch(items, 2, true).filter(h, 0).size(0),
            static_cast<int64_t>(different.size()));
  EXPECT_EQ(family.batch(items, 2, false).filter(h, 0).size(0), static_cast<int64_t>(rows));
  EXPECT_LT(different.size(), rows);
}

TEST(MoleculeFamily, HasRadiiAsPointsAndMovesOneStep) {
  const Molecules molecules = random_molecules(2, 1, 1);
  const MoleculeFamily family(molecules, SpaceOptions{});
  EXPECT_EQ(family.size(), 181);
  EXPECT_EQ(family.point(13), LambdaPoint{1.65});
  EXPECT_EQ(family.coordinate_names(), std::vector<std::string>{"radius"});
  EXPECT_EQ(family.item(0, 0, 0).lambda, -1.0F);
  EXPECT_EQ(family.item(0, 90, 0).lambda, 0.0F);
  EXPECT_EQ(family.item(0, 180, 0).lambda, 1.0F);
  Rng rng(2, Stream::kTest);
  std::set<int64_t> from_inside, from_end;
  for (int i = 0; i < 50; ++i) {
    from_inside.insert(family.propose_local(7, rng));
    from_end.insert(family.propose_local(180, rng));
  }
  EXPECT_EQ(from_inside, (std::set<int64_t>{6, 8}));
  EXPECT_EQ(from_end, (std::set<int64_t>{179, 180}));
}

TEST(MoleculeFamily, OfBondsAloneHasOnePoint) {
  const Molecules molecules = random_molecules(4, 0, 1);
  const auto family = MoleculeFamily::bonds_only(molecules, SpaceOptions{});
  EXPECT_EQ(family->size(), 1);
  const std::vector<int32_t> some = {0, 1, 3};
  std::vector<MoleculeItem> items;
  for (int32_t m : some) items.push_back(family->item(m, 0, 0));
  const MoleculeBatch point = family->batch(items, 1, false), bonds = family->observed(some, 1);
  const at::Tensor h = random_tensor({point.atoms().size(0), 6}, 1);
  EXPECT_TRUE(point.filter(h, 0).equal(bonds.filter(h, 0)));
  EXPECT_EQ(items[0].lambda, 0.0F);
}

}  // namespace
}  // namespace emgnn
