// SPDX-License-Identifier: Apache-2.0
// The files of configs/, compiled into the library.
#pragma once

#include <string_view>
#include <vector>

namespace emgnn {

struct ShippedConfig {
  std::string_view dataset;  // the file's name without ".toml"
  std::string_view text;
};
const std::vector<ShippedConfig>& shipped_configs();

}  // namespace emgnn
