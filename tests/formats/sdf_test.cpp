// SPDX-License-Identifier: Apache-2.0
#include <emgnn/formats/sdf.h>

#include <gtest/gtest.h>

#include <cmath>

#include <emgnn/base/error.h>
#include <emgnn/data/load_molecules.h>
#include <emgnn/data/molecule_split.h>

#include "data/expect_error.h"
#include "data/temp_dir.h"

namespace emgnn {
namespace {

using testing::expect_error;

struct Point {
  double x, y, z;
};

// Methanol with its hydrogens, in a frame turned by `angle` about (1, 1, 1).
std::string methanol(double angle, const std::string& properties, const char* dimension = "3D") {
  const std::pair<char, Point> atoms[] = {{'C', {-0.36, 0.0, 0.02}},  {'O', {0.9, -0.55, -0.21}},
                                          {'H', {-1.0, -0.3, -0.8}},  {'H', {-0.77, -0.37, 0.97}},
                                          {'H', {-0.31, 1.09, 0.07}}, {'H', {1.5, -0.3, 0.51}}};
  const double c = std::cos(angle), s = std::sin(angle) / std::sqrt(3.0), d = (1 - c) / 3;
  std::string block = fmt::format("methanol\n  hand      {}\n\n", dimension);
  block += "  6  5  0  0  0  0  0  0  0  0999 V2000\n";
  for (const auto& [symbol, p] : atoms) {
    const double sum = p.x + p.y + p.z;
    block += fmt::format("{:10.4f}{:10.4f}{:10.4f} {}   0  0  0  0  0  0\n",
                         c * p.x + d * sum + s * (p.z - p.y), c * p.y + d * sum + s * (p.x - p.z),
                         c * p.z + d * sum + s * (p.y - p.x), symbol);
  }
  for (const char* bond : {"  1  2", "  1  3", "  1  4", "  1  5", "  2  6"})
    block += std::string(bond) + "  1  0\n";
  return block + "M  END\n" + properties + "$$$$\n";
}

class Sdf : public ::testing::Test {
 protected:
  MoleculeTable load(const std::string& text, const std::string& target = "",
                     int64_t conformers = 1) const {
    MoleculeRequest request{.name = dir_.write("own.sdf", text).string(), .use_cache = false};
    request.options.columns.target = target;
    request.options.conformers.count = conformers;
    return load_molecules(request);
  }

