// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>

namespace emgnn {

// z = (y − mean) / std, with the moments of the training targets alone.
struct TargetScale {
  double mean = 0.0;
  double std = 1.0;  // of the population; 1 where all targets are equal

  // Of the entries of `target` that are known (not NaN). DataError when they are too large.
  static TargetScale fit(std::span<const double> target);
  double standardise(double y) const { return (y - mean) / std; }
  double restore(double z) const { return mean + std * z; }
};

}  // namespace emgnn
