// SPDX-License-Identifier: Apache-2.0
// The files of configs/, compiled into the library.
#pragma once

#include <span>
#include <string_view>

namespace emgnn {

struct ShippedFile {
  std::string_view path;  // below configs/, without ".toml": "tables/runtime"; or "keys.txt"
  std::string_view text;
};
std::span<const ShippedFile> shipped_files();  // ordered by path, then keys.txt

}  // namespace emgnn
