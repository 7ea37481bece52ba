// SPDX-License-Identifier: Apache-2.0
#include <emgnn/data/toy_molecules.h>

#include <GraphMol/SmilesParse/SmilesParse.h>
#include <GraphMol/SmilesParse/SmilesWrite.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>

#include <emgnn/base/error.h>
#include <emgnn/data/load_molecules.h>
#include <emgnn/data/molecule_split.h>

#include "data/temp_dir.h"

namespace emgnn {
namespace {

TEST(ToyMolecules, AreAllDifferent) {
  std::map<std::string, std::string> seen;
  for (const std::string& smiles : toy_smiles()) {
    const std::unique_ptr<RDKit::RWMol> molecule(RDKit::SmilesToMol(smiles));
    ASSERT_NE(molecule, nullptr) << smiles;
    const auto [place, is_new] = seen.emplace(RDKit::MolToSmiles(*molecule), smiles);
    EXPECT_TRUE(is_new) << smiles << " and " << place->second;
  }
  EXPECT_GE(seen.size(), 300U);
}

// R_g² = Σ_{i<j} d_ij² / n², another form of the same: it needs no centre.
TEST(ToyMolecules, TheTargetIsTheRadiusOfGyration) {
  const testing::TempDir cache;
  setenv("EMGNN_CACHE", cache.path().c_str(), 1);
  MoleculeRequest request{.name = "toy-molecules"};
  const MoleculeTable table = load_molecules(request);
  EXPECT_TRUE(table.rejects.empty());
  ASSERT_EQ(static_cast<int64_t>(table.labels.value.size()), table.num_molecules());
  for (int64_t m = 0; m < table.num_molecules(); ++m) {
    const auto x = table.molecules.coordinates_of(m);
    double sum = 0;
    for (size_t i = 0; i < x.size(); i += 3) {
      for (size_t j = 0; j < i; j += 3)
        sum += std::pow(x[i] - x[j], 2) + std::pow(x[i + 1] - x[j + 1], 2) +
               std::pow(x[i + 2] - x[j + 2], 2);
    }
    const double expected = std::sqrt(sum) / static_cast<double>(table.molecules.num_atoms(m));
    EXPECT_NEAR(table.labels.at(m, 0), expected, 1e-5);
  }
  request.options.conformers.count = 0;  // the target is the same without coordinates
  const MoleculeTable bare = load_molecules(request);
  EXPECT_EQ(bare.labels.value, table.labels.value);
  EXPECT_EQ(bare.labels.names, (std::vector<std::string>{"radius of gyration"}));
  EXPECT_TRUE(bare.molecules.coordinates.empty());
  EXPECT_NO_THROW(make_split(bare, {"scaffold", 0, 0}));
  unsetenv("EMGNN_CACHE");
}

TEST(ToyMolecules, LargeAreThoseAboveTheMedian) {
  const testing::TempDir cache;
  setenv("EMGNN_CACHE", cache.path().c_str(), 1);
  MoleculeRequest request{.name = "toy-molecules-binary"};
  const MoleculeTable table = load_molecules(request);
  const std::vector<double> size = radius_of_gyration(table.molecules);
  EXPECT_EQ(table.labels.kind, LabelKind::kLabels);
  EXPECT_NO_THROW(check(table.labels, "toy"));
  int64_t large = 0;
  double largest_small = 0, smallest_large = 1e9;
  for (int64_t m = 0; m < table.num_molecules(); ++m) {
    const double r = size[static_cast<size_t>(m)];
    if (table.labels.at(m, 0) == 1) {
      ++large;
      smallest_large = std::min(smallest_large, r);
    } else {
      largest_small = std::max(largest_small, r);
    }
  }
  EXPECT_EQ(large, (table.num_molecules() - 1) / 2);  // all sizes differ
  EXPECT_LT(largest_small, smallest_large);
  request.task = "values";
  EXPECT_THROW(load_molecules(request), UsageError);
  unsetenv("EMGNN_CACHE");
}

TEST(ToyMolecules, HaveNoOtherTarget) {
  MoleculeRequest request{.name = "toy-molecules"};
  request.options.columns.target = "logP";
  EXPECT_THROW(load_molecules(request), UsageError);
}

}  // namespace
}  // namespace emgnn
