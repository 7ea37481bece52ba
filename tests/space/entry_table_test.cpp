// SPDX-License-Identifier: Apache-2.0
#include <emgnn/space/entry_table.h>

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "random_molecules.h"

#include <emgnn/base/error.h>
#include <emgnn/space/molecule_family.h>
#include <emgnn/space/molecule_graphs.h>

namespace emgnn {
namespace {

TEST(DistanceBins, AreQuartersThenHalvesThenWhole) {
  const std::vector<std::pair<double, int32_t>> cases = {
      {0.0, 0},    {0.24, 0},  {0.25, 1},   {1.49, 5},   {1.5, 6},  {2.99, 11},
      {3.0, 12},   {3.49, 12}, {3.5, 13},   {5.99, 17},  {6.0, 18}, {6.99, 18},
      {11.99, 23}, {12.0, 24}, {12.99, 24}, {1000.0, 24}};
  for (const auto& [distance, bin] : cases) EXPECT_EQ(distance_bin(distance), bin) << distance;
}

TEST(DistanceBins, HaveTheirCentresInside) {
  for (int32_t bin = 0; bin < kNumDistanceBins; ++bin) {
    EXPECT_EQ(distance_bin(bin_centre(bin)), bin);
    if (bin > 0) {
      EXPECT_GT(bin_centre(bin), bin_centre(bin - 1));
    }
  }
  EXPECT_EQ(bin_centre(0), 0.125);
  EXPECT_EQ(bin_centre(12), 3.25);
  EXPECT_EQ(bin_centre(23), 11.5);
  EXPECT_EQ(bin_centre(24), 12.5);
}

// Molecules of four bonds, of which the first and the third are alike.
Molecules some_molecules() {
  Molecules molecules = random_molecules(3, 1, 2);
  for (size_t k = 0; k < kNumBondFeatures; ++k)
    molecules.bond_features[2 * kNumBondFeatures + k] = molecules.bond_features[k];
  return molecules;
}

TEST(EntryTable, HasARowForEachBondThatDiffers) {
  const Molecules molecules = some_molecules();
  const EntryTable table(molecules, false);
  ASSERT_EQ(table.rows().sizes(),
            (std::vector<int64_t>{molecules.num_bonds() + 1, kNumEntryFeatures}));
  EXPECT_EQ(table.kind(0, 3), table.kind(2, 7));  // distances do not count
  EXPECT_NE(table.kind(0, 0), table.kind(1, 0));
  EXPECT_TRUE(table.rows()[table.kind(-1, 4)].eq(0.0).all().item<bool>());
  EXPECT_EQ(table.rows()[table.self_loop()].sum().item<float>(), 1.0F);
  EXPECT_EQ(table.rows()[table.self_loop()][kNumBondFeatures].item<float>(), 1.0F);
}

TEST(EntryTable, TellsBondsAndDistancesApart) {
  const Molecules molecules = some_molecules();
  const EntryTable table(molecules, true);
  const at::Tensor bonds = at::tensor(molecules.bond_features).view({-1, kNumBondFeatures});
  std::set<int32_t> kinds = {table.self_loop()};
  for (int32_t bond = -1; bond < molecules.num_bonds(); ++bond) {
    for (int32_t bin = 0; bin < kNumDistanceBins; ++bin) {
      const int32_t kind = table.kind(bond, bin);
      kinds.insert(kind);
      at::Tensor want = at::zeros({kNumEntryFeatures + kNumRadial}, at::kDouble);
      if (bond >= 0) want.narrow(0, 0, kNumBondFeatures).copy_(bonds[bond]);
      for (int64_t k = 0; k < kNumRadial; ++k) {
        const double off = bin_centre(bin) - 0.5 * static_cast<double>(k + 1);
        want[kNumEntryFeatures + k] = std::exp(-off * off / (2.0 * 0.5 * 0.5));
      }
      EXPECT_TRUE(table.rows()[kind].equal(want.to(at::kFloat))) << bond << ", " << bin;
    }
  }
  EXPECT_EQ(static_cast<int64_t>(kinds.size()), table.rows().size(0));
  EXPECT_EQ(table.rows()[table.self_loop()].sum().item<float>(), 1.0F);
  EXPECT_EQ(table.kind(0, 6), table.kind(2, 6));
  std::set<std::vector<float>> rows;
  for (const at::Tensor& row : table.rows().unbind(0))
    rows.emplace(row.data_ptr<float>(), row.data_ptr<float>() + row.numel());
  EXPECT_EQ(rows.size(), kinds.size());
}

TEST(MoleculeGraphs, KnowTheBinsOfTheirPairs) {
  const Molecules molecules = random_molecules(4, 2, 3);
  const RadiusGrid grid({.last_radius = 8.0, .radius_step = 0.5});
  const auto graphs = MoleculeGraphs::by_distance(molecules, grid, SelfLoops::kNone);
  const auto bonds = MoleculeGraphs::by_bonds(molecules, SelfLoops::kNone);
  int64_t seen = 0;
  for (int64_t c = 0; c < 2; ++c) {
    for (int64_t m = 0; m < 4; ++m) {
      for (int32_t a = 0; a < molecules.num_atoms(m); ++a) {
        for (const MoleculeGraphs* one : {&graphs, &bonds}) {
          if (c >= one->num_conformers()) continue;
          const MoleculeGraphs::List list =
              one->list(c, molecules.atom_begin[static_cast<size_t>(m)] + a);
          for (auto e = static_cast<size_t>(list.begin); e < static_cast<size_t>(list.end); ++e) {
            const double d = atom_distance(molecules.coordinates_of(m, c), a, one->neighbours()[e]);
            EXPECT_EQ(one->bins()[e], distance_bin(d));
            ++seen;
          }
        }
      }
    }
  }
  EXPECT_GT(seen, 20);
}

TEST(MoleculeFamily, RefusesDistancesWithoutCoordinates) {
  const auto molecules = std::make_shared<const Molecules>(random_molecules(4, 0, 3));
  EXPECT_THROW(MoleculeFamily::bonds_only(molecules, {.edge_distances = true}), UsageError);
  EXPECT_NO_THROW(MoleculeFamily::bonds_only(molecules, {}));
}

}  // namespace
}  // namespace emgnn
