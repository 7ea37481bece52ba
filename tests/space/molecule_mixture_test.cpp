// SPDX-License-Identifier: Apache-2.0
#include <emgnn/space/molecule_mixture.h>

#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "../models/gradient_check.h"
#include "../models/permuted.h"
#include "random_molecules.h"

#include <emgnn/base/error.h>

namespace emgnn {
namespace {

constexpr int64_t kWidth = 5;
constexpr const char* kViews = "bonds, two-bonds, shell:1.5-3";

// Chains, some of which are closed to rings.
Molecules chains_and_rings(int64_t count, int64_t conformers, uint64_t seed) {
  Molecules out = random_molecules(count, conformers, seed);
  const Molecules chains = out;
  out.bond_atoms.clear();
  out.bond_begin = {0};
  for (int64_t m = 0; m < count; ++m) {
    const auto begin = 2 * chains.bond_begin[static_cast<size_t>(m)];
    const auto end = 2 * chains.bond_begin[static_cast<size_t>(m) + 1];
    out.bond_atoms.insert(out.bond_atoms.end(), chains.bond_atoms.begin() + begin,
                          chains.bond_atoms.begin() + end);
    const auto last = static_cast<int32_t>(chains.num_atoms(m)) - 1;
    if (last >= 2 && m % 2 == 0) out.bond_atoms.insert(out.bond_atoms.end(), {0, last});
    out.bond_begin.push_back(static_cast<int64_t>(out.bond_atoms.size()) / 2);
  }
  out.bond_features.resize(out.bond_atoms.size() / 2 * kNumBondFeatures);
  return out;
}

std::shared_ptr<const Molecules> some_molecules(int64_t conformers) {
  return std::make_shared<const Molecules>(chains_and_rings(7, conformers, 3));
}

// The views of kViews from their definitions, float64.
std::vector<at::Tensor> adjacencies(const Molecules& molecules, int64_t m, int64_t conformer) {
  const at::Tensor bonds = bond_adjacency(molecules, m);
  const at::Tensor apart = (1.0 - bonds) * (1.0 - at::eye(bonds.size(0), at::kDouble));
  return {bonds, bonds.matmul(bonds).gt(0.0).to(at::kDouble) * apart,
          (distance_adjacency(molecules, m, conformer, 3.0) -
           distance_adjacency(molecules, m, conformer, 1.5)) *
              apart};
}

// S_λ of kViews.
at::Tensor dense_mixture(const Molecules& molecules, int64_t m, int64_t conformer,
                         const LambdaPoint& lambda, const BondOptions& options) {
  const std::vector<at::Tensor> views = adjacencies(molecules, m, conformer);
  at::Tensor out = lambda.back() * at::eye(molecules.num_atoms(m), at::kDouble);
  for (size_t v = 0; v < views.size(); ++v)
    out = out + lambda[v] * molecule_propagation(views[v], options);
  return out;
}

class MoleculeMixtureTest
    : public testing::TestWithParam<std::tuple<Aggregation, bool /* self loops */>> {
 protected:
  struct Place {
    int64_t molecule, lam_id, conformer;
  };
  // Molecule 1 is a single atom. Corners, edges and the middle of the simplex.
  std::vector<Place> places() const {
    std::vector<Place> out;
    for (int64_t m : {0, 1, 2, 3, 6}) {
      for (int64_t c : {0, 1})
        for (int64_t k : {0, 4, 17, 22, 34}) out.push_back({m, k, c});
    }
    return out;
  }
  std::vector<MoleculeItem> items() const {
    std::vector<MoleculeItem> out;
    for (const Place& p : places()) out.push_back(family_->item(p.molecule, p.lam_id, p.conformer));
    return out;
  }
  at::Tensor propagation_of(const Place& p) const {
    return dense_mixture(*molecules_, p.molecule, p.conformer, family_->point(p.lam_id), bonds_);
  }
  at::Tensor filtered(const Place& p, const at::Tensor& h) const {
    return h.narrow(1, 0, kWidth) + propagation_of(p).matmul(h.narrow(1, kWidth, kWidth));
  }

  const std::shared_ptr<const Molecules> molecules_ = some_molecules(2);
  const BondOptions bonds_{.aggregation = std::get<0>(GetParam()),
                           .self_loops = std::get<1>(GetParam())};
  const std::shared_ptr<const MoleculeMixture> family_ = std::make_shared<const MoleculeMixture>(
      molecules_, AtomMixtureOptions{.bonds = bonds_, .views = kViews, .step = 0.25});
};

// A linear network of three hops. float32 sums of up to 74 products of size 1, three times.
TEST_P(MoleculeMixtureTest, BatchOfManyGraphsEqualsDenseMatricesOneByOne) {
  const at::Tensor w = random_tensor({kNumAtomFeatures, 2 * kWidth}, 1);
  const at::Tensor v = random_tensor({kWidth, 2 * kWidth}, 2);
  const std::vector<Place> all = places();
  const GraphBatch batch = family_->batch(items(), {3, true});
  ASSERT_EQ(batch.items->num_segments(), static_cast<int64_t>(all.size()));
  at::Tensor h = batch.hop(0).self_plus_apply(batch.input->dense.matmul(w));
  h = batch.hop(1).self_plus_apply(h.matmul(v)) + batch.hop(1).self(h);
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
    EXPECT_TRUE(at::allclose(h[static_cast<int64_t>(i)], d.to(at::kFloat), 1e-4, 1e-3)) << i;
  }
}

TEST_P(MoleculeMixtureTest, ApplyAndDiagonalAreThoseOfTheMixture) {
  const GraphBatch batch = family_->batch(items(), {2, false});
  std::vector<at::Tensor> diagonals;
  for (const Place& p : places()) diagonals.push_back(propagation_of(p).diagonal());
  for (int number : {0, 1}) {
    const Propagation& hop = batch.hop(number);
    const at::Tensor h = random_tensor({hop.num_inputs(), kWidth}, 8);
    const at::Tensor want = hop.self_plus_apply(at::cat({at::zeros_like(h), h}, 1));
    EXPECT_TRUE(at::allclose(hop.apply(h), want, 1e-5, 1e-6));
    EXPECT_TRUE(
        at::allclose(hop.diagonal().view({-1}), at::cat(diagonals).to(at::kFloat), 1e-6, 1e-7));
  }
}

// All three are linear: any half-width will do.
TEST_P(MoleculeMixtureTest, GradientsMatchFiniteDifferences) {
  const GraphBatch batch = family_->batch(items(), {2, false});
  for (int number : {0, 1}) {
    const Propagation& hop = batch.hop(number);
    const at::Tensor in = random_tensor({hop.num_inputs(), 2}, 4);
    expect_gradient_matches([&](const at::Tensor& h) { return hop.self_plus_apply(h); }, in, 0.5,
                            1e-3);
    expect_gradient_matches([&](const at::Tensor& h) { return 1.0 * hop.self(h); }, in, 0.5, 1e-3);
    expect_gradient_matches([&](const at::Tensor& h) { return hop.apply(h); }, in, 0.5, 1e-3);
  }
}

TEST_P(MoleculeMixtureTest, OneViewWithAllTheWeightIsTheGraphOfThatView) {
  const auto corner = std::make_shared<const MoleculeMixture>(
      molecules_, AtomMixtureOptions{.bonds = bonds_, .views = "bonds", .step = 1.0});
  ASSERT_EQ(corner->size(), 2);
  ASSERT_EQ(corner->point(1), (LambdaPoint{1.0, 0.0}));
  const auto plain = MoleculeFamily::bonds_only(molecules_, bonds_);
  std::vector<MoleculeItem> ours, theirs;
  for (int64_t m = 0; m < molecules_->num_molecules(); ++m) {
    ours.push_back(corner->item(m, 1, 0));
    theirs.push_back(plain->item(m, 0, 0));
  }
  const GraphBatch a = corner->batch(ours, {3, false}), b = plain->batch(theirs, {3, false});
  EXPECT_TRUE(a.input->dense.equal(b.input->dense));
  const at::Tensor h = random_tensor({a.input->num_rows(), 2 * kWidth}, 5);
  for (int number : {0, 2}) {
    EXPECT_TRUE(at::allclose(a.hop(number).self_plus_apply(h), b.hop(number).self_plus_apply(h),
                             1e-6, 1e-6));
    const Edges &ours_edges = *a.hop(number).edges(), &theirs_edges = *b.hop(number).edges();
    EXPECT_EQ(ours_edges.pattern.col, theirs_edges.pattern.col);
    EXPECT_EQ(ours_edges.type, theirs_edges.type);
    EXPECT_EQ(ours_edges.feature, theirs_edges.feature);
  }
}

// As many graphs are run as there are different matrices.
TEST_P(MoleculeMixtureTest, EqualGraphsRunOnce) {
  std::vector<int32_t> rows;
  int64_t different = 0;
  for (int32_t m = 0; m < molecules_->num_molecules(); ++m) {
    rows.push_back(m);
    for (int64_t c : {0, 1}) {
      std::set<std::vector<int64_t>> seen;
      for (int64_t id : family_->all_ids()) {
        const at::Tensor s = propagation_of({m, id, c}).mul(1e6).round().to(at::kLong).contiguous();
        seen.emplace(s.data_ptr<int64_t>(), s.data_ptr<int64_t>() + s.numel());
      }
      different += static_cast<int64_t>(seen.size());
    }
  }
  int64_t run = 0;
  family_->view(rows, {})->evaluate(
      {.lam_ids = family_->all_ids()},
      [&](const GraphBatch& batch) {
        run += batch.items->num_segments();
        return batch.items->sum(batch.hop(0).apply(batch.input->dense));
      },
      [](size_t, const at::Tensor&) {}, {});
  EXPECT_EQ(run, different);
  EXPECT_LT(run, family_->size() * 2 * molecules_->num_molecules());
}

TEST_P(MoleculeMixtureTest, PermutingAtomsChangesNothing) {
  const auto turned = std::make_shared<const MoleculeMixture>(
      permuted_atoms(*molecules_, 1),
      AtomMixtureOptions{.bonds = bonds_, .views = kViews, .step = 0.25});
  const at::Tensor w = random_tensor({kNumAtomFeatures, 2 * kWidth}, 1);
  const at::Tensor v = random_tensor({kWidth, 2 * kWidth}, 2);
  const auto outputs = [&](const MoleculeMixture& family) {
    std::vector<MoleculeItem> items;
    for (const Place& p : places()) items.push_back(family.item(p.molecule, p.lam_id, p.conformer));
    const GraphBatch batch = family.batch(items, {2, false});
    const at::Tensor h = batch.hop(0).self_plus_apply(batch.input->dense.matmul(w)).tanh();
    return batch.items->sum(batch.hop(1).self_plus_apply(h.matmul(v)));
  };
  EXPECT_TRUE(at::allclose(outputs(*turned), outputs(*family_), 1e-4, 1e-4));
}

TEST_P(MoleculeMixtureTest, ObservedGraphsAreTheBonds) {
  const std::vector<int32_t> some = {4, 1, 2};
  const auto plain = MoleculeFamily::bonds_only(molecules_, bonds_);
  const GraphBatch a = family_->view(some, {})->batch({}), b = plain->view(some, {})->batch({});
  const at::Tensor h = random_tensor({a.input->num_rows(), 2 * kWidth}, 5);
  EXPECT_TRUE(a.hop(0).self_plus_apply(h).equal(b.hop(0).self_plus_apply(h)));
}

INSTANTIATE_TEST_SUITE_P(Propagations, MoleculeMixtureTest,
                         testing::Combine(testing::Values(Aggregation::kMean, Aggregation::kSum,
                                                          Aggregation::kRoot,
                                                          Aggregation::kSymmetric),
                                          testing::Bool()));

// Row i of the batch is molecule i under λ number i mod 2.
TEST(MoleculeMixture, BatchesOfAViewCycleThroughTheLambdas) {
  const auto family = std::make_shared<const MoleculeMixture>(
      some_molecules(1), AtomMixtureOptions{.bonds = {}, .views = kViews, .step = 0.25});
  const std::vector<int32_t> rows = {5, 0, 2};
  const int64_t lams[] = {30, 11};
  const GraphBatch got = family->view(rows, {.num_hops = 2})->batch({.lam_ids = lams});
  const MoleculeItem items[] = {family->item(5, 30, 0), family->item(0, 11, 0),
                                family->item(2, 30, 0)};
  const GraphBatch want = family->batch(items, {2, false});
  const at::Tensor h = random_tensor({got.input->num_rows(), 4}, 1);
  EXPECT_TRUE(got.hop(0).apply(h).equal(want.hop(0).apply(h)));
  EXPECT_EQ(got.hops.size(), 1U);  // every molecule once: its atoms are its rows
}

TEST(MoleculeMixture, HasSharesAsPointsAndMovesOneStep) {
  const MoleculeMixture family(some_molecules(1), {.bonds = {}, .views = kViews, .step = 0.5});
  EXPECT_EQ(family.size(), 10);  // 4 parts, 2 halves
  EXPECT_EQ(family.num_shares(), 4U);
  EXPECT_EQ(family.coordinate_names(),
            (std::vector<std::string>{"bonds", "two-bonds", "shell:1.5-3", "none"}));
  double total = 0.0;
  for (const auto& [value, p] : family.prior_marginal(0)) total += p;
  EXPECT_NEAR(total, 1.0, 1e-12);
  Rng rng(2, Stream::kTest);
  for (int i = 0; i < 50; ++i) {
    const LambdaPoint from = family.point(4), to = family.point(family.propose_local(4, rng));
    double moved = 0.0;
    for (size_t v = 0; v < 4; ++v) moved += std::abs(from[v] - to[v]);
    EXPECT_TRUE(moved == 0.0 || moved == 1.0);
  }
}

TEST(MoleculeMixture, RefusesWeightsThatDependOnLambda) {
  const auto family = std::make_shared<const MoleculeMixture>(
      some_molecules(1), AtomMixtureOptions{.bonds = {}, .views = "bonds", .step = 0.5});
  const std::vector<int32_t> rows = {0};
  EXPECT_THROW(family->view(rows, {.reads_lambda = true}), UsageError);
  EXPECT_THROW(family->batch({}, {1, false}), UsageError);
}

// a - b - c, with a and c 2.5 Å apart.
Molecules three_atoms(int64_t conformers) {
  Molecules out;
  out.num_conformers = conformers;
  out.atom_begin = {0, 3};
  out.bond_begin = {0, 2};
  out.bond_atoms = {0, 1, 1, 2};
  out.atom_features.resize(3 * kNumAtomFeatures);
  out.bond_features.resize(2 * kNumBondFeatures);
  if (conformers > 0) out.coordinates = {0, 0, 0, 1.5F, 0, 0, 1.5F, 2.0F, 0};
  return out;
}

std::vector<float> values_of(const MoleculeViews& views, int64_t a, int32_t b) {
  const MoleculeViews::Row row = views.row(0, a);
  for (int64_t e = row.begin; e < row.end; ++e) {
    if (views.neighbour(e) == b) return {views.values(e).begin(), views.values(e).end()};
  }
  return {};
}

TEST(MoleculeViews, OfThreeAtomsInARow) {
  const MoleculeViews views(three_atoms(1), "bonds, two-bonds, shell:1-2.5, shell:2.5-9",
                            {.aggregation = Aggregation::kMean});
  EXPECT_EQ(values_of(views, 0, 0), (std::vector<float>{0, 0, 0, 0, 1}));
  EXPECT_EQ(values_of(views, 0, 1), (std::vector<float>{1, 0, 0, 0, 0}));
  EXPECT_EQ(values_of(views, 1, 0), (std::vector<float>{0.5F, 0, 0, 0, 0}));
  // A shell holds its outer end, not its inner one.
  EXPECT_EQ(values_of(views, 0, 2), (std::vector<float>{0, 1, 1, 0, 0}));
  EXPECT_EQ(values_of(views, 2, 1), (std::vector<float>{1, 0, 0, 0, 0}));
  EXPECT_EQ(views.row(0, 1).end - views.row(0, 1).begin, 3);
  const std::vector<int32_t> same(views.same_as(0, 0).begin(), views.same_as(0, 0).end());
  EXPECT_EQ(same, (std::vector<int32_t>{0, 1, 1, 3, 4}));
}

TEST(MoleculeViews, NeedCoordinatesForShellsOnly) {
  EXPECT_EQ(MoleculeViews(three_atoms(0), "bonds, two-bonds", {}).num_conformers(), 1);
  EXPECT_THROW(MoleculeViews(three_atoms(0), "bonds, shell:2-4", {}), UsageError);
}

TEST(MoleculeViews, ABadListIsOneLineThatSaysWhatWasExpected) {
  const std::pair<const char*, const char*> cases[] = {
      {"", "unknown view \"\""},
      {"bonds,", "unknown view \"\""},
      {"knn:5", "unknown view \"knn:5\" of molecules; expected a list of bonds, two-bonds"},
      {"distances, bonds", "or distances alone"},
      {"bonds, two-bonds, bonds", "bonds is there twice"},
      {"shell:", "shell:: expected shell:A-B"},
      {"shell:2", "shell:2: expected shell:A-B"},
      {"shell:4-2", "A below B"},
      {"shell:2-2", "A below B"},
      {"shell:-1-2", "from 0 to 1000 angstrom"},
      {"shell:0-1001", "from 0 to 1000 angstrom"},
      {"shell:nan-4", "expected shell:A-B"},
      {"shell:2-4x", "expected shell:A-B"},
  };
  for (const auto& [list, message] : cases) {
    try {
      const MoleculeViews views(three_atoms(1), list, {});
      ADD_FAILURE() << list;
    } catch (const UsageError& error) {
      const std::string text = error.what();
      EXPECT_NE(text.find(message), std::string::npos) << text;
      EXPECT_EQ(text.find("space.views: "), 0U) << text;
      EXPECT_EQ(text.find('\n'), std::string::npos);
    }
  }
}

}  // namespace
}  // namespace emgnn
