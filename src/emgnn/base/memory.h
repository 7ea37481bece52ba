// SPDX-License-Identifier: Apache-2.0
// How much memory the process may take. Beyond it an allocation fails, which can be told to the user,
// where the system would end the process without a word.
#pragma once

#include <cstdint>
#include <string>

namespace emgnn {

// "8G", "512M", "1.5G", "4096K" or bytes, in units of 1024. UsageError for anything else.
int64_t parse_bytes(const std::string& text);
std::string bytes_in_words(int64_t bytes);  // "1.5 GB"

// What the system, or the control group that the process is in, could still give; 0: not known.
int64_t available_memory();

// What the control groups in `list` leave: the smallest over the process's own and those around it, each a
// folder below `root`. INT64_MAX: they limit nothing.
int64_t left_in_control_groups(const std::string& list = "/proc/self/cgroup",
                               const std::string& root = "/sys/fs/cgroup");

// OpenBLAS reserves 128 MB for each of its threads and never gives up asking for them.
inline constexpr int64_t kLeastMemory = 512LL << 20;

// From now on allocations beyond `bytes` in all fail (std::bad_alloc). A later limit replaces it.
// UsageError for less than kLeastMemory, and for more than the process may have.
void limit_memory(int64_t bytes);
int64_t memory_limit();  // 0: none

}  // namespace emgnn
