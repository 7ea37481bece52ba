// SPDX-License-Identifier: Apache-2.0
// Which run a file belongs to.
#pragma once

#include <cstdint>
#include <map>
#include <string>

namespace emgnn {

struct RunIdentity {
  std::string dataset, data_sha256, method, config;  // config: the resolved TOML text
  uint64_t seed = 0;
};

// As the metadata of a safetensors file.
std::map<std::string, std::string> to_metadata(const RunIdentity& identity);
// DataError that begins with `name`, the file's name, when an entry is missing.
RunIdentity parse_identity(const std::map<std::string, std::string>& metadata,
                           const std::string& name);

}  // namespace emgnn
