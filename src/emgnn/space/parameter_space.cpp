// SPDX-License-Identifier: Apache-2.0
#include <emgnn/space/parameter_space.h>

#include <numeric>

namespace emgnn {

std::vector<int64_t> ParameterSpace::all_ids() const {
  std::vector<int64_t> ids(static_cast<size_t>(size()));
  std::iota(ids.begin(), ids.end(), int64_t{0});
  return ids;
}

}  // namespace emgnn
