// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <numeric>
#include <vector>

#include <emgnn/data/data.h>

namespace emgnn {

// 0, 1, .. of all nodes or molecules.
inline std::vector<int32_t> all_rows(const Data& data) {
  std::vector<int32_t> rows(static_cast<size_t>(data.num_rows()));
  std::iota(rows.begin(), rows.end(), 0);
  return rows;
}

}  // namespace emgnn
