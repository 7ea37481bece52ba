// SPDX-License-Identifier: Apache-2.0
#include <emgnn/learn/mean_std.h>

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace emgnn {
namespace {

TEST(MeanStd, DividesByOneLessThanTheNumberOfValues) {
  const MeanStd moments = mean_std(std::vector<double>{1.0, 2.0, 6.0});
  EXPECT_DOUBLE_EQ(moments.mean, 3.0);
  EXPECT_DOUBLE_EQ(moments.std, std::sqrt((4.0 + 1.0 + 9.0) / 2.0));
}

TEST(MeanStd, HasNoDeviationForOneValue) {
  const MeanStd moments = mean_std(std::vector<double>{0.7});
  EXPECT_EQ(moments.mean, 0.7);
  EXPECT_EQ(moments.std, 0.0);
}

}  // namespace
}  // namespace emgnn
