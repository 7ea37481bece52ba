// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace emgnn {

// The one member of a gzip file. DataError when it is damaged or holds more than max_bytes.
std::string gunzip(std::string_view bytes, const std::string& file, size_t max_bytes);

}  // namespace emgnn
