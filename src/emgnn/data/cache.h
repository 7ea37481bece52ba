// SPDX-License-Identifier: Apache-2.0
// The parsed form of a dataset on disk, so that the next load need not parse. A cache file is used
// only when it is whole (own checksum) and every source file is the one it was made from (path,
// size, inode, times of change); anything else is a miss.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <emgnn/data/parsed_dataset.h>

namespace emgnn {

struct CacheRequest {
  std::string name;     // for the file's name
  std::string variant;  // whatever else the parsed form depends on
  std::vector<std::filesystem::path> sources;
};

// The cached form, or that of `parse`, which is then kept for the next time. Where the cache cannot
// be written the result is the same.
ParsedDataset load_through_cache(const CacheRequest& request,
                                 const std::function<ParsedDataset()>& parse);

// One file of the cache, whatever is in it: nothing when it cannot be read; a full or read-only
// disk costs time at the next load, nothing else.
std::optional<std::string> read_cache_file(const std::filesystem::path& path);
void write_cache_file(const std::filesystem::path& path, std::string_view bytes);

// cache_dir(), or nothing without a place for it (no home, as under cron): then there is no cache.
std::optional<std::filesystem::path> find_cache_dir();

std::filesystem::path user_cache_dir();  // $XDG_CACHE_HOME/emgnn, else ~/.cache/emgnn
std::filesystem::path cache_dir();  // $EMGNN_CACHE, else "parsed" in the user's cache directory
std::filesystem::path cache_file(const CacheRequest& request);

// The file's format; deserialise gives nothing for bytes that are damaged or were made from other
// sources.
std::string serialise(const ParsedDataset& parsed, std::string_view key);
std::optional<ParsedDataset> deserialise(std::string_view bytes, std::string_view key);

}  // namespace emgnn
