// SPDX-License-Identifier: Apache-2.0
// Structure-data files: mol blocks with named properties, ended by "$$$$".
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace emgnn {

struct SdfRecord {
  int64_t line = 0;        // of its first line, from 1
  std::string_view block;  // up to and with the line "M  END"; empty: the record has none
  std::vector<std::pair<std::string_view, std::string_view>> properties;  // in order; first lines

  const std::string_view* find(std::string_view property) const;
};

// Views into `text`. DataError when there is no record, or none with "M  END".
std::vector<SdfRecord> read_sdf(std::string_view text, const std::string& file);

}  // namespace emgnn
