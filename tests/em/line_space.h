// SPDX-License-Identifier: Apache-2.0
// Points on a line, small enough to know their posterior.
#pragma once

#include <emgnn/space/parameter_space.h>

namespace emgnn {

inline constexpr int64_t kPoints = 12;

// A local move goes one step left or right and stays at the ends.
class LineSpace : public ParameterSpace {
 public:
  int64_t size() const override { return kPoints; }
  LambdaPoint point(int64_t id) const override { return {static_cast<double>(id)}; }
  std::vector<std::string> coordinate_names() const override { return {"x"}; }
  Marginal prior_marginal(size_t /*coordinate*/) const override { return {}; }
  int64_t propose_local(int64_t id, Rng& rng) const override {
    const int64_t next = id + (rng.below(2) == 0 ? 1 : -1);
    return next < 0 || next >= kPoints ? id : next;
  }
};

}  // namespace emgnn
