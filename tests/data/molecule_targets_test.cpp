// SPDX-License-Identifier: Apache-2.0
// What the target columns of a user's own table are taken for. No chemistry.
#include <gtest/gtest.h>

#include <cmath>

#include <emgnn/base/error.h>
#include <emgnn/data/describe.h>
#include <emgnn/data/load_molecules.h>
#include <emgnn/data/molecule_rows.h>

#include "data/expect_error.h"
#include "data/temp_dir.h"

namespace emgnn {
namespace {

using testing::expect_error;
using Names = std::vector<std::string>;
using Values = std::vector<double>;

MoleculeRows read(const std::string& text, const std::string& target,
                  const std::string& task = "auto") {
  return read_molecule_csv(text, "own.csv", {.target = target}, task);
}

// A table of one target.
std::string column(const Names& cells) {
  std::string text = "smiles,y\n";
  for (const std::string& cell : cells) text += "CC," + cell + "\n";
  return text;
}

TEST(MoleculeTargets, ZeroAndOneAreLabelsOtherNumbersValues) {
  const MoleculeRows binary = read(column({"0", "1", " 1.0"}), "y");
  EXPECT_EQ(binary.labels.kind, LabelKind::kLabels);
  EXPECT_EQ(binary.labels.names, (Names{"y"}));
  EXPECT_EQ(binary.labels.value, (Values{0, 1, 1}));
  EXPECT_EQ(binary.notes, (Names{"task: labels (inferred: column y has 0 and 1 only; --set "
                                 "task=values for regression)"}));
  EXPECT_EQ(read(column({"0", "2"}), "y").labels.kind, LabelKind::kValues);
  EXPECT_EQ(read(column({"0", "1"}), "y", "values").labels.kind, LabelKind::kValues);
  EXPECT_EQ(read(column({"0", "1"}), "y", "classes").labels.names, (Names{"0", "1"}));
}

TEST(MoleculeTargets, FewNumbersThatComeOftenNeedAWord) {
  for (const Names& numbers : {Names{"1", "2", "3"}, Names{"-1", "1", "0.5"}}) {
    Names cells;
    for (size_t i = 0; i < 30; ++i) cells.push_back(numbers[i % 3]);
    expect_error<DataError>([&] { read(column(cells), "y"); },
                            {"own.csv: line 2, column 2 (y)", "3 different numbers in 30 cells",
                             "task=values", "task=classes"});
    EXPECT_EQ(read(column(cells), "y", "values").labels.kind, LabelKind::kValues);
    EXPECT_EQ(read(column(cells), "y", "classes").labels.num_classes(), 3);
  }
}

TEST(MoleculeTargets, ZeroAndOneBesideOtherNumbersNeedAWord) {
  const std::string text = "smiles,a,b,none\nC,0.5,1,\nCC,3,0,\n";
  expect_error<DataError>(
      [&] { read(text, "a,b"); },
      {"own.csv: line 2, column 3 (b)", "0 and 1 only", "a has other numbers", "task=values"});
  EXPECT_EQ(read(text, "a,b", "values").labels.kind, LabelKind::kValues);
  EXPECT_EQ(read(text, "b,none").labels.kind, LabelKind::kLabels);
  EXPECT_EQ(read(text, "a,none").labels.kind, LabelKind::kValues);
}

TEST(MoleculeTargets, TextsAreClasses) {
  const MoleculeRows rows = read(column({"toxic", "safe", "", "toxic"}), "y");
  EXPECT_EQ(rows.labels.kind, LabelKind::kClasses);
  EXPECT_EQ(rows.labels.names, (Names{"safe", "toxic"}));
  EXPECT_EQ(rows.labels.cls, (std::vector<int32_t>{1, 0, 1}));
  EXPECT_EQ(rows.labels.num_rows, 3);
  EXPECT_EQ(rows.rejects.size(), 1U);
  Names unique;
  for (int i = 0; i < 21; ++i) unique.push_back("m" + std::to_string(i));
  expect_error<DataError>([&] { read(column(unique), "y"); },
                          {"own.csv: line 2, column 2 (y)", "m0", "task=classes"});
  EXPECT_EQ(read(column(unique), "y", "classes").labels.num_classes(), 21);
}

TEST(MoleculeTargets, SeveralColumnsMayHaveGaps) {
  const std::string text = "smiles,a,b,\"a,b\"\nC,0.5,,7\nCC,,2,8\nCCC,,,9\nCCCC,1,4,\n";
  const MoleculeRows rows = read(text, "b , a");
  EXPECT_EQ(rows.labels.names, (Names{"b", "a"}));
  EXPECT_EQ(rows.labels.kind, LabelKind::kValues);
  EXPECT_EQ(rows.row, (std::vector<int64_t>{1, 2, 4}));
  EXPECT_TRUE(std::isnan(rows.labels.at(0, 0)));
  EXPECT_EQ(rows.labels.at(0, 1), 0.5);
  EXPECT_EQ(rows.labels.at(1, 0), 2);
  EXPECT_TRUE(std::isnan(rows.labels.at(1, 1)));
  EXPECT_EQ(rows.labels.at(2, 0), 4);
  ASSERT_EQ(rows.rejects.size(), 1U);
  EXPECT_EQ(rows.rejects[0].reason, "no value of b , a");
  const MoleculeRows whole = read(text, "a,b");  // a column of this very name
  EXPECT_EQ(whole.labels.names, (Names{"a,b"}));
  EXPECT_EQ(whole.labels.value, (Values{7, 8, 9}));
}

TEST(MoleculeTargets, BadColumnsAndCellsAreNamed) {
  const std::string text = "smiles,a,b,c\nC,0.5,low,0\nCC,1,2,1\n";
  expect_error<DataError>([&] { read(text, "a,z"); }, {"no column \"z\"", "smiles, a, b, c"});
  expect_error<DataError>([&] { read(text, "a,b"); },
                          {"own.csv: line 2, column 3 (b)", "expected a number", "low"});
  expect_error<DataError>([&] { read(text, "b"); },
                          {"line 2, column 3 (b)", "low", "task=classes"});
  expect_error<DataError>([&] { read(text, "b", "values"); }, {"line 2, column 3 (b)", "number"});
  expect_error<DataError>([&] { read(text, "c,a", "labels"); },
                          {"line 2, column 2 (a)", "expected 0 or 1", "0.5"});
  expect_error<UsageError>([&] { read(text, "a,c", "classes"); }, {"task=classes", "single"});
  expect_error<UsageError>([&] { read(text, "a,,c"); }, {"data.target", "without a name"});
  expect_error<UsageError>([&] { read(text, "a,c,a"); }, {"data.target", "twice"});
  expect_error<UsageError>([&] { read(text, "a", "numbers"); }, {"task", "numbers"});
}

TEST(MoleculeTargets, SdfPropertiesHaveTheSameRules) {
  const auto record = [](const std::string& properties) {
    return "\n\n\n  0  0  0  0  0  0  0  0  0  0999 V2000\nM  END\n" + properties + "$$$$\n";
  };
  const std::string text = record("> <a>\n1\n\n> <b>\n0\n\n") + record("> <b>\n1\n\n");
  const auto sdf = [&](const std::string& target, const std::string& task = "auto") {
    return read_molecule_sdf(text, "own.sdf", {.target = target}, task);
  };
  const MoleculeRows both = sdf("a,b");
  EXPECT_EQ(both.labels.kind, LabelKind::kLabels);
  EXPECT_EQ(both.labels.names, (Names{"a", "b"}));
  EXPECT_TRUE(std::isnan(both.labels.at(1, 0)));
  EXPECT_EQ(both.labels.at(1, 1), 1);
  EXPECT_EQ(sdf("a").rejects.at(0).reason, "no value of a");
  expect_error<DataError>([&] { sdf("a,z"); }, {"own.sdf: no property \"z\"", "a, b"});
  const std::string bad = record("> <a>\n1\n\n") + record("> <a>\nhigh\n\n");
  expect_error<DataError>([&] { read_molecule_sdf(bad, "own.sdf", {.target = "a"}); },
                          {"own.sdf: record 2 at line 10, property a", "number", "high"});
}

TEST(MoleculeTargets, RejectedRowsLeaveTheTableAndTheSummarySaysWhatIsKnown) {
  const testing::TempDir dir;
  const std::string text = "smiles,a,b\nCCO,1,\nC1CC,0,1\nCC,0,1\nCCC,0,\n";
  MoleculeRequest request{.name = dir.write("own.csv", text).string(), .use_cache = false};
  request.options = {.columns = {.target = "a,b"}, .conformers = {.count = 0}};
  const MoleculeTable table = load_molecules(request);
  EXPECT_EQ(table.labels.num_rows, 3);
  EXPECT_EQ(table.notes, (Names{"task: labels (inferred: each of 2 columns has 0 and 1 only; "
                                "--set task=values for regression)"}));
  const MoleculeSummary summary = describe(table, {});
  EXPECT_EQ(summary.targets, 2);
  EXPECT_EQ(summary.notes, table.notes);
  ASSERT_EQ(summary.labels.names.size(), 2U);
  EXPECT_EQ(summary.labels.names[0].rows, 3);
  EXPECT_DOUBLE_EQ(summary.labels.names[0].mean, 1.0 / 3);
  EXPECT_EQ(summary.labels.names[1].rows, 1);
  request.task = "values";
  EXPECT_EQ(load_molecules(request).labels.kind, LabelKind::kValues);
}

}  // namespace
}  // namespace emgnn