  testing::TempDir dir_;
};

double bond_length(const MoleculeTable& table, int64_t molecule) {
  const auto x = table.molecules.coordinates_of(molecule);
  return std::hypot(x[0] - x[3], x[1] - x[4], x[2] - x[5]);
}

TEST_F(Sdf, OwnCoordinatesAreKeptAndDistancesDoNotTurnWithTheFrame) {
  const std::string logp = "> <logP>\n-0.77\n\n";
  const MoleculeTable table = load(methanol(0, logp) + methanol(1.1, logp), "logP");
  ASSERT_EQ(table.num_molecules(), 2);
  EXPECT_EQ(table.name, "own");
  EXPECT_EQ(table.molecules.num_atoms(0), 2);  // the hydrogens are gone
  EXPECT_EQ(table.molecules.source[0], CoordinateSource::kGiven);
  EXPECT_EQ(table.molecules.smiles[0], "CO");
  EXPECT_EQ(table.labels.value, (std::vector<double>{-0.77, -0.77}));
  const auto a = table.molecules.coordinates_of(0), b = table.molecules.coordinates_of(1);
  EXPECT_FLOAT_EQ(a[0], -0.36F);
  EXPECT_NE(a[0], b[0]);
  // Four decimals in the file: each end is off by at most √3 · 0.5e-4.
  EXPECT_NEAR(bond_length(table, 0), std::hypot(1.26, 0.55, 0.23), 1e-6);
  EXPECT_NEAR(bond_length(table, 1), bond_length(table, 0), 2e-4);
}

TEST_F(Sdf, ADrawingInThePlaneIsEmbedded) {
  std::string flat = methanol(0, "", "2D");
  for (size_t i = 0, line = 0; i < flat.size(); ++i) {
    if (flat[i] != '\n') continue;
    if (++line >= 4 && line < 10) flat.replace(i + 21, 10, "    0.0000");
  }
  EXPECT_EQ(load(flat).molecules.source[0], CoordinateSource::kEmbedded);
}

TEST_F(Sdf, GivenCoordinatesAreEveryConformer) {
  const Molecules molecules = load(methanol(0, ""), "", 3).molecules;
  EXPECT_EQ(molecules.num_conformers, 3);
  EXPECT_EQ(molecules.source, std::vector(3, CoordinateSource::kGiven));
  const auto first = molecules.coordinates_of(0, 0), last = molecules.coordinates_of(0, 2);
  EXPECT_TRUE(std::equal(first.begin(), first.end(), last.begin(), last.end()));
}

TEST_F(Sdf, DrawnHydrogensGiveTheFeaturesOfTheMoleculeWithoutThem) {
  MoleculeRequest request{.name = dir_.write("own.csv", "smiles\nCO\n").string(),
                          .use_cache = false};
  const std::vector<float> of_smiles = load_molecules(request).molecules.atom_features;
  EXPECT_EQ(load(methanol(0, "")).molecules.atom_features, of_smiles);
  EXPECT_EQ(load(methanol(0, "", "2D")).molecules.atom_features, of_smiles);
}

TEST_F(Sdf, TheNameMayEndInCapitals) {
  MoleculeRequest request{.name = dir_.write("OWN.SDF", methanol(0, "")).string(),
                          .use_cache = false};
  EXPECT_EQ(load_molecules(request).num_molecules(), 1);
}

TEST_F(Sdf, BadRecordsAreRejectedAndTheRestIsRead) {
  const std::string good = methanol(0, ">  <y>  (1)\n1.5\n\n");
  std::string broken = good;
  broken.replace(broken.find(" O "), 3, " Xx");
  const MoleculeTable table = load(
      good + "no block\n$$$$\n" + broken + methanol(0, "") + good.substr(0, good.size() - 5), "y");
  EXPECT_EQ(table.row, (std::vector<int64_t>{1, 5}));
  EXPECT_TRUE(table.part.empty());
  ASSERT_EQ(table.rejects.size(), 3U);
  EXPECT_EQ(table.rejects[0].row, 2);
  EXPECT_EQ(table.rejects[0].reason, "no line \"M  END\"");
  EXPECT_EQ(table.rejects[1].row, 3);
  EXPECT_EQ(table.rejects[2].reason, "no value of y");
}

TEST_F(Sdf, UnreadableFilesAreOneLine) {
  expect_error<DataError>([&] { load(""); }, {"own.sdf", "empty"});
  expect_error<DataError>([&] { load("id,smiles\n1,CC\n"); }, {"own.sdf", "not an SDF file"});
  const std::string y = methanol(0, "> <y>\nhigh\n\n> <z>\n1\n\n");
  expect_error<DataError>([&] { load(y, "x"); },
                          {"own.sdf", "no property \"x\"", "there are: y, z"});
  expect_error<DataError>([&] { load(methanol(0, "> <y>\n1\n\n") + y, "y"); },
                          {"own.sdf", "record 2 at line 21", "property y", "number", "high"});
}

TEST_F(Sdf, APropertySplitsTheMolecules) {
  MoleculeRequest request{.use_cache = false};
  request.name =
      dir_.write("own.sdf", methanol(0, "> <for>\ntrain\n\n") + methanol(0, "> <for>\nval\n\n") +
                                methanol(0, "> <for>\ntest\n\n") + methanol(0, ""));
  request.options.columns.split = "for";
  const MoleculeTable table = load_molecules(request);
  const Split split = make_split(table, {});
  EXPECT_EQ(split.train, (std::vector<int32_t>{0}));
  EXPECT_EQ(split.validation, (std::vector<int32_t>{1}));
  EXPECT_EQ(split.test, (std::vector<int32_t>{2}));
}

TEST(ReadSdf, TakesWindowsLineEndsAndAFileWithoutTheLastSeparator) {
  const auto records = read_sdf("a\r\nM  END\r\n> 1 <p q>\r\n7 \r\n\r\n$$$$\r\nb\nM  END", "f");
  ASSERT_EQ(records.size(), 2U);
  EXPECT_EQ(records[0].block, "a\r\nM  END\r\n");
  ASSERT_NE(records[0].find("p q"), nullptr);
  EXPECT_EQ(*records[0].find("p q"), "7");
  EXPECT_EQ(records[1].line, 7);
  EXPECT_EQ(records[1].find("p q"), nullptr);
}

}  // namespace
}  // namespace emgnn
