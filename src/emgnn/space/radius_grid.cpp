// SPDX-License-Identifier: Apache-2.0
#include <emgnn/space/radius_grid.h>

#include <algorithm>
#include <cmath>

#include <emgnn/base/error.h>

namespace emgnn {

RadiusGrid::RadiusGrid(const DistanceOptions& options)
    : first_(options.first_radius), step_(options.radius_step) {
  const double steps = (options.last_radius - first_) / step_;
  EMGNN_CHECK(steps > -0.5, "space.last_radius must not be below space.first_radius",
              options.last_radius);
  EMGNN_CHECK(std::abs(steps - std::round(steps)) < 1e-6,
              "space.radius_step must divide the way from the first radius to the last", step_);
  size_ = static_cast<int32_t>(std::lround(steps)) + 1;
}

double RadiusGrid::radius(int64_t k) const {
  constexpr double kDecimals = 1e9;
  return std::round((first_ + static_cast<double>(k) * step_) * kDecimals) / kDecimals;
}

int32_t RadiusGrid::level(double distance) const {
  if (!(distance <= radius(size_ - 1))) return size_;
  auto k = static_cast<int32_t>(
      std::clamp(std::ceil((distance - first_) / step_), 0.0, static_cast<double>(size_ - 1)));
  // The quotient is rounded; the comparison is not.
  while (k > 0 && distance <= radius(k - 1)) --k;
  while (distance > radius(k)) ++k;
  return k;
}

}  // namespace emgnn
