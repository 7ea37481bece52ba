// SPDX-License-Identifier: Apache-2.0
#include <emgnn/data/chemistry.h>

#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>
#include <iterator>
#include <thread>
#include <vector>

#include <emgnn/base/error.h>
#include <emgnn/data/chemistry_module.h>

#include "data/expect_error.h"

namespace emgnn {
namespace {

using testing::expect_error;

bool rdkit_is_loaded() {
  std::ifstream maps("/proc/self/maps");
  const std::string text(std::istreambuf_iterator<char>(maps), {});
  return text.find("libRDKit") != std::string::npos;
}

// No other test of this program may use molecules.
TEST(Chemistry, IsLoadedAtItsFirstUseOnly) {
  EXPECT_FALSE(rdkit_is_loaded());
  if (!EMGNN_RDKIT) {
    expect_error<DataError>([] { chemistry(); }, {"molecules need RDKit", "EMGNN_RDKIT=OFF"});
    GTEST_SKIP() << "needs RDKit: this build was made without it (EMGNN_RDKIT=OFF)";
  }
  std::vector<const Chemistry*> seen(8);
  std::vector<std::thread> threads;
  for (const Chemistry*& one : seen) threads.emplace_back([&one] { one = &chemistry(); });
  for (std::thread& thread : threads) thread.join();
  for (const Chemistry* one : seen) EXPECT_EQ(one, seen[0]);
  EXPECT_TRUE(rdkit_is_loaded());
  EXPECT_GE(chemistry().rdkit_version(), "2020");
  // Another thread may be looking at the environment.
  char** const before = environ;
  EXPECT_EQ(chemistry().featurise({MoleculeFormat::kSmiles, "CCO"}, {}).molecule.num_atoms(), 3);
  EXPECT_EQ(environ, before);
}

TEST(Chemistry, AMissingModuleIsNamedWithTheLoadersReason) {
  expect_error<DataError>(
      [] {
        open_chemistry({"/nowhere/a.so", "/nowhere/libemgnn-chem.so"});
      },
      {"molecules need RDKit: /nowhere/libemgnn-chem.so cannot be loaded: "
       "cannot open shared object file"});
  expect_error<DataError>([] { open_chemistry({"libemgnn-chem-of-nobody.so"}); },
                          {"libemgnn-chem-of-nobody.so cannot be loaded"});
}

TEST(Chemistry, AModuleOfAnotherBuildIsRefused) {
  expect_error<DataError>(
      [] {
        open_chemistry({EMGNN_OTHER_BUILD_MODULE, "unused.so"});
      },
      {EMGNN_OTHER_BUILD_MODULE, "it is of build 0.0.0 elsewhere, this is "});
  expect_error<DataError>([] { open_chemistry({EMGNN_NO_SYMBOL_MODULE}); },
                          {EMGNN_NO_SYMBOL_MODULE, "emgnn_chemistry_module"});
}

}  // namespace
}  // namespace emgnn
