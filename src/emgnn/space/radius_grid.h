// SPDX-License-Identifier: Apache-2.0
// The radii λ_k = first + k step of the distance family, in Å.
#pragma once

#include <cstdint>

#include <emgnn/space/options.h>

namespace emgnn {

class RadiusGrid {
 public:
  // UsageError unless the last radius is the first plus a whole number of steps.
  explicit RadiusGrid(const DistanceOptions& options);

  int32_t size() const { return size_; }
  double radius(int64_t k) const;  // the decimal number, as a user writes it: 1.15
  // The first k with distance <= radius(k): the pair is joined at this radius and at all larger
  // ones. size() where even the largest radius is too small.
  int32_t level(double distance) const;

 private:
  double first_, step_;
  int32_t size_;
};

}  // namespace emgnn
