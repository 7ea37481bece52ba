// SPDX-License-Identifier: Apache-2.0
// Descriptors and fingerprints against values that can be computed by hand or are published.
#include <emgnn/data/descriptors.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <set>

#include <emgnn/base/error.h>
#include <emgnn/data/chemistry.h>

namespace emgnn {
namespace {

Molecules molecule(const std::string& smiles) {
  const FeaturisedMolecule one =
      chemistry().featurise({MoleculeFormat::kSmiles, smiles}, {.count = 0});
  EXPECT_EQ(one.reject, "");
  return one.molecule;
}

double descriptor(const Molecules& m, std::string_view name) {
  const auto at = std::find(kDescriptorNames.begin(), kDescriptorNames.end(), name);
  EXPECT_NE(at, kDescriptorNames.end()) << name;
  return m.descriptors_of(0)[static_cast<size_t>(at - kDescriptorNames.begin())];
}

TEST(Descriptors, HaveNamesOfTheirOwn) {
  EXPECT_EQ(std::set<std::string_view>(kDescriptorNames.begin(), kDescriptorNames.end()).size(),
            kDescriptorNames.size());
  for (std::string_view name : kDescriptorNames) EXPECT_NE(name, "");
}

struct Case {
  const char* smiles;
  const char* name;
  double value;
};

TEST(Descriptors, AreThoseOfTextbooks) {
  const std::vector<Case> cases = {
      // 2 · 12.011 + 6 · 1.008 + 15.999
      {"CCO", "MolWt", 46.069},
      {"CCO", "HeavyAtomCount", 3},
      {"CCO", "NumHeteroatoms", 1},
      {"CCO", "NumHDonors", 1},
      {"CCO", "NumHAcceptors", 1},
      {"CCO", "TPSA", 20.23},  // Ertl 2000: a hydroxyl group
      {"CCO", "FractionCSP3", 1},
      {"CCO", "AromaticProportion", 0},
      {"CCCCCC", "NumRotatableBonds", 3},
      {"[NH4+]", "FormalCharge", 1},
      {"c1ccccc1", "RingCount", 1},
      {"c1ccccc1", "NumAromaticRings", 1},
      {"c1ccccc1", "NumAromaticCarbocycles", 1},
      {"c1ccccc1", "AromaticProportion", 1},
      {"c1ccccc1", "MolLogP", 6 * 0.2811},  // Wildman and Crippen 1999: C18 with H1
      {"Cc1ccccc1", "AromaticProportion", 6.0 / 7.0},
      {"c1ccncc1", "NumAromaticHeterocycles", 1},
      {"C1CCCCC1", "NumSaturatedRings", 1},
      {"C1CCC2(C1)CCCC2", "NumSpiroAtoms", 1},
      {"C1CC2CCC1C2", "NumBridgeheadAtoms", 2},
      {"CC(=O)NC", "NumAmideBonds", 1},
      {"C[C@H](N)O", "NumAtomStereoCenters", 1},
      {"CC", "Chi0v", 2.0},                  // 1/√1 of either carbon
      {"CCC", "Chi1v", 2.0 / std::sqrt(2)},  // two bonds with δ = 1 and 2
      {"CCCC", "Kappa1", 4.0},               // A (A−1)² / P₁² with A = 4, P₁ = 3
  };
  for (const Case& c : cases) {
    const double tolerance = c.name == std::string("MolLogP") ? 0.01 : 1e-3;
    EXPECT_NEAR(descriptor(molecule(c.smiles), c.name), c.value, tolerance)
        << c.smiles << " " << c.name;
  }
}

// Each is a partition of the surface.
TEST(Descriptors, SumsOfSurfacesAddUpToTheSurface) {
  const Molecules m = molecule("CC(=O)Oc1ccccc1C(=O)O");
  for (const std::string prefix : {"SlogP_VSA", "SMR_VSA"}) {
    double sum = 0.0;
    for (std::string_view name : kDescriptorNames)
      if (name.starts_with(prefix)) sum += descriptor(m, name);
    EXPECT_GT(sum, 0.9 * descriptor(m, "LabuteASA")) << prefix;
    EXPECT_LT(sum, 1.01 * descriptor(m, "LabuteASA")) << prefix;
  }
}

TEST(Descriptors, AreFiniteForOddMolecules) {
  for (const char* smiles : {"C", "[Na+].[Cl-]", "[H][H]", "[He]", "O", "[U]", "F[P-](F)(F)(F)(F)F",
                             "[CH3]", "C#C", "[2H]O[2H]", "Cl[Pt](Cl)(N)N"}) {
    const Molecules m = molecule(smiles);
    ASSERT_TRUE(m.has_descriptors()) << smiles;
    for (float x : m.descriptors_of(0)) EXPECT_FALSE(std::isinf(x)) << smiles;
  }
}

// Of ethanol: three atoms, three circles of radius 1, of which the middle one is the whole
// molecule, as are all of radius 2.
TEST(Fingerprint, CountsCirclesOnce) {
  const auto count = [](const char* smiles) {
    const Molecules m = molecule(smiles);
    EXPECT_TRUE(std::is_sorted(m.bit.begin(), m.bit.end()));
    EXPECT_EQ(m.bit.size(), m.bit_count.size());
    EXPECT_EQ(m.bit_begin.back(), static_cast<int64_t>(m.bit.size()));
    for (uint16_t b : m.bit) EXPECT_LT(b, kFingerprintBits);
    return std::accumulate(m.bit_count.begin(), m.bit_count.end(), 0);
  };
  EXPECT_EQ(count("C"), 1);
  EXPECT_EQ(count("CCO"), 6);
  // Six atoms and six circles of radius 1, all alike, and of radius 2, all alike.
  EXPECT_EQ(count("c1ccccc1"), 18);
  EXPECT_EQ(molecule("c1ccccc1").bit_count, (std::vector<uint16_t>{6, 6, 6}));
}

TEST(Fingerprint, IsOfTheMoleculeNotOfHowItIsWritten) {
  const Molecules a = molecule("OCC"), b = molecule("CCO"), c = molecule("CCN");
  EXPECT_EQ(a.bit, b.bit);
  EXPECT_EQ(a.bit_count, b.bit_count);
  EXPECT_NE(a.bit, c.bit);
}

Molecules two_columns(const std::vector<float>& first, const std::vector<float>& second) {
  Molecules m;
  for (size_t i = 0; i < first.size(); ++i) {
    m.atom_begin.push_back(m.atom_begin.back());
    m.bond_begin.push_back(m.bond_begin.back());
    m.bit_begin.push_back(0);
    m.descriptors.insert(m.descriptors.end(), size_t{kNumDescriptors}, 7.0F);
    m.descriptors[i * size_t{kNumDescriptors}] = first[i];
    m.descriptors[i * size_t{kNumDescriptors} + 1] = second[i];
  }
  return m;
}

TEST(DescriptorScale, ReadsTheGivenRowsOnlyAndLeavesOutWhatIsNotKnown) {
  constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
  const Molecules m = two_columns({1, 3, 1000, kNan, 5}, {4, 4, 9, 4, 4});
  const std::vector<int32_t> train = {0, 1, 3, 4};
  const DescriptorScale scale = DescriptorScale::fit(m, train);
  EXPECT_DOUBLE_EQ(scale.mean[0], 3.0);
  EXPECT_DOUBLE_EQ(scale.factor[0], 1.0 / std::sqrt(8.0 / 3.0));
  EXPECT_EQ(scale.factor[1], 0.0);  // the same for all that it was fitted to
  EXPECT_DOUBLE_EQ(scale.standardise(5, 0), 2.0 / std::sqrt(8.0 / 3.0));
  EXPECT_EQ(scale.standardise(1000, 0), DescriptorScale::kLimit);
  EXPECT_EQ(scale.standardise(-1000, 0), -DescriptorScale::kLimit);
  EXPECT_EQ(scale.standardise(kNan, 0), 0.0);
  EXPECT_EQ(scale.standardise(std::numeric_limits<float>::infinity(), 0), 0.0);
  EXPECT_EQ(scale.standardise(9, 1), 0.0);
  for (float x : descriptor_rows(m, train, scale).dense) EXPECT_TRUE(std::isfinite(x));
}

TEST(DescriptorScale, MoleculesWithoutDescriptorsAreRefused) {
  Molecules m;
  m.atom_begin.push_back(0);
  m.bond_begin.push_back(0);
  const std::vector<int32_t> rows = {0};
  EXPECT_THROW(DescriptorScale::fit(m, rows), UsageError);
}

}  // namespace
}  // namespace emgnn
