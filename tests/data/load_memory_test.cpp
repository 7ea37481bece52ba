// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <cstdlib>
#include <filesystem>

#include <emgnn/data/registry.h>

#include "data/real_request.h"

namespace emgnn {
namespace {

// Of this process, once it has parsed a dataset.
double peak_megabytes(const std::string& dataset) {
  parse_dataset(testing::request(dataset));
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024.0;
}

// 137 MB of dense pickle become sparse while they are read.
TEST(LoadMemory, AcmStaysBelow600Megabytes) {
  EMGNN_NEEDS_REAL_DATA();
#ifdef __SANITIZE_ADDRESS__
  GTEST_SKIP() << "needs a build without sanitizers";
#endif
  EXPECT_LT(peak_megabytes("acm"), 600.0);
}

// 183 MB of dense text become sparse as they are inflated. In a process of its own: a peak is never
// forgotten.
TEST(LoadMemory, FlickrStaysBelow200Megabytes) {
  EMGNN_NEEDS_FILE("am-gcn/flickr.zip");
#ifdef __SANITIZE_ADDRESS__
  GTEST_SKIP() << "needs a build without sanitizers";
#endif
  EXPECT_EXIT(std::_Exit(peak_megabytes("flickr") < 200.0 ? 0 : 1), ::testing::ExitedWithCode(0),
              "");
}

}  // namespace
}  // namespace emgnn
