// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace emgnn {

// In lower-case hexadecimal.
std::string sha256_hex(std::string_view bytes);
std::string sha256_file(
    const std::filesystem::path& path);  // streamed; DataError when it cannot be read

}  // namespace emgnn
