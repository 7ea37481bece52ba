// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>
#include <nlohmann/json.hpp>

namespace emgnn {

// JSON has no NaN and no infinity: nlohmann writes null.
inline double real_or_nan(const nlohmann::ordered_json& value) {
  return value.is_null() ? std::numeric_limits<double>::quiet_NaN() : value.get<double>();
}

}  // namespace emgnn
