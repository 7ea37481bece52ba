// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

namespace emgnn {

struct MeanStd {
  double mean = 0.0;
  double std = 0.0;  // sample standard deviation (n − 1); 0 for a single value
};

// At least one value.
MeanStd mean_std(std::span<const double> values);

}  // namespace emgnn
