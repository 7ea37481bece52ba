// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>

namespace emgnn {

// Writes a file so that a reader sees the old content or the new one, never a part: a temporary
// file beside it, flushed to disk, then renamed. Throws Error that names the file and the reason
// (disk full, no permission). A link stays and what it leads to is written; devices and pipes are
// written into.
void write_atomically(const std::filesystem::path& path, std::string_view content);
// The same of pieces that follow each other, for what is too large to be put together; with
// check_stop() now and then.
void write_atomically(const std::filesystem::path& path, std::span<const std::string_view> pieces);

// Adds `text`, usually a line, at the end of a file, which is made if need be.
void append_to_file(const std::filesystem::path& path, std::string_view text);

// Larger inputs are refused before anything is allocated.
inline constexpr uint64_t kMaxFileBytes = uint64_t{16} << 30;

// The whole file; DataError that names it when it is missing, no regular file, too large or cannot
// be read.
std::string read_file(const std::filesystem::path& path, uint64_t max_bytes = kMaxFileBytes);

}  // namespace emgnn
