// SPDX-License-Identifier: Apache-2.0
// The real files, where there are any: $EMGNN_DATA, else the directory given by the build.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "../paths.h"

namespace emgnn::testing {

inline std::filesystem::path real_data_dir() {
  if (const char* dir = std::getenv("EMGNN_DATA"); dir && *dir) return dir;
  return kPublishedDataDir;
}

}  // namespace emgnn::testing

// Skips a test that needs the published files, and says which directory has none.
#define EMGNN_NEEDS_REAL_DATA()                                                  \
  if (!std::filesystem::exists(::emgnn::testing::real_data_dir() / "planetoid")) \
  GTEST_SKIP() << "needs the published datasets: none under "                    \
               << ::emgnn::testing::real_data_dir().string()                     \
               << "; set EMGNN_DATA to a directory that has them"

// The same for one file of them.
#define EMGNN_NEEDS_FILE(file)                                                      \
  if (!std::filesystem::exists(::emgnn::testing::real_data_dir() / (file)))         \
  GTEST_SKIP() << "needs " << (::emgnn::testing::real_data_dir() / (file)).string() \
               << "; set EMGNN_DATA to a directory that has it"
