// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

namespace emgnn {

// CRC-32 of zip, gzip and zlib. `before` is that of the bytes before these.
uint32_t crc32_of(std::string_view bytes, uint32_t before = 0);

// In lower-case hexadecimal.
std::string sha256_hex(std::string_view bytes);
std::string sha256_file(
    const std::filesystem::path& path);  // streamed; DataError when it cannot be read

}  // namespace emgnn
