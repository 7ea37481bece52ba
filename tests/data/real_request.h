// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include <emgnn/data/registry.h>

#include "data/real_data.h"

namespace emgnn::testing {

// The real files of a dataset, parsed anew.
inline DatasetRequest request(const std::string& name, const std::string& split = "") {
  DatasetRequest r;
  r.name = name;
  r.data_dir = real_data_dir();
  r.split = split;
  r.use_cache = false;
  return r;
}

}  // namespace emgnn::testing
