// SPDX-License-Identifier: Apache-2.0
#include <emgnn/space/radius_grid.h>

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include <emgnn/base/error.h>
#include <emgnn/base/rng.h>

namespace emgnn {
namespace {

// From the definition: the first radius that is not below the distance.
int32_t slow_level(const RadiusGrid& grid, double distance) {
  int32_t k = 0;
  while (k < grid.size() && distance > grid.radius(k)) ++k;
  return k;
}

TEST(RadiusGrid, HasThePublishedRadiiAsDecimalNumbers) {
  const RadiusGrid grid{DistanceOptions{}};
  EXPECT_EQ(grid.size(), 181);
  EXPECT_EQ(grid.radius(0), 1.0);
  EXPECT_EQ(grid.radius(3), 1.15);
  EXPECT_EQ(grid.radius(180), 10.0);
}

TEST(RadiusGrid, JoinsAPairExactlyFromTheFirstRadiusThatReachesIt) {
  for (const DistanceOptions& options :
       {DistanceOptions{},
        DistanceOptions{.first_radius = 0.3, .last_radius = 2.4, .radius_step = 0.7},
        DistanceOptions{.first_radius = 2.0, .last_radius = 2.0}}) {
    const RadiusGrid grid(options);
    for (int32_t k = 0; k < grid.size(); ++k) {
      const double edge = grid.radius(k);
      for (double d : {edge, std::nextafter(edge, 0.0), std::nextafter(edge, 100.0)})
        EXPECT_EQ(grid.level(d), slow_level(grid, d)) << k;
      EXPECT_EQ(grid.level(edge), k);
    }
    Rng rng(1, Stream::kTest);
    for (int i = 0; i < 1000; ++i) {
      const double d = rng.uniform(0.0, 12.0);
      EXPECT_EQ(grid.level(d), slow_level(grid, d));
    }
    EXPECT_EQ(grid.level(0.0), 0);
    EXPECT_EQ(grid.level(std::numeric_limits<double>::quiet_NaN()), grid.size());
  }
}

TEST(RadiusGrid, RefusesAStepThatDoesNotReachTheLastRadius) {
  EXPECT_THROW(RadiusGrid(DistanceOptions{.radius_step = 0.07}), UsageError);
  EXPECT_THROW(RadiusGrid(DistanceOptions{.first_radius = 3.0, .last_radius = 2.0}), UsageError);
}

}  // namespace
}  // namespace emgnn
