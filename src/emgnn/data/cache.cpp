// SPDX-License-Identifier: Apache-2.0
#include <emgnn/data/cache.h>

#include <sys/stat.h>

#include <algorithm>
#include <cstdlib>
#include <ctime>

#include <emgnn/base/error.h>
#include <emgnn/base/file.h>
#include <emgnn/formats/checksum.h>

namespace emgnn {
namespace {

namespace fs = std::filesystem;

constexpr int64_t kSecond = 1'000'000'000;
// A file changed again within one tick of the file system's clock would keep its times; such a
// fresh one is not cached.
constexpr int64_t kClockTick = kSecond / 50;

int64_t nanoseconds(const timespec& t) { return t.tv_sec * kSecond + t.tv_nsec; }

struct SourceStamp {
  std::string key;          // everything that changes when a source does
  int64_t last_change = 0;  // of the youngest source
};

// Nothing when a source cannot be looked at: the parser will say why.
std::optional<SourceStamp> stamp(const CacheRequest& request) {
  SourceStamp result;
  result.key = request.variant;
  for (const fs::path& path : request.sources) {
    struct stat s {};
    if (::stat(path.c_str(), &s) != 0) return std::nullopt;
    result.key += fmt::format("\n{} {} {} {} {}", fs::absolute(path).string(), s.st_size, s.st_ino,
                              nanoseconds(s.st_mtim), nanoseconds(s.st_ctim));
    result.last_change = std::max(result.last_change, nanoseconds(s.st_ctim));
  }
  return result;
}

std::optional<ParsedDataset> read_cache(const fs::path& path, std::string_view key) {
  const auto bytes = read_cache_file(path);
  return bytes ? deserialise(*bytes, key) : std::nullopt;
}

void write_cache(const fs::path& path, const ParsedDataset& parsed, const SourceStamp& before,
                 const CacheRequest& request) {
  const auto after = stamp(request);
  timespec now{};
  ::clock_gettime(CLOCK_REALTIME, &now);
  if (!after || after->key != before.key || nanoseconds(now) - before.last_change < kClockTick)
    return;
  write_cache_file(path, serialise(parsed, before.key));
}

std::optional<fs::path> find_user_cache_dir() {
  if (const char* xdg = std::getenv("XDG_CACHE_HOME"); xdg && *xdg) return fs::path(xdg) / "emgnn";
  if (const char* home = std::getenv("HOME"); home && *home) {
    return fs::path(home) / ".cache" / "emgnn";
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::string> read_cache_file(const fs::path& path) {
  try {
    std::error_code error;
    if (!fs::exists(path, error)) return std::nullopt;
    return read_file(path);
  } catch (const DataError&) {
    return std::nullopt;
  }
}

void write_cache_file(const fs::path& path, std::string_view bytes) {
  std::error_code error;
  fs::create_directories(path.parent_path(), error);
  if (error) return;
  try {
    write_atomically(path, bytes);
  } catch (const Error&) {  // as without a cache
  }
}

std::optional<fs::path> find_cache_dir() {
  const char* named = std::getenv("EMGNN_CACHE");
  if (!(named && *named) && !find_user_cache_dir()) return std::nullopt;
  return cache_dir();
}

fs::path user_cache_dir() {
  if (const auto found = find_user_cache_dir()) return *found;
  throw UsageError("no cache directory: set HOME, XDG_CACHE_HOME or EMGNN_CACHE");
}

fs::path cache_dir() {
  if (const char* dir = std::getenv("EMGNN_CACHE"); dir && *dir) return dir;
  return user_cache_dir() / "parsed";
}

fs::path cache_file(const CacheRequest& request) {
  std::string identity = request.variant;
  for (const fs::path& path : request.sources)
    identity += fmt::format("\n{}", fs::absolute(path).string());
  std::string name = request.name;
  std::replace_if(
      name.begin(), name.end(), [](char c) { return c == '/' || c == '\0'; }, '_');
  return cache_dir() /
         fmt::format("{}-{}.bin", name.substr(0, 64), sha256_hex(identity).substr(0, 16));
}

ParsedDataset load_through_cache(const CacheRequest& request,
                                 const std::function<ParsedDataset()>& parse) {
  if (!find_cache_dir()) return parse();
  const auto before = stamp(request);
  if (!before) return parse();
  const fs::path path = cache_file(request);
  if (auto cached = read_cache(path, before->key)) return std::move(*cached);
  ParsedDataset parsed = parse();
  write_cache(path, parsed, *before, request);
  return parsed;
}

}  // namespace emgnn
