// SPDX-License-Identifier: Apache-2.0
// The published molecule files: counts, targets and splits.
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <numeric>
#include <set>

#include <emgnn/data/load_molecules.h>
#include <emgnn/data/molecule_split.h>

#include "data/real_data.h"

namespace emgnn {
namespace {

MoleculeTable load(const std::string& name) {
  MoleculeRequest request{.name = name, .data_dir = testing::real_data_dir(), .use_cache = false};
  request.options.conformers.count = 0;
  return load_molecules(request);
}

struct RealCase {
  const char* name;
  int64_t molecules;
  double first_target, mean, std;
  int64_t bondless, largest;
  size_t groups;
  size_t parts[3];
  int64_t index_sums[3];
  std::vector<int32_t> first_test;
};

// Counted once with RDKit 2022.09.3 by another program.
const std::vector<RealCase>& real_cases() {
  static const std::vector<RealCase> cases = {{"freesolv",
                                               642,
                                               -11.01,
                                               -3.803,
                                               3.845,
                                               3,
                                               24,
                                               63,
                                               {513, 64, 65},
                                               {165310, 21519, 18932},
                                               {89, 151, 558}},
                                              {"esol",
                                               1128,
                                               -0.77,
                                               -3.050,
                                               2.096,
                                               1,
                                               55,
                                               269,
                                               {902, 113, 113},
                                               {513140, 85742, 36746},
                                               {650, 647, 644}},
                                              {"lipophilicity",
                                               4200,
                                               3.54,
                                               2.186,
                                               1.203,
                                               0,
                                               115,
                                               2408,
                                               {3360, 420, 420},
                                               {8009250, 609920, 198730},
                                               {963, 962, 961}}};
  return cases;
}

TEST(RealMolecules, HaveTheirCountsAndTargets) {
  EMGNN_NEEDS_REAL_DATA();
  for (const RealCase& c : real_cases()) {
    SCOPED_TRACE(c.name);
    const MoleculeTable table = load(c.name);
    EXPECT_EQ(table.num_molecules(), c.molecules);
    EXPECT_TRUE(table.rejects.empty());
    EXPECT_DOUBLE_EQ(table.labels.value.front(), c.first_target);
    double sum = 0, squares = 0;
    for (const double y : table.labels.value) sum += y, squares += y * y;
    const auto n = static_cast<double>(c.molecules);
    EXPECT_NEAR(sum / n, c.mean, 5e-4);
    EXPECT_NEAR(std::sqrt(squares / n - sum * sum / n / n), c.std, 5e-4);
    int64_t bondless = 0, largest = 0;
    for (int64_t m = 0; m < c.molecules; ++m) {
      bondless += table.molecules.num_bonds(m) == 0 ? 1 : 0;
      largest = std::max(largest, table.molecules.num_atoms(m));
    }
    EXPECT_EQ(bondless, c.bondless);
    EXPECT_EQ(largest, c.largest);
  }
}

TEST(RealMolecules, ScaffoldSplitsAreThePublishedOnes) {
  EMGNN_NEEDS_REAL_DATA();
  for (const RealCase& c : real_cases()) {
    SCOPED_TRACE(c.name);
    const MoleculeTable table = load(c.name);
    const Split split = make_split(table, {"scaffold", 0, 0});
    const std::vector<int32_t>* parts[] = {&split.train, &split.validation, &split.test};
    std::map<std::string, size_t> part_of;
    for (size_t p = 0; p < 3; ++p) {
      EXPECT_EQ(parts[p]->size(), c.parts[p]);
      EXPECT_EQ(std::accumulate(parts[p]->begin(), parts[p]->end(), int64_t{0}), c.index_sums[p]);
      for (const int32_t id : *parts[p]) {
        const std::string& scaffold = table.molecules.scaffold[static_cast<size_t>(id)];
        EXPECT_EQ(part_of.emplace(scaffold, p).first->second, p) << scaffold << " is in two parts";
      }
    }
    EXPECT_EQ(part_of.size(), c.groups);
    EXPECT_EQ(std::vector<int32_t>(split.test.begin(), split.test.begin() + 3), c.first_test);
  }
}

// Bonded heavy atoms are 1.16 to 2.16 Å apart, all others at least 2 Å.
TEST(RealMolecules, FreesolvHasCoordinatesOfTheRightSize) {
  EMGNN_NEEDS_REAL_DATA();
  const MoleculeTable table = load_molecules(
      {.name = "freesolv", .data_dir = testing::real_data_dir(), .use_cache = false});
  const Molecules& m = table.molecules;
  double nearest = 1e9, shortest = 1e9, longest = 0;
  for (int64_t k = 0; k < m.num_molecules(); ++k) {
    const auto x = m.coordinates_of(k);
    std::set<std::pair<size_t, size_t>> bonded;
    for (auto b = static_cast<size_t>(m.bond_begin[static_cast<size_t>(k)]);
         b < static_cast<size_t>(m.bond_begin[static_cast<size_t>(k) + 1]); ++b) {
      const auto u = static_cast<size_t>(m.bond_atoms[2 * b]),
                 v = static_cast<size_t>(m.bond_atoms[2 * b + 1]);
      bonded.emplace(std::max(u, v), std::min(u, v));
    }
    for (size_t i = 0; i < x.size() / 3; ++i) {
      for (size_t j = 0; j < i; ++j) {
        const double d = std::hypot(x[3 * i] - x[3 * j], x[3 * i + 1] - x[3 * j + 1],
                                    x[3 * i + 2] - x[3 * j + 2]);
        if (bonded.contains({i, j})) {
          shortest = std::min(shortest, d);
          longest = std::max(longest, d);
        } else {
          nearest = std::min(nearest, d);
        }
      }
    }
  }
  EXPECT_NEAR(shortest, 1.16, 0.02);
  EXPECT_NEAR(longest, 2.16, 0.02);
  EXPECT_GT(nearest, 2.0);
}

}  // namespace
}  // namespace emgnn
