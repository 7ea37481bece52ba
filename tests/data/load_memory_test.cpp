// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <cstdlib>
#include <filesystem>

#include <emgnn/data/registry.h>

#include "data/real_data.h"

namespace emgnn {
namespace {

// 137 MB of dense pickle become sparse while they are read.
TEST(LoadMemory, AcmStaysBelow600Megabytes) {
  EMGNN_NEEDS_REAL_DATA();
#ifdef __SANITIZE_ADDRESS__
  GTEST_SKIP() << "sizes mean nothing under a sanitizer";
#endif
  DatasetRequest request;
  request.name = "acm";
  request.data_dir = testing::real_data_dir();
  request.use_cache = false;
  parse_dataset(request);
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  EXPECT_LT(static_cast<double>(usage.ru_maxrss) / 1024, 600.0);
}

// 183 MB of dense text become sparse as they are inflated. In a process of its own: a peak is never
// forgotten.
TEST(LoadMemory, FlickrStaysBelow200Megabytes) {
  if (!std::filesystem::exists(testing::real_data_dir() / "am-gcn/flickr.zip"))
    GTEST_SKIP() << "needs am-gcn/flickr.zip under " << testing::real_data_dir().string();
#ifdef __SANITIZE_ADDRESS__
  GTEST_SKIP() << "sizes mean nothing under a sanitizer";
#endif
  EXPECT_EXIT(
      {
        DatasetRequest request;
        request.name = "flickr";
        request.data_dir = testing::real_data_dir();
        request.use_cache = false;
        parse_dataset(request);
        rusage usage{};
        getrusage(RUSAGE_SELF, &usage);
        std::_Exit(usage.ru_maxrss / 1024 < 200 ? 0 : 1);
      },
      ::testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace emgnn
