// SPDX-License-Identifier: Apache-2.0
#include <emgnn/data/featurise_all.h>

#include <gtest/gtest.h>
#include <stdlib.h>

#include <emgnn/base/error.h>
#include <emgnn/base/file.h>

#include "base/with_threads.h"
#include "data/same_molecules.h"
#include "data/temp_dir.h"

namespace emgnn {
namespace {

using testing::expect_same;

std::vector<MoleculeInput> inputs() {
  std::vector<MoleculeInput> out;
  for (const char* smiles : {"CCO", "C1CC", "c1ccccc1O", "C", "CC(=O)O", "ClC(Cl)Cl", "CCCCN",
                             "[Na+].[Cl-]", "C/C=C/C", "c1ccc2ccccc2c1"})
    out.push_back({MoleculeFormat::kSmiles, smiles});
  return out;
}

class MoleculeCache : public ::testing::Test {
 protected:
  void SetUp() override { setenv("EMGNN_CACHE", dir_.path().c_str(), 1); }
  void TearDown() override { unsetenv("EMGNN_CACHE"); }

  // Molecules that were computed, not read.
  int64_t computed(const std::vector<MoleculeInput>& of, const ConformerOptions& options = {}) {
    int64_t count = 0;
    last_ = featurise_through_cache(of, options, [&](const MoleculeProgress& now) {
      count = now.done;
      return true;
    });
    return count;
  }
  std::filesystem::path only_file() const {
    const auto first = std::filesystem::directory_iterator(dir_.path());
    return first->path();
  }

  testing::TempDir dir_;
  FeaturisedMolecules last_;
};

TEST(FeaturiseAll, DoesNotDependOnTheNumberOfThreads) {
  ::testing::internal::CaptureStderr();
  const auto run = [] { return featurise_all(inputs(), {.count = 2}); };
  const FeaturisedMolecules one = with_threads(1, run);
  for (const int threads : {2, 5}) expect_same(with_threads(threads, run), one);
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");  // RDKit itself keeps quiet
  EXPECT_EQ(one.molecules.num_molecules(), 9);
  EXPECT_NE(one.reject[1], "");
}

TEST(FeaturiseAll, JoinedArraysAreThoseOfEachMolecule) {
  const FeaturisedMolecules all = featurise_all(inputs(), {.count = 2});
  int64_t at = 0;
  for (const MoleculeInput& input : inputs()) {
    const Molecules one = chemistry().featurise(input, {.count = 2}).molecule;
    if (one.num_molecules() == 0) continue;
    SCOPED_TRACE(input.text);
    EXPECT_EQ(all.molecules.smiles[static_cast<size_t>(at)], input.text);
    ASSERT_EQ(all.molecules.num_bonds(at), one.num_bonds());
    const auto same = [](std::span<const float> a, std::span<const float> b) {
      EXPECT_TRUE(std::equal(a.begin(), a.end(), b.begin(), b.end()));
    };
    same(all.molecules.features_of(at), one.features_of(0));
    for (const int64_t c : {0, 1})
      same(all.molecules.coordinates_of(at, c), one.coordinates_of(0, c));
    ++at;
  }
}

TEST(FeaturiseAll, StopsWhenTheObserverSaysSo) {
  int64_t calls = 0;
  EXPECT_THROW(featurise_all(inputs(), {.count = 0},
                             [&](const MoleculeProgress& now) {
                               EXPECT_EQ(now.total, 10);
                               return ++calls < 3;
                             }),
               Interrupted);
  EXPECT_EQ(calls, 3);
}

TEST_F(MoleculeCache, GivesBackWhatWasComputed) {
  EXPECT_EQ(computed(inputs()), 10);
  const FeaturisedMolecules fresh = last_;
  EXPECT_EQ(computed(inputs()), 0);
  expect_same(last_, fresh);
  expect_same(last_, featurise_all(inputs(), {}));
  testing::expect_no_field_empty(fresh);
}

TEST_F(MoleculeCache, IsKeyedByMoleculesAndSettings) {
  computed(inputs());
  std::vector<MoleculeInput> other = inputs();
  other[0].text = "CCN";
  EXPECT_EQ(computed(other), 10);
  EXPECT_EQ(computed(inputs(), {.seed = 1}), 10);
  EXPECT_EQ(computed(inputs(), {.count = 2}), 10);
  EXPECT_EQ(computed(inputs()), 0);
}

TEST_F(MoleculeCache, ADamagedFileIsRebuilt) {
  std::vector<MoleculeInput> two = inputs();
  two.resize(2);
  computed(two, {.count = 0});
  const FeaturisedMolecules fresh = last_;
  const std::filesystem::path path = only_file();
  const std::string whole = read_file(path);
  for (size_t at = 0; at < whole.size(); at += 7) {
    std::string damaged = whole;
    damaged[at] = static_cast<char>(damaged[at] ^ 1);
    write_atomically(path, damaged);
    ASSERT_EQ(computed(two, {.count = 0}), 2) << "a flipped bit of byte " << at;
    expect_same(last_, fresh);
  }
  for (const size_t size : {size_t{0}, size_t{10}, whole.size() - 1}) {
    write_atomically(path, whole.substr(0, size));
    EXPECT_EQ(computed(two, {.count = 0}), 2);
  }
  EXPECT_EQ(computed(two, {.count = 0}), 0);
}

TEST_F(MoleculeCache, WithoutAPlaceToWriteTheResultIsTheSame) {
  setenv("EMGNN_CACHE", dir_.write("file", "").c_str(), 1);
  EXPECT_EQ(computed(inputs(), {.count = 0}), 10);
  EXPECT_EQ(computed(inputs(), {.count = 0}), 10);
}

}  // namespace
}  // namespace emgnn
