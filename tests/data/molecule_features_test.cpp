// SPDX-License-Identifier: Apache-2.0
// Features against vectors derived by hand, and coordinates against what chemistry demands.
#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include <emgnn/data/chemistry.h>

namespace emgnn {
namespace {

// The columns of an atom that are not 0, all 1 unless a value is given.
using Atom = std::map<int, float>;

Atom atom(std::initializer_list<int> ones, std::map<int, float> others = {}) {
  for (const int column : ones) others[column] = 1;
  return others;
}

struct BondCase {
  int32_t u, v;
  Atom columns;
};

struct FeatureCase {
  std::string smiles;
  std::vector<Atom> atoms;
  std::vector<BondCase> bonds;
};

// Columns: element C 0, N 1, O 2, S 3, F 4, Cl 7, Na 10; degree d at 43 + d; implicit valence v at
// 54 + v; charge 61; radicals 62; SP 63, SP2 64, SP3 65; aromatic 68; h hydrogens at 69 + h.
// Bonds: single 0, double 1, triple 2, aromatic 3, conjugated 4, ring 5, no stereo 6, Z 8, E 9.
std::vector<FeatureCase> cases() {
  const Atom methyl = atom({0, 44, 57, 65, 72});           // one neighbour, three hydrogens
  const Atom aromatic_ch = atom({0, 45, 55, 64, 68, 70});  // two neighbours, one hydrogen
  const Atom carbonyl_o = atom({2, 44, 54, 64, 69});
  const Atom single = atom({0, 6}), conjugated = atom({0, 4, 6}), ring = atom({3, 4, 5, 6});
  return {
      {"C", {atom({0, 43, 58, 65, 73})}, {}},
      {"CCO",
       {methyl, atom({0, 45, 56, 65, 71}), atom({2, 44, 55, 65, 70})},
       {{0, 1, single}, {1, 2, single}}},
      {"c1ccccc1",
       std::vector<Atom>(6, aromatic_ch),
       {{0, 1, ring}, {1, 2, ring}, {2, 3, ring}, {3, 4, ring}, {4, 5, ring}, {5, 0, ring}}},
      // Pyridine's nitrogen has its lone pair in the plane and no hydrogen.
      {"c1ccncc1",
       {aromatic_ch, aromatic_ch, aromatic_ch, atom({1, 45, 54, 64, 68, 69}), aromatic_ch,
        aromatic_ch},
       {{0, 1, ring}, {1, 2, ring}, {2, 3, ring}, {3, 4, ring}, {4, 5, ring}, {5, 0, ring}}},
      // The acid's OH is next to C=O: conjugated, so SP2.
      {"CC(=O)O",
       {methyl, atom({0, 46, 54, 64, 69}), carbonyl_o, atom({2, 44, 55, 64, 70})},
       {{0, 1, single}, {1, 2, atom({1, 4, 6})}, {1, 3, conjugated}}},
      {"ClC(Cl)Cl",
       {atom({7, 44, 54, 65, 69}), atom({0, 46, 55, 65, 70}), atom({7, 44, 54, 65, 69}),
        atom({7, 44, 54, 65, 69})},
       {{0, 1, single}, {1, 2, single}, {1, 3, single}}},
      // In brackets: four hydrogens, none of them implicit.
      {"[NH4+]", {atom({1, 43, 54, 61, 65, 73})}, {}},
      {"C[N+](=O)[O-]",
       {methyl, atom({1, 46, 54, 61, 64, 69}), carbonyl_o, atom({2, 44, 54, 64, 69}, {{61, -1}})},
       {{0, 1, single}, {1, 2, atom({1, 4, 6})}, {1, 3, conjugated}}},
      {"c1ccsc1",
       {aromatic_ch, aromatic_ch, aromatic_ch, atom({3, 45, 54, 64, 68, 69}), aromatic_ch},
       {{0, 1, ring}, {1, 2, ring}, {2, 3, ring}, {3, 4, ring}, {4, 0, ring}}},
      // The ion stands alone; sodium without neighbours has no hybrid orbitals.
      {"[Na+].CC(=O)[O-]",
       {atom({10, 43, 54, 61, 69}), methyl, atom({0, 46, 54, 64, 69}), carbonyl_o,
        atom({2, 44, 54, 64, 69}, {{61, -1}})},
       {{1, 2, single}, {2, 3, atom({1, 4, 6})}, {2, 4, conjugated}}},
      {"CC#N",
       {methyl, atom({0, 45, 54, 63, 69}), atom({1, 44, 54, 63, 69})},
       {{0, 1, single}, {1, 2, atom({2, 6})}}},
      {"C/C=C/F",
       {methyl, atom({0, 45, 55, 64, 70}), atom({0, 45, 55, 64, 70}), atom({4, 44, 54, 65, 69})},
       {{0, 1, single}, {1, 2, atom({1, 9})}, {2, 3, single}}},
      {"C/C=C\\F",
       {methyl, atom({0, 45, 55, 64, 70}), atom({0, 45, 55, 64, 70}), atom({4, 44, 54, 65, 69})},
       {{0, 1, single}, {1, 2, atom({1, 8})}, {2, 3, single}}},
      {"[CH3]", {atom({0, 43, 54, 62, 65, 72})}, {}},
  };
}

Atom nonzero(const float* row, int width) {
  Atom columns;
  for (int c = 0; c < width; ++c) {
    if (row[c] != 0) columns[c] = row[c];
  }
  return columns;
}

FeaturisedMolecule of(const std::string& smiles, ConformerOptions options = {.count = 0}) {
  return chemistry().featurise({MoleculeFormat::kSmiles, smiles}, options);
}

double distance(const Molecules& m, size_t i, size_t j, int64_t conformer = 0) {
  const auto x = m.coordinates_of(0, conformer);
  double sum = 0;
  for (size_t k = 0; k < 3; ++k) sum += std::pow(x[3 * i + k] - x[3 * j + k], 2);
  return std::sqrt(sum);
}

TEST(MoleculeFeatures, EqualTheVectorsDerivedByHand) {
  for (const FeatureCase& c : cases()) {
    SCOPED_TRACE(c.smiles);
    const FeaturisedMolecule result = of(c.smiles);
    ASSERT_EQ(result.reject, "");
    const Molecules& m = result.molecule;
    ASSERT_EQ(m.num_atoms(), static_cast<int64_t>(c.atoms.size()));
    ASSERT_EQ(m.num_bonds(), static_cast<int64_t>(c.bonds.size()));
    for (size_t i = 0; i < c.atoms.size(); ++i)
      EXPECT_EQ(nonzero(&m.atom_features[i * 74], 74), c.atoms[i]) << "atom " << i;
    for (size_t b = 0; b < c.bonds.size(); ++b) {
      EXPECT_EQ(m.bond_atoms[2 * b], c.bonds[b].u) << "bond " << b;
      EXPECT_EQ(m.bond_atoms[2 * b + 1], c.bonds[b].v) << "bond " << b;
      EXPECT_EQ(nonzero(&m.bond_features[b * 12], 12), c.bonds[b].columns) << "bond " << b;
    }
  }
}

TEST(MoleculeFeatures, ScaffoldsAreRingsAndLinkers) {
  const std::pair<const char*, const char*> cases[] = {{"CCCO", ""},
                                                       {"Cc1ccccc1O", "c1ccccc1"},
                                                       {"OC1CCCCC1=O", "O=C1CCCCC1"},
                                                       {"Cc1ccc(CCc2ccncc2)cc1", nullptr}};
  for (const auto& [smiles, scaffold] : cases) {
    const std::string found = of(smiles).molecule.scaffold.at(0);
    if (scaffold) {
      EXPECT_EQ(found, scaffold);
    } else {  // two rings and the chain between them, without the methyl
      EXPECT_EQ(found, of("c1ccc(CCc2ccncc2)cc1").molecule.scaffold.at(0));
      EXPECT_NE(found, "");
    }
  }
}

TEST(MoleculeFeatures, BadMoleculesAreRejectedWithAReason) {
  const std::pair<std::string, const char*> cases[] = {
      {"C1CC", "not a SMILES"},
      {"CC(C", "not a SMILES"},
      {"Hello", "not a SMILES"},
      {"C(C)(C)(C)(C)C", "valence"},
      {"c1cccc1", "kekulize"},
      {"CC O", "blank"},
      {"", "no atom"},
      {"C*", "atom 2 has no element"},
      {std::string(500, 'C'), "500 atoms: without coordinates of its own at most 200"}};
  ::testing::internal::CaptureStderr();
  for (const auto& [smiles, reason] : cases) {
    const FeaturisedMolecule result = of(smiles, {.count = 1});
    EXPECT_NE(result.reject.find(reason), std::string::npos) << smiles << ": " << result.reject;
    EXPECT_EQ(result.reject.find('\n'), std::string::npos) << result.reject;
    EXPECT_EQ(result.molecule.num_molecules(), 0);
  }
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");  // RDKit itself keeps quiet
}

// Bond lengths of textbooks, in Å: C-C 1.53, C-O 1.42, aromatic C-C 1.40; across the ring 2.8.
TEST(Conformers, HaveTheBondLengthsOfTextbooks) {
  const Molecules ethanol = of("CCO", {}).molecule;
  EXPECT_NEAR(distance(ethanol, 0, 1), 1.53, 0.03);
  EXPECT_NEAR(distance(ethanol, 1, 2), 1.42, 0.03);
  EXPECT_EQ(ethanol.source.at(0), CoordinateSource::kEmbedded);
  EXPECT_EQ(ethanol.force_field.at(0), ForceField::kMmff94);
  const Molecules benzene = of("c1ccccc1", {}).molecule;
  for (size_t i = 0; i < 6; ++i) {
    EXPECT_NEAR(distance(benzene, i, (i + 1) % 6), 1.40, 0.02);
    EXPECT_NEAR(distance(benzene, i, (i + 3) % 6), 2.80, 0.04);
  }
}

TEST(Conformers, KeepTheGeometryOfDoubleBonds) {
  const double e = distance(of("F/C=C/F", {}).molecule, 0, 3),
               z = distance(of("F/C=C\\F", {}).molecule, 0, 3);
  EXPECT_GT(e, z + 0.5);
}

TEST(Conformers, OneAtomIsAtTheOrigin) {
  const Molecules methane = of("C", {.count = 2}).molecule;
  EXPECT_EQ(methane.coordinates, std::vector<float>(6, 0));
  EXPECT_EQ(methane.source.at(1), CoordinateSource::kSingleAtom);
}

// Embedded together and drawn together by their charges: an ion pair, not two overlapping pieces.
TEST(Conformers, ASaltIsAnIonPair) {
  const Molecules salt = of("[Na+].CC(=O)[O-]", {}).molecule;
  EXPECT_EQ(salt.source.at(0), CoordinateSource::kRandomStart);
  const double nearest = std::min(distance(salt, 0, 3), distance(salt, 0, 4));
  EXPECT_GT(nearest, 1.8);
  EXPECT_LT(nearest, 3.0);
}

// MMFF94 knows no boron; UFF is coarse.
TEST(Conformers, UffStandsInWhereMmffLacksAnElement) {
  const Molecules acid = of("OB(O)c1ccccc1", {}).molecule;
  EXPECT_EQ(acid.force_field.at(0), ForceField::kUff);
  EXPECT_NEAR(distance(acid, 0, 1), 1.37, 0.12);
}

// Bridgeheads of so small a cage can only point outwards; these are told to point otherwise.
TEST(Conformers, ImpossibleChiralityIsGivenUp) {
  const Molecules cage = of("F[C@]12C[C@@](F)(C1)C2", {}).molecule;
  EXPECT_EQ(cage.source.at(0), CoordinateSource::kFreeChirality);
  EXPECT_NEAR(distance(cage, 0, 1), 1.36, 0.05);  // C-F
}

// Six neighbours of one atom are beyond the embedding.
TEST(Conformers, TheLastResortIsADrawing) {
  const Molecules drawing = of("F[U](F)(F)(F)(F)F", {}).molecule;
  EXPECT_EQ(drawing.source.at(0), CoordinateSource::kPlanar);
  EXPECT_EQ(drawing.force_field.at(0), ForceField::kNone);
  for (size_t i = 0; i < 7; ++i) EXPECT_EQ(drawing.coordinates_of(0)[3 * i + 2], 0.0F);
  EXPECT_NEAR(distance(drawing, 0, 1), 1.5, 0.01);
}

TEST(Conformers, AreAFunctionOfTheSeedAlone) {
  const std::string smiles = "CCCCCC(O)CCN";
  const Molecules three = of(smiles, {.count = 3, .seed = 7}).molecule;
  EXPECT_EQ(three.coordinates, of(smiles, {.count = 3, .seed = 7}).molecule.coordinates);
  for (int64_t c = 0; c < 3; ++c) {
    const Molecules one = of(smiles, {.count = 1, .seed = 7 + c}).molecule;
    const auto row = three.coordinates_of(0, c);
    EXPECT_EQ(std::vector<float>(row.begin(), row.end()), one.coordinates);
  }
  EXPECT_NE(distance(three, 0, 5, 0), distance(three, 0, 5, 1));
}

}  // namespace
}  // namespace emgnn
