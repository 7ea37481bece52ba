// SPDX-License-Identifier: Apache-2.0
#include <emgnn/base/memory.h>

#include <sys/resource.h>

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <sstream>

#include <emgnn/base/error.h>

namespace emgnn {

namespace {

constexpr int64_t kKilo = 1024;

int64_t unit_of(char letter) {
  switch (std::toupper(static_cast<unsigned char>(letter))) {
    case 'K':
      return kKilo;
    case 'M':
      return kKilo * kKilo;
    case 'G':
      return kKilo * kKilo * kKilo;
    case 'T':
      return kKilo * kKilo * kKilo * kKilo;
    default:
      return 0;
  }
}

// Of lines "key value"; 0: there is none.
int64_t value_in(const std::string& file, const std::string& key) {
  std::ifstream in(file);
  for (std::string line; std::getline(in, line);) {
    std::istringstream words(line);
    std::string name;
    int64_t value = 0;
    if (words >> name >> value && name == key) return value;
  }
  return 0;
}

int64_t number_in(const std::string& file) {
  std::ifstream in(file);
  int64_t value = 0;
  return in >> value ? value : 0;  // "max" is no number
}

// How either version of control groups calls what it says of memory.
struct ControlGroupNames {
  const char *folder, *limit, *used, *cached;
};
constexpr ControlGroupNames kVersion1 = {"/memory", "/memory.limit_in_bytes",
                                         "/memory.usage_in_bytes", "total_inactive_file"};
constexpr ControlGroupNames kVersion2 = {"", "/memory.max", "/memory.current", "inactive_file"};

// The smallest over the group and those around it. Cached files make room where it is needed.
int64_t left_in_group(const std::string& root, std::string group, const ControlGroupNames& names) {
  int64_t left = std::numeric_limits<int64_t>::max();
  while (true) {
    const std::string folder = root + names.folder + group;
    if (const int64_t limit = number_in(folder + names.limit); limit > 0) {
      const int64_t used = std::max<int64_t>(
          0, number_in(folder + names.used) - value_in(folder + "/memory.stat", names.cached));
      left = std::min(left, std::max<int64_t>(0, limit - used));
    }
    if (group.empty() || group == "/") return left;
    group.erase(group.rfind('/'));
  }
}

rlimit current() {
  rlimit limit{};
  getrlimit(RLIMIT_DATA, &limit);
  return limit;
}

}  // namespace

int64_t parse_bytes(const std::string& text) {
  const auto wrong = [&] {
    return UsageError(
        fmt::format("expected an amount of memory such as 8G or 512M, found \"{}\"", text));
  };
  if (text.empty() || std::isdigit(static_cast<unsigned char>(text[0])) == 0) throw wrong();
  char* end = nullptr;
  const double number = std::strtod(text.c_str(), &end);
  std::string unit = end;
  if (unit.size() > 1 && (unit.ends_with('B') || unit.ends_with('b'))) unit.pop_back();
  if (unit.ends_with('i')) unit.pop_back();
  const int64_t factor = unit.empty() ? 1 : unit.size() == 1 ? unit_of(unit[0]) : 0;
  const double bytes = number * static_cast<double>(factor);
  constexpr double kMost = 9e18;
  if (factor == 0 || !std::isfinite(bytes) || bytes < 1 || bytes > kMost) throw wrong();
  return static_cast<int64_t>(bytes);
}

std::string bytes_in_words(int64_t bytes) {
  constexpr double kGiga = 1024.0 * 1024.0 * 1024.0;
  const double in_giga = static_cast<double>(bytes) / kGiga;
  if (in_giga >= 1) return fmt::format("{:.1f} GB", in_giga);
  if (bytes >= 1 << 20) return fmt::format("{:.0f} MB", in_giga * kKilo);
  return bytes >= 1 << 10 ? fmt::format("{} kB", bytes >> 10) : fmt::format("{} bytes", bytes);
}

int64_t left_in_control_groups(const std::string& list, const std::string& root) {
  std::ifstream in(list);
  int64_t left = std::numeric_limits<int64_t>::max();
  for (std::string line; std::getline(in, line);) {
    // "number:controllers:group", without controllers in version 2
    const size_t first = line.find(':'), second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos) continue;
    const std::string controllers = ',' + line.substr(first + 1, second - first - 1) + ',';
    const bool memory = controllers.find(",memory,") != std::string::npos;
    if (!memory && controllers != ",,") continue;
    left = std::min(left,
                    left_in_group(root, line.substr(second + 1), memory ? kVersion1 : kVersion2));
  }
  return left;
}

int64_t available_memory() {
  const int64_t free = value_in("/proc/meminfo", "MemAvailable:") * kKilo;
  return free == 0 ? 0 : std::min(free, left_in_control_groups());
}

void limit_memory(int64_t bytes) {
  if (bytes < kLeastMemory)
    throw UsageError(fmt::format("{} are too little: the program itself and its libraries take {}",
                                 bytes_in_words(bytes), bytes_in_words(kLeastMemory)));
  rlimit limit = current();
  limit.rlim_cur = static_cast<rlim_t>(bytes);
  if (limit.rlim_max != RLIM_INFINITY && limit.rlim_cur > limit.rlim_max)
    throw UsageError(fmt::format("{} are more than the process may have, {}", bytes_in_words(bytes),
                                 bytes_in_words(static_cast<int64_t>(limit.rlim_max))));
  if (setrlimit(RLIMIT_DATA, &limit) != 0) throw Error("the memory cannot be limited");
}

int64_t memory_limit() {
  const rlimit limit = current();
  return limit.rlim_cur == RLIM_INFINITY ? 0 : static_cast<int64_t>(limit.rlim_cur);
}

}  // namespace emgnn
