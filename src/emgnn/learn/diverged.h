// SPDX-License-Identifier: Apache-2.0
// No LibTorch.
#pragma once

#include <cmath>

#include <emgnn/base/error.h>

namespace emgnn {

[[noreturn]] inline void throw_diverged() {
  throw Error(
      "the loss of a graph is not finite: training has diverged; lower optim.learning_rate or "
      "em.alpha");
}

inline void check_has_not_diverged(double loss) {
  if (!std::isfinite(loss)) throw_diverged();
}

}  // namespace emgnn
