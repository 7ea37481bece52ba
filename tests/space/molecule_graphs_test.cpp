// SPDX-License-Identifier: Apache-2.0
#include <emgnn/space/molecule_graphs.h>

#include <gtest/gtest.h>

#include <cmath>

#include "random_molecules.h"

#include <emgnn/base/error.h>

namespace emgnn {
namespace {

const RadiusGrid kGrid{DistanceOptions{.last_radius = 4.0, .radius_step = 0.1}};

at::Tensor adjacency_at(const MoleculeGraphs& graphs, int64_t molecule, int64_t conformer,
                        int32_t level) {
  const int32_t n = graphs.num_atoms(molecule);
  at::Tensor a = at::zeros({n, n}, at::kDouble);
  for (int32_t i = 0; i < n; ++i) {
    const auto list = graphs.list(conformer, graphs.first_atom(molecule) + i);
    for (auto e = static_cast<size_t>(list.begin); e < static_cast<size_t>(list.end); ++e)
      if (graphs.levels()[e] <= level) a[i][graphs.neighbours()[e]] += 1.0;
  }
  return a;
}

TEST(MoleculeGraphs, JoinTheAtomsOfEachConformerUpToTheRadius) {
  const Molecules molecules = random_molecules(8, 2, 1);
  const auto graphs = MoleculeGraphs::by_distance(molecules, kGrid, SelfLoops::kNone);
  EXPECT_EQ(graphs.num_conformers(), 2);
  for (int64_t m = 0; m < 8; ++m) {
    for (int64_t c = 0; c < 2; ++c) {
      for (int32_t k = 0; k < kGrid.size(); ++k) {
        const at::Tensor expected = distance_adjacency(molecules, m, c, kGrid.radius(k));
        EXPECT_TRUE(adjacency_at(graphs, m, c, k).equal(expected)) << m << " " << c << " " << k;
        // The level that stands for this graph has the same one, and a smaller one has not.
        const int32_t same = graphs.graph_of(m, c, k);
        EXPECT_TRUE(adjacency_at(graphs, m, c, same).equal(expected));
        if (same < 0) continue;
        EXPECT_FALSE(adjacency_at(graphs, m, c, same - 1).equal(expected));
      }
    }
  }
}

TEST(MoleculeGraphs, ListsGrowByLevelAndSelfLoopsComeFirst) {
  const Molecules molecules = random_molecules(8, 1, 2);
  const auto graphs = MoleculeGraphs::by_distance(molecules, kGrid, SelfLoops::kAll);
  for (int64_t m = 0; m < 8; ++m) {
    for (int32_t a = 0; a < graphs.num_atoms(m); ++a) {
      const auto list = graphs.list(0, graphs.first_atom(m) + a);
      const auto begin = static_cast<size_t>(list.begin);
      ASSERT_LT(list.begin, list.end);
      EXPECT_EQ(graphs.neighbours()[begin], a);
      EXPECT_EQ(graphs.levels()[begin], -1);
      for (size_t e = begin + 1; e + 1 < static_cast<size_t>(list.end); ++e)
        EXPECT_LE(graphs.levels()[e], graphs.levels()[e + 1]);
    }
  }
}

TEST(MoleculeGraphs, AreTheSameAfterARotation) {
  const Molecules molecules = random_molecules(12, 1, 3);
  Molecules turned = molecules;
  const double s = std::sin(0.7), c = std::cos(0.7), s2 = std::sin(1.9), c2 = std::cos(1.9);
  for (size_t i = 0; i < turned.coordinates.size(); i += 3) {
    float* p = turned.coordinates.data() + i;
    const double x = p[0] * c - p[1] * s, y = p[0] * s + p[1] * c, z = p[2];
    p[0] = static_cast<float>(x);
    p[1] = static_cast<float>(y * c2 - z * s2);
    p[2] = static_cast<float>(y * s2 + z * c2);
  }
  const auto before = MoleculeGraphs::by_distance(molecules, kGrid, SelfLoops::kNone);
  const auto after = MoleculeGraphs::by_distance(turned, kGrid, SelfLoops::kNone);
  EXPECT_EQ(before.neighbours(), after.neighbours());
  EXPECT_EQ(before.levels(), after.levels());
}

TEST(MoleculeGraphs, ByBondsAreTheBonds) {
  const Molecules molecules = random_molecules(6, 1, 4);
  const auto graphs = MoleculeGraphs::by_bonds(molecules, SelfLoops::kNone);
  for (int64_t m = 0; m < 6; ++m)
    EXPECT_TRUE(adjacency_at(graphs, m, 0, 0).equal(bond_adjacency(molecules, m)));
  EXPECT_EQ(graphs.graph_of(1, 0, 0), -1);  // a single atom never has an edge
}

// The table of bond features has one row per bond, counted over all molecules.
TEST(MoleculeGraphs, NameTheBondBesideEachNeighbour) {
  const Molecules molecules = random_molecules(6, 2, 6);
  const auto distance = MoleculeGraphs::by_distance(molecules, kGrid, SelfLoops::kAll);
  const auto bonds = MoleculeGraphs::by_bonds(molecules, SelfLoops::kAll);
  for (const MoleculeGraphs* graphs : {&distance, &bonds}) {
    int64_t named = 0;
    for (int64_t c = 0; c < graphs->num_conformers(); ++c) {
      for (int64_t m = 0; m < 6; ++m) {
        for (int32_t a = 0; a < graphs->num_atoms(m); ++a) {
          const auto list = graphs->list(c, graphs->first_atom(m) + a);
          for (auto e = static_cast<size_t>(list.begin); e < static_cast<size_t>(list.end); ++e) {
            EXPECT_EQ(graphs->bonds()[e], bond_between(molecules, m, a, graphs->neighbours()[e]));
            named += graphs->bonds()[e] >= 0 ? 1 : 0;
          }
        }
      }
    }
    EXPECT_GT(named, 10);
  }
}

TEST(MoleculeGraphs, ByDistanceNeedCoordinates) {
  const Molecules molecules = random_molecules(2, 0, 5);
  EXPECT_THROW(MoleculeGraphs::by_distance(molecules, kGrid, SelfLoops::kNone), UsageError);
}

}  // namespace
}  // namespace emgnn
