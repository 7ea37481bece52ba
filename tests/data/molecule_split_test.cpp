// SPDX-License-Identifier: Apache-2.0
#include <emgnn/data/molecule_split.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <set>

#include <emgnn/base/error.h>

#include "data/expect_error.h"

namespace emgnn {
namespace {

using testing::expect_error;

MoleculeTable table_of(const std::vector<std::string>& scaffolds) {
  MoleculeTable table;
  table.name = "t";
  table.molecules.scaffold = scaffolds;
  table.molecules.atom_begin.resize(scaffolds.size() + 1);
  return table;
}

MoleculeTable of_size(size_t n) { return table_of(std::vector<std::string>(n, "")); }

void expect_partition(const Split& split, size_t total) {
  std::set<int32_t> all;
  for (const auto* part : {&split.train, &split.validation, &split.test})
    all.insert(part->begin(), part->end());
  EXPECT_EQ(all.size(), total);
  EXPECT_EQ(split.train.size() + split.validation.size() + split.test.size(), total);
}

// floor(.8 n), floor(.1 n), rest: the published sizes of the three MoleculeNet sets.
TEST(MoleculeSplit, RandomSizesAreThePublishedOnes) {
  const size_t sizes[][4] = {{642, 513, 64, 65}, {1128, 902, 112, 114}, {4200, 3360, 420, 420}};
  for (const auto& [n, train, validation, test] : sizes) {
    const Split split = make_split(of_size(n), {"", 3, 0});
    EXPECT_EQ(split.train.size(), train);
    EXPECT_EQ(split.validation.size(), validation);
    EXPECT_EQ(split.test.size(), test);
    expect_partition(split, n);
  }
  expect_partition(make_split(of_size(100), {"random:0.29/0.1/0.1", 0, 0}), 49);
}

TEST(MoleculeSplit, RandomIsAFunctionOfSeedPlusRun) {
  const MoleculeTable table = of_size(100);
  EXPECT_EQ(make_split(table, {"", 3, 2}).train, make_split(table, {"", 5, 0}).train);
  EXPECT_NE(make_split(table, {"", 3, 2}).train, make_split(table, {"", 3, 1}).train);
  EXPECT_EQ(make_split(table, {"random", 3, 2}).train, make_split(table, {"", 3, 2}).train);
}

// Every third row repeats the one before it.
TEST(MoleculeSplit, RandomKeepsARepeatedMoleculeInOnePart) {
  MoleculeTable table = of_size(90);
  const Split alone = make_split(table, {"", 7, 0});
  for (int32_t i = 0; i < 90; ++i) table.group.push_back(i);
  EXPECT_EQ(make_split(table, {"", 7, 0}).train, alone.train);  // nothing repeats
  for (size_t i = 2; i < 90; i += 3) table.group[i] = static_cast<int32_t>(i) - 1;
  for (uint64_t seed = 0; seed < 20; ++seed) {
    const Split split = make_split(table, {"", seed, 0});
    expect_partition(split, 90);
    std::vector<int> part(90);
    for (const int32_t i : split.validation) part[static_cast<size_t>(i)] = 1;
    for (const int32_t i : split.test) part[static_cast<size_t>(i)] = 2;
    for (size_t i = 0; i < 90; ++i) EXPECT_EQ(part[i], part[static_cast<size_t>(table.group[i])]);
    // A group of two adds at most one row to a part.
    EXPECT_LE(split.train.size(), 73U);
    EXPECT_GE(split.train.size(), 72U);
    EXPECT_LE(split.validation.size(), 10U);
  }
  EXPECT_EQ(make_split(table, {"random-rows:0.8/0.1/0.1", 7, 0}).train, alone.train);
}

// 20 molecules, cuts at 16 and 18; groups by (size, first index), both descending.
TEST(MoleculeSplit, ScaffoldGroupsFillTheFirstPartTheyFitIn) {
  const MoleculeTable table = table_of({"b", "b", "b", "b", "b", "b", "b", "b", "c", "c",
                                        "c", "c", "c", "a", "a", "a", "d", "d", "e", "f"});
  const Split split = make_split(table, {"scaffold", 0, 0});
  // b 8, c 5, a 3 fill training to 16; d (2) fills validation to 18; f, e go to test, f first.
  EXPECT_EQ(split.train.size(), 16U);
  EXPECT_EQ(split.validation, (std::vector<int32_t>{16, 17}));
  EXPECT_EQ(split.test, (std::vector<int32_t>{19, 18}));
  EXPECT_EQ(make_split(table, {"scaffold", 9, 4}).train, split.train);  // no seed in it
}

// 20 molecules, cuts at 16 and 18: a 15 to training; b 3 would overfill it, validation takes it;
// d comes before c and still fits into training, c goes to test.
TEST(MoleculeSplit, ALaterSmallGroupCanStillEnterTraining) {
  std::vector<std::string> scaffolds(15, "a");
  scaffolds.insert(scaffolds.end(), {"b", "b", "b", "c", "d"});
  const Split split = make_split(table_of(scaffolds), {"scaffold", 0, 0});
  EXPECT_EQ(split.train.size(), 16U);
  EXPECT_EQ(split.train.back(), 19);
  EXPECT_EQ(split.validation, (std::vector<int32_t>{15, 16, 17}));
  EXPECT_EQ(split.test, (std::vector<int32_t>{18}));
}

TEST(MoleculeSplit, WrongSpecsAreAnsweredWithTheValidOnes) {
  MoleculeTable table = of_size(50);
  for (const char* spec : {"nope", "random:1", "random:0.9/0.9/0.9", "stratified:0.8/0.1/0.1",
                           "column", "scaffold:0.5/0.2/0.3"}) {
    SCOPED_TRACE(spec);
    expect_error<UsageError>(
        [&] {
          make_split(table, {spec, 0, 0});
        },
        {"valid: random, random:A/B/C, scaffold"});
  }
  expect_error<DataError>([&] { make_split(of_size(5), {}); }, {"5 molecules", "0 for validation"});
}

}  // namespace
}  // namespace emgnn
