// SPDX-License-Identifier: Apache-2.0
#include <emgnn/data/load_molecules.h>

#include <gtest/gtest.h>

#include <emgnn/base/error.h>
#include <emgnn/data/registry.h>

#include "data/expect_error.h"
#include "data/temp_dir.h"

namespace emgnn {
namespace {

using testing::expect_error;

class OwnMolecules : public ::testing::Test {
 protected:
  MoleculeTable load(const std::string& text, MoleculeColumns columns = {.target = "y"}) const {
    MoleculeRequest request{.name = dir_.write("own.csv", text).string(), .use_cache = false};
    request.options = {.columns = std::move(columns), .conformers = {.count = 0}};
    return load_molecules(request);
  }

  testing::TempDir dir_;
};

TEST_F(OwnMolecules, GoodRowsAreReadAndBadOnesRejected) {
  const MoleculeTable table = load(
      "smiles,y,name\nCCO ,1.5,ethanol\nC1CC,2,open ring\n,3,none\nCC,,no "
      "value\n\"CC(=O)O\",-4,\"a, "
      "b\"\n");
  EXPECT_EQ(table.name, "own");
  EXPECT_EQ(table.labels.kind, LabelKind::kValues);
  EXPECT_EQ(table.labels.names, (std::vector<std::string>{"y"}));
  EXPECT_EQ(table.molecules.smiles, (std::vector<std::string>{"CCO", "CC(=O)O"}));
  EXPECT_EQ(table.labels.value, (std::vector<double>{1.5, -4}));
  EXPECT_EQ(table.row, (std::vector<int64_t>{1, 5}));
  ASSERT_EQ(table.rejects.size(), 3U);
  EXPECT_EQ(table.rejects[0].row, 2);
  EXPECT_EQ(table.rejects[0].smiles, "C1CC");
  EXPECT_EQ(table.rejects[1].reason, "no value of smiles");
  EXPECT_EQ(table.rejects[2].reason, "no value of y");
  EXPECT_EQ(rejects_csv(table.rejects),
            "row,smiles,reason\n2,C1CC,not a SMILES string\n3,,no value of smiles\n"
            "4,CC,no value of y\n");
}

TEST_F(OwnMolecules, RepeatedMoleculesAreFoundHoweverTheyAreWritten) {
  const MoleculeTable table =
      load("smiles,y\nCCO,1.5\nOCC,2.5\nCC,1\nC(O)C,1.5\n[CH3][CH3],1\nc1ccccc1,3\n");
  EXPECT_EQ(table.group, (std::vector<int32_t>{0, 0, 2, 0, 2, 5}));
  ASSERT_EQ(table.notes.size(), 2U);
  EXPECT_EQ(table.notes[1],
            "repeated molecules: 3 rows are an earlier molecule again (2 different molecules, 1 "
            "with labels that disagree); a random split keeps them in one part");
  EXPECT_EQ(load("smiles,y\nC[C@H](N)O,1\nC[C@@H](N)O,2\n").notes.size(), 1U);  // mirror images
}

TEST_F(OwnMolecules, WithoutATargetThereIsNone) {
  const MoleculeTable table = load("SMI\nCC\n", {.smiles = "SMI"});
  EXPECT_EQ(table.labels.kind, LabelKind::kNone);
  EXPECT_EQ(table.labels.num_rows, 1);
  EXPECT_EQ(table.num_molecules(), 1);
}

TEST_F(OwnMolecules, BadFilesAreOneLine) {
  expect_error<DataError>([&] { load(""); }, {"own.csv", "empty"});
  expect_error<DataError>([&] { load("smiles,y\n"); }, {"own.csv", "no molecule"});
  expect_error<DataError>([&] { load("SMI,y\nCC,1\n"); },
                          {"own.csv", "no column \"smiles\"", "there are: SMI, y"});
  expect_error<DataError>([&] { load("smiles,z\nCC,1\n"); }, {"no column \"y\"", "smiles, z"});
  expect_error<DataError>([&] { load("smiles,y\nCC,1\nCCC,high\n"); },
                          {"own.csv: line 3, column 2 (y)", "number", "high"});
  expect_error<DataError>([&] { load("smiles,y\nC1,1\nC(,2\n"); },
                          {"own.csv", "all 2 rows", "row 1", "not a SMILES"});
  expect_error<DataError>([&] { load("smiles,y,s\nCC,1,both\n", {.target = "y", .split = "s"}); },
                          {"own.csv: line 2, column 3 (s)", "train, validation or test"});
}

TEST_F(OwnMolecules, NamesTellTheirKind) {
  const std::string csv = dir_.write("own.csv", "smiles\nC\n");
  EXPECT_TRUE(is_molecule_table(csv));
  EXPECT_TRUE(is_molecule_table("toy-molecules"));
  EXPECT_TRUE(is_molecule_table("esol"));
  EXPECT_FALSE(is_molecule_table("cora"));
  EXPECT_FALSE(is_molecule_table(dir_.path()));
  EXPECT_FALSE(is_molecule_table(dir_ / "missing.csv"));
  EXPECT_THROW(load_molecules({.name = dir_ / "missing.csv"}), UsageError);
  EXPECT_THROW(load_molecules({.name = "cora"}), UsageError);
  expect_error<UsageError>([] { load_dataset({.name = "toy-molecules"}); }, {"table of molecules"});
  expect_error<UsageError>([&] { load_dataset({.name = csv}); }, {"table of molecules"});
}

}  // namespace
}  // namespace emgnn
