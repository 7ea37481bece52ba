// SPDX-License-Identifier: Apache-2.0
// A finite set Λ̂ of points λ, each of which stands for graphs.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <emgnn/base/rng.h>

namespace emgnn {

using LambdaPoint = std::vector<double>;

class ParameterSpace {
 public:
  virtual ~ParameterSpace() = default;
  virtual int64_t size() const = 0;  // |Λ̂|
  virtual LambdaPoint point(int64_t lam_id) const = 0;
  virtual std::vector<std::string> coordinate_names() const = 0;
  // A random neighbour of a point on the grid, or the point itself; symmetric: q(a→b) = q(b→a).
  virtual int64_t propose_local(int64_t lam_id, Rng& rng) const = 0;

  std::vector<int64_t> all_ids() const;
};

}  // namespace emgnn
