// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <emgnn/space/parameter_space.h>

namespace emgnn {

// A point of Λ̂ with its probability.
struct WeightedPoint {
  LambdaPoint lambda;
  double p = 0.0;
};

}  // namespace emgnn
